// What a fault of the call makes of a rank's program. The worker applies it; what the world makes
// of that is for the classifier to say, which never sees the faults.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/model/case.h"

namespace allprove {

// The indices of the operations that the rank really runs, in the order in which it runs them.
//   skip     the operation is left out
//   reorder  the next operation that enters a collective comes before it
std::vector<int> order_of(const Case& test_case, int rank);

// How long the rank waits before the operation: the sum of its `late` faults, in microseconds.
std::int64_t lateness_us(const Case& test_case, int rank, int operation);

}  // namespace allprove
