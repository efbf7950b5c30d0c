// Drawing cases. All randomness of a run is here, from one seed: case number k of a seed is the
// same whatever ran before it and whatever library it runs on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/base/random.h"
#include "framework/base/result.h"
#include "framework/model/case.h"

namespace allprove {

// Cases of one call of much data: worth their time now and then.
struct LargeCases {
  int one_in = 250;                                // cases
  std::int64_t bytes_min = std::int64_t{1} << 23;  // of one buffer
  std::int64_t bytes_max = std::int64_t{1} << 25;
  int ranks_max = kRanksMax;  // of the world; 0: there are none
};

// More bytes than an int can count; in worlds of two ranks they take 10 GiB of memory.
inline constexpr LargeCases kBeyondInt = {.one_in = 20,
                                          .bytes_min = (std::int64_t{1} << 31) + 4096,
                                          .bytes_max = (std::int64_t{1} << 31) + (1 << 26),
                                          .ranks_max = 2};

// What may be drawn. Empty lists mean everything that runs today.
struct Space {
  std::vector<int> ranks = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<Collective> collectives;
  std::vector<Dtype> dtypes;
  std::vector<Op> ops;
  std::vector<std::string>
      properties;          // names: only cases that give at least one of them something
  bool algorithms = true;  // draw picks other than the library's own choice
  std::int64_t bytes_max = std::int64_t{1} << 20;  // of one buffer, but in large cases
  LargeCases large;
  int operations_max = 30;  // of a case, its probe aside, that is no series
  int series_max = 192;     // calls, of a case that makes many small ones of one kind; 0: no such
  bool probes = true;  // a case ends with a sum on a fresh duplicate of the world, where those are
                       // in this space and a rank has one thread
  int threads = 1;     // of a rank, each with communicators of its own
};

// A usage error, naming the field, for a space from which no case can be drawn.
Status check(const Space& space);

struct Choices;  // a space, worked out (choices.h)

// A stream of cases. Cases of one world size come in runs, so that worlds stay warm.
// Thread-safe; cheap to copy.
class Generator {
 public:
  // The space must pass check().
  Generator(std::uint64_t seed, const Space& space);

  Case at(std::uint64_t number) const;

 private:
  std::shared_ptr<const Choices> choices_;
};

// The case with a fault of that kind, on a rank and an operation where it matters; nothing when the
// case has no such place. The kind must be one that is_drawn().
std::optional<Case> with_fault(const Case& test_case, FaultKind kind, RandomStream& stream);

}  // namespace allprove
