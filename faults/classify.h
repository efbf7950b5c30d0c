// What can be said of a world that has come to rest, from the positions and ends of its ranks
// alone.
//
// Two questions are asked, each by the least fixpoint of "this rank may still go on":
//  - In principle? A rank inside a collective call, or waiting for one, may go on when the members
//    whose data its result needs have entered as many calls on that communicator, whatever they
//    called; a member that has not may still come if it may go on itself, and one that is dead or
//    finished never comes. When no rank may go on in principle, the deadlock is `proven`.
//  - As libraries are built? They make every member of a call wait for every other, calls that do
//  not
//    fit each other block, and a member that died in the call may not have given its part. When no
//    rank may go on in that sense either, it is `presumed`: such calls may also complete.
// As long as some rank may go on, nothing is said.
#pragma once

#include "framework/model/judgement.h"

namespace allprove {

// The Judge of the product. Blames the ranks that are not where the program's order would have
// them, and those that died where others wait for them. Positions: one for every rank of the case.
Judgement classify(const Case& test_case, const std::vector<Position>& positions);

}  // namespace allprove
