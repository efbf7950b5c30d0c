// Whose blocks make a member's result. Found by this backend's own way from what a case says of a
// communicator: the oracle has another.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/model/case.h"

namespace allprove::reference {

// A block that some member gives; nobody's where `from` is negative.
struct Origin {
  int from = -1;
  std::size_t block = 0;
};

// Consecutive members.
struct Side {
  int begin = 0;
  int size = 0;
};

// What a member is to the others of one communicator. An intercommunicator's members are those of
// both sides, one side after the other; of any other, all are on both.
struct Relations {
  Side own;
  Side other;
  // Of a topology: whose block comes in each place of the result, and whether there is somebody for
  // each place of what is given.
  std::vector<Origin> incoming;
  std::vector<bool> outgoing;
};

// Of a part of a group, or of both parts of an intercommunicator.
Relations relations_of(const Group& group, const Membership& membership);

}  // namespace allprove::reference
