// Which collectives a group's communicator has, by the MPI standard (4.0, 5.2.3 and 8.6).
#pragma once

#include "framework/model/case.h"

namespace allprove {

// The sides of an intercommunicator scatter as many elements to each other (6.10.1, 6.10.2): blocks
// that follow from one operation's counts do so where both have as many ranks.
bool may_run_on(const Group& group, const Operation& operation);

}  // namespace allprove
