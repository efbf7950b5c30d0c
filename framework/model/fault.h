// A deviation from the program, as data in the case: what, who, where, when.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace allprove {

enum class FaultKind {
  // of the call
  skip,
  reorder,
  duplicate,
  wrong_count,
  wrong_dtype,
  wrong_op,
  wrong_root,
  wrong_communicator,
  blocking_mismatch,
  missing_wait,
  late,
  overlap,
  // of the process
  exit,
  abort,
  kill,
  segfault,
  stop,
  starve,
  nofile,
  nomem,
  // of the data
  flip,
  flip_wire,
};

constexpr auto enum_names(FaultKind) {
  return std::to_array<std::string_view>({"skip",
                                          "reorder",
                                          "duplicate",
                                          "wrong_count",
                                          "wrong_dtype",
                                          "wrong_op",
                                          "wrong_root",
                                          "wrong_communicator",
                                          "blocking_mismatch",
                                          "missing_wait",
                                          "late",
                                          "overlap",
                                          "exit",
                                          "abort",
                                          "kill",
                                          "segfault",
                                          "stop",
                                          "starve",
                                          "nofile",
                                          "nomem",
                                          "flip",
                                          "flip_wire"});
}

// What can be done with a kind so far.
struct FaultAbilities {
  FaultKind kind = FaultKind::skip;
  bool drawn = false;  // search finds a place for it in a case; a rank can carry out all of these
};
inline constexpr auto kFaultsCarriedOut = std::to_array<FaultAbilities>({
    {.kind = FaultKind::skip, .drawn = true},
    {.kind = FaultKind::reorder, .drawn = true},
    {.kind = FaultKind::late, .drawn = false},
});

// Its row, if it has one.
constexpr const FaultAbilities* abilities_of(FaultKind kind) {
  for (const auto& row : kFaultsCarriedOut) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}
constexpr bool is_drawn(FaultKind kind) {
  const auto* abilities = abilities_of(kind);
  return abilities != nullptr && abilities->drawn;
}

enum class FaultPhase { before, during, after };

constexpr auto enum_names(FaultPhase) {
  return std::to_array<std::string_view>({"before", "during", "after"});
}

struct Fault {
  FaultKind kind = FaultKind::skip;
  int rank = 0;       // world rank
  int operation = 0;  // index into the program
  FaultPhase phase = FaultPhase::before;
  std::int64_t amount = 0;  // what it counts is the fault's own: microseconds, elements, a bit

  bool operator==(const Fault&) const = default;
};

}  // namespace allprove
