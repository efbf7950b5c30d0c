// What a drawn call works on: how much data, of which values, in which types and places.
#pragma once

#include <cstdint>

#include "framework/base/random.h"
#include "framework/model/case.h"

namespace allprove {

struct OperandLimits {
  int ranks = 1;               // of the world
  std::int64_t bytes_max = 0;  // of one buffer
  std::int64_t count_min = 0;  // elements
  bool exact = false;          // results must be exact, to the bit
};

// Draws layouts, values, shape and blocks. The operation must say which collective it is, of which
// operator and data type; `in_place` must be set.
void draw_operands(Operation& operation, const OperandLimits& limits, RandomStream& stream);

// The same, for as many elements as the largest buffer can hold, or a few less.
void draw_large_operands(Operation& operation, const OperandLimits& limits, RandomStream& stream);

}  // namespace allprove
