// The positions of a world's ranks, with the case's groups and order worked out: who meets whom in
// which call, and who is not where the program would have it. Used by the classifier.
#pragma once

#include <vector>

#include "framework/model/case.h"
#include "framework/model/position.h"

namespace allprove {

class Standstill {
 public:
  // Both must outlive it. One position for every rank of the case.
  Standstill(const Case& test_case, const std::vector<Position>& positions);

  const Case& test_case() const { return test_case_; }
  int ranks() const { return test_case_.ranks; }
  int groups() const { return static_cast<int>(test_case_.groups.size()); }
  const Position& at(int rank) const { return positions_[static_cast<std::size_t>(rank)]; }

  bool active(int rank) const { return at(rank).alive && at(rank).phase != Phase::finished; }
  // Inside a collective call or waiting for one; what it waits for is waited_operation().
  bool waits(int rank) const;
  // The operation whose collective the rank is in: its own, or the start of what it waits for.
  int waited_operation(int rank) const;

  // The members of the rank's part of the group, by position; empty when it is in none.
  const std::vector<int>& members(int group, int rank) const;
  int position_in(int group, int rank) const;
  int entered(int rank, int group) const;
  bool entered_any(int rank) const;  // call at all

  // Calls that the rank has entered on the group, less those that the program has up to where the
  // rank is: below 0 when it left calls out, above when it made more or made them early. 0 where
  // that cannot be told: while it makes communicators, and once it is past the case.
  int deviation(int rank, int group) const;
  bool deviates(int rank) const;

  // Operations of the program that are the rank's calls on the group, in order.
  const std::vector<int>& calls_on(int group) const;

 private:
  int oldest_request(int rank) const;
  bool makes_communicators(int rank) const;
  bool member_of(int group, int rank) const { return !members(group, rank).empty(); }

  const Case& test_case_;
  const std::vector<Position>& positions_;
  std::vector<std::vector<std::vector<int>>> parts_;  // by group; members by position
  std::vector<std::vector<int>> part_of_;             // by group and rank; -1: in none
  std::vector<std::vector<int>> position_;            // by group and rank
  std::vector<std::vector<int>> calls_on_;            // by group: indices into the program
};

// Whether two operations, met as one call, are the same as far as a library's messages go: another
// collective, mode, root, size or algorithm may send others.
bool fit(const Operation& a, const Operation& b);

}  // namespace allprove
