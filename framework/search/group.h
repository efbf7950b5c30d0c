// The communicators of cases.
#pragma once

#include "framework/base/random.h"
#include "framework/model/case.h"

namespace allprove {

// The groups of one seed and world size come from a pool of so few that the communicators which the
// ranks keep get used again. These are its entries.
struct PoolEntries {
  std::uint64_t first;
  std::uint64_t count;
};
// Parts of the world (contiguous, strided, reversed, shuffled, uneven, of one rank each, not
// covering the world), then duplicates of it. What follows has a topology, or two sides.
inline constexpr PoolEntries kPlainGroups = {0, 12};
inline constexpr std::uint64_t kDuplicateGroup = 11;
inline constexpr PoolEntries kCartesianGroups = {12, 7};
inline constexpr PoolEntries kGraphGroups = {19, 6};
inline constexpr PoolEntries kInterGroups = {25, 4};  // duplicates, in a world of one

// An entry of the pool, each of another kind.
Group pooled_group(std::uint64_t entry, int ranks, RandomStream& stream);

// Ranks in the largest part.
int members_max(const Group& group, int ranks);

// Removes groups that no operation names, except the world.
void drop_unused_groups(Case& test_case);

}  // namespace allprove
