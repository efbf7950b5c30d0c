// The collectives, how they are called, and what an operation of a program can be.
// Names follow the MPI standard (4.0, chapter 6), written in lower snake case.
#pragma once

#include <array>
#include <string_view>

namespace allprove {

enum class Collective {
  barrier,
  broadcast,
  reduce,
  all_reduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  gather,
  gatherv,
  scatter,
  scatterv,
  all_gather,
  all_gatherv,
  all_to_all,
  all_to_allv,
  all_to_allw,
  neighbor_all_gather,
  neighbor_all_gatherv,
  neighbor_all_to_all,
  neighbor_all_to_allv,
  neighbor_all_to_allw,
};

constexpr auto enum_names(Collective) {
  return std::to_array<std::string_view>({"barrier",
                                          "broadcast",
                                          "reduce",
                                          "all_reduce",
                                          "reduce_scatter_block",
                                          "reduce_scatter",
                                          "scan",
                                          "exscan",
                                          "gather",
                                          "gatherv",
                                          "scatter",
                                          "scatterv",
                                          "all_gather",
                                          "all_gatherv",
                                          "all_to_all",
                                          "all_to_allv",
                                          "all_to_allw",
                                          "neighbor_all_gather",
                                          "neighbor_all_gatherv",
                                          "neighbor_all_to_all",
                                          "neighbor_all_to_allv",
                                          "neighbor_all_to_allw"});
}

// What the collective does with its arguments; one row per collective.
struct CollectiveTraits {
  bool moves_data;  // it has buffers
  bool reduces;     // it takes an operator
  bool rooted;      // it has a root
  bool can_in_place;
  bool elementwise;  // element i of an output depends on element i of the inputs alone
  bool irregular;    // its blocks may differ in size, and lie anywhere in the buffer
};
CollectiveTraits traits_of(Collective collective);

constexpr bool needs_neighbors(Collective collective) {
  return collective >= Collective::neighbor_all_gather;
}

// How a collective is called. A persistent request that is started again after it was completed
// makes the same call on the same buffers, with new data. Nonblocking and persistent ones are
// completed at once when they are one operation of a program (`call`); `start` and `wait` take them
// apart.
enum class Mode { blocking, nonblocking, persistent };

constexpr auto enum_names(Mode) {
  return std::to_array<std::string_view>({"blocking", "nonblocking", "persistent"});
}

// What a rank does next.
enum class OperationKind {
  call,         // a collective, until its result is there
  start,        // a collective begun, to be completed by a later wait or test of the same request
  wait,         // completes a started request
  test,         // asks for completion until it is there
  wait_all,     // completes all that are under way, together
  wait_some,    // completes all that are under way, as many at a time as are done
  group_begin,  // opens a group of calls that are issued together (NCCL)
  group_end,
  comm_create,  // makes the communicator of a group anew
  comm_free,    // frees it
  delay,        // does nothing for a while
};

constexpr auto enum_names(OperationKind) {
  return std::to_array<std::string_view>({"call", "start", "wait", "test", "wait_all", "wait_some",
                                          "group_begin", "group_end", "comm_create", "comm_free",
                                          "delay"});
}

constexpr bool enters_collective(OperationKind kind) {
  return kind == OperationKind::call || kind == OperationKind::start;
}
// The communicator of its group; all ranks of the world take part.
constexpr bool manages_communicator(OperationKind kind) {
  return kind == OperationKind::comm_create || kind == OperationKind::comm_free;
}
// One request, by its label.
constexpr bool completes_request(OperationKind kind) {
  return kind == OperationKind::wait || kind == OperationKind::test;
}
// Every request that is under way.
constexpr bool completes_all(OperationKind kind) {
  return kind == OperationKind::wait_all || kind == OperationKind::wait_some;
}

}  // namespace allprove
