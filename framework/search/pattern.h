// Patterns: operations that belong together because a property compares them. A pattern of several
// operations is a call and its twins, which are equal to it but for one aspect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/base/random.h"
#include "framework/model/case.h"

namespace allprove {

// What a pattern asks of the dtype and the operator.
enum class Operands {
  any,
  predefined,  // which work on single elements, and commute
  sum,
  linear,  // scaled inputs give scaled results: sums; of floating point also minimum and maximum
};
inline constexpr std::size_t kOperandsKinds = 4;

struct Pattern {
  std::string_view property;  // that has something to judge where the pattern stands
  int weight;                 // how often it is drawn, relative to the others
  int operations;             // in it
  int members_min;            // of a communicator on which it says something
  std::int64_t count_min;
  Operands operands;
  bool exact;                   // its results must be exact, to the bit
  bool (*applies)(Collective);  // the collectives that the property speaks of
  // Makes the first operation fit, and returns its twins.
  std::vector<Operation> (*twins)(Operation& first, RandomStream& stream);
};

// Single operations come first in the table, with weight 0: they are drawn anyway.
std::span<const Pattern> all_patterns();

// The pattern that gives the property something; a single operation for all other properties.
const Pattern& pattern_for(std::string_view property);

}  // namespace allprove
