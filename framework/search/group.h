// The communicators of cases.
#pragma once

#include "framework/base/random.h"
#include "framework/model/case.h"

namespace allprove {

// A group other than the world: a duplicate of it, or parts of it, contiguous, strided, reversed,
// shuffled, uneven, of one rank each, or not covering the world.
Group draw_group(int ranks, RandomStream& stream);

// Ranks in the largest part.
int members_max(const Group& group, int ranks);

// Removes groups that no operation names, except the world.
void drop_unused_groups(Case& test_case);

}  // namespace allprove
