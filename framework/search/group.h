// The communicators of cases.
#pragma once

#include "framework/base/random.h"
#include "framework/model/case.h"

namespace allprove {

// The groups of one seed and world size come from a pool of so few that the communicators which the
// ranks keep get used again.
inline constexpr std::uint64_t kGroupPool = 12;

// An entry of the pool: duplicates of the world, or parts of it, each entry of another kind:
// contiguous, strided, reversed, shuffled, uneven, of one rank each, not covering the world.
Group pooled_group(std::uint64_t entry, int ranks, RandomStream& stream);

// Ranks in the largest part.
int members_max(const Group& group, int ranks);

// Removes groups that no operation names, except the world.
void drop_unused_groups(Case& test_case);

}  // namespace allprove
