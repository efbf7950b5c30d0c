#include "properties/table.h"

#include <array>

#include "properties/each.h"

namespace allprove {

std::span<const Property> all_properties() {
  // First what makes everything after it doubtful (memory overwritten, a rank gone or too early),
  // then the relations, from the most to the least particular, then the values by themselves.
  static const std::array<Property, 14> table = {
      kGuardIntact,
      kCompletes,
      kBarrierWaits,
      kInputUntouched,
      kMeanNeedsDivision,
      kInPlaceEqualsOutOfPlace,
      kNonblockingEqualsBlocking,
      kPermutationInvariant,
      kScalingLinear,
      kElementwise,
      kSplitEqualsWhole,
      kMatchesReference,
      kRanksAgree,
      kRepeatable,
  };
  return table;
}

const Property* find_property(std::string_view name) {
  for (const auto& property : all_properties()) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

}  // namespace allprove
