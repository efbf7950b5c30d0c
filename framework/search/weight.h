// The order by which one case is simpler than another.
#pragma once

#include <array>
#include <cstdint>

#include "framework/model/case.h"

namespace allprove {

// Compared from the first number on: ranks, operations, faults, groups, elements, how far the
// operations are from plain calls, and the sizes of the numbers in them. None is negative, so no
// chain of ever lighter cases is endless.
using Weight = std::array<std::int64_t, 7>;
Weight weight_of(const Case& test_case);

// How far from simple a dtype and an operator are; 0 is simplest.
int rank_of(Collective collective);
int rank_of(Dtype dtype);
int rank_of(Op op);

}  // namespace allprove
