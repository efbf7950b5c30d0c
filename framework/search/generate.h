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

// What may be drawn. Empty lists mean everything that runs today.
struct Space {
  std::vector<int> ranks = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<Collective> collectives;
  std::vector<Dtype> dtypes;
  std::vector<Op> ops;
  std::vector<std::string>
      properties;          // names: only cases that give at least one of them something
  bool algorithms = true;  // draw picks other than the library's own choice
  std::int64_t bytes_max = std::int64_t{1} << 20;  // of one buffer
  int operations_max = 30;
  int threads = 1;  // of a rank, each with communicators of its own
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
