// Drawing cases. All randomness of a run is here, from one seed: case number k of a seed is the
// same whatever ran before it and whatever library it runs on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/model/case.h"

namespace allprove {

// What may be drawn. Empty lists mean everything that runs today.
struct Space {
  std::vector<int> ranks = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<Collective> collectives;
  std::vector<Dtype> dtypes;
  std::vector<Op> ops;
  std::vector<std::string> properties;  // names: only cases that give at least one of them something
  bool algorithms = true;               // draw picks other than the library's own choice
  std::int64_t bytes_max = std::int64_t{1} << 20;  // of one buffer
  int operations_max = 30;
};

// A stream of cases. Cases that suit one world size come in runs, so that worlds stay warm.
class Generator {
 public:
  Generator(std::uint64_t seed, Space space);
  Case at(std::uint64_t number) const;

 private:
  std::uint64_t seed_;
  Space space_;
};

}  // namespace allprove
