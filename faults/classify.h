// What can be said of a world that has come to rest, from the positions and ends of its ranks
// alone.
//
// A rank inside a collective call, or waiting for one, can take its next step when nobody holds it
// up. When no rank can, none ever will. Whether one is held up is asked in two ways:
//  - In principle: a member whose data the rank's result needs has not entered as many calls on
//    that communicator, whatever it called. When every rank is held up so, the deadlock is
//    `proven`.
//  - As libraries are built: any member that has not entered as many calls, entered one that does
//    not fit, or died in it. When every rank is held up so, the deadlock is `presumed`: such calls
//    may also complete.
// As long as some rank may take a step, nothing is proven or presumed; should it not take it by its
// deadline, those are blamed who may go on and for whom others wait, or who are left behind alone.
#pragma once

#include "framework/model/judgement.h"

namespace allprove {

// The Judge of the product. Blames the ranks that are not where the program's order would have
// them, those that died where others wait for them, and those that are stopped; where there are
// none, see above. Positions: one for every rank of the case.
Judgement classify(const Case& test_case, const std::vector<Position>& positions);

}  // namespace allprove
