// Series: many small calls of one kind. Some things go wrong only in the hundredth call, or in one
// of a hundred.
#pragma once

#include <vector>

#include "framework/base/random.h"
#include "framework/model/case.h"

namespace allprove {

// Few elements, where there are more.
void make_small(Operation& call, RandomStream& stream);

// At most `calls_max` such calls, each with data of its own; what they start is completed. The
// communicator of some is made anew again and again.
std::vector<Operation> series_of(Operation call, int calls_max, RandomStream& stream);

}  // namespace allprove
