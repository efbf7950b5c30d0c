// How many elements, in how many dimensions.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/base/random.h"

namespace allprove {

struct ShapeLimits {
  std::int64_t element_bytes = 4;
  std::int64_t count_min = 0;
  std::int64_t count_max = 0;
  int ranks = 1;
};

// 0 to 5 dimensions. Mostly small, with the counts favoured at which libraries change what they do.
std::vector<std::int64_t> draw_shape(const ShapeLimits& limits, RandomStream& stream);

}  // namespace allprove
