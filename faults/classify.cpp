#include "faults/classify.h"

#include <algorithm>

#include "faults/diagnose.h"
#include "faults/standstill.h"

namespace allprove {
namespace {

// Whose data a member's own result depends on: without it the call cannot end, in any library.
enum class Needs { everyone, root, everyone_at_root, those_before, nobody };

Needs needs_of(Collective collective) {
  switch (collective) {
    case Collective::barrier:
    case Collective::all_reduce:
    case Collective::reduce_scatter_block:
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::all_to_all:
      return Needs::everyone;
    case Collective::broadcast:
    case Collective::scatter:
    case Collective::scatterv:
      return Needs::root;
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
      return Needs::everyone_at_root;
    case Collective::scan:
    case Collective::exscan:
      return Needs::those_before;
    // Which pairs exchange data depends on counts and neighbors that are not looked at here.
    case Collective::all_gatherv:
    case Collective::all_to_allv:
    case Collective::all_to_allw:
    case Collective::neighbor_all_gather:
    case Collective::neighbor_all_gatherv:
    case Collective::neighbor_all_to_all:
    case Collective::neighbor_all_to_allv:
    case Collective::neighbor_all_to_allw:
      return Needs::nobody;
  }
  return Needs::nobody;
}

// Whether the member at `position` of a part of `size` needs the one at `other` for its result.
bool needs(const Operation& operation, int position, int other, int size) {
  // A library may return at once from a call on nothing.
  if (traits_of(operation.collective).moves_data && largest_block(operation) == 0) return false;
  const int root = operation.root % size;
  switch (needs_of(operation.collective)) {
    case Needs::everyone:
      return true;
    case Needs::root:
      return other == root;
    case Needs::everyone_at_root:
      return position == root;
    case Needs::those_before:
      return other < position;
    case Needs::nobody:
      return false;
  }
  return false;
}

bool has_come(const Standstill& world, int rank, int member) {
  return world.entered(member, world.at(rank).group) >= world.at(rank).call_number;
}

bool holds_up_in_principle(const Standstill& world, int rank, int member) {
  const int group = world.at(rank).group;
  const int index = world.waited_operation(rank);
  if (index < 0 || has_come(world, rank, member)) return false;
  return needs(world.test_case().program[static_cast<std::size_t>(index)],
               world.position_in(group, rank), world.position_in(group, member),
               static_cast<int>(world.members(group, rank).size()));
}

bool died_in_it(const Standstill& world, int rank, int member) {
  const auto& here = world.at(rank);
  const auto& there = world.at(member);
  return !there.alive && there.phase == Phase::called && there.group == here.group &&
         there.call_number == here.call_number;
}

// Whether the call that the member entered under the same number is like the rank's. For a member
// that is past it, the program tells, give or take the calls by which it deviates.
bool fits(const Standstill& world, int rank, int member) {
  const auto& here = world.at(rank);
  const auto& there = world.at(member);
  const auto& program = world.test_case().program;
  const auto fits_one = [&](int mine, int theirs) {
    return mine < 0 || theirs < 0 ||
           fit(program[static_cast<std::size_t>(mine)], program[static_cast<std::size_t>(theirs)]);
  };
  const int mine = world.waited_operation(rank);
  if (world.waits(member) && there.group == here.group && there.call_number == here.call_number) {
    return fits_one(mine, world.waited_operation(member));
  }
  const auto& calls = world.calls_on(here.group);
  const int reach = std::abs(world.deviation(member, here.group));
  const int first = std::max(here.call_number - 1 - reach, 0);
  const int last = std::min(here.call_number - 1 + reach, static_cast<int>(calls.size()) - 1);
  for (int i = first; i <= last; ++i) {
    if (!fits_one(mine, calls[static_cast<std::size_t>(i)])) return false;
  }
  return true;
}

bool holds_up_as_built(const Standstill& world, int rank, int member) {
  return !has_come(world, rank, member) || died_in_it(world, rank, member) ||
         !fits(world, rank, member);
}

using HoldsUp = bool (*)(const Standstill& world, int rank, int member);

// Whether the rank may take its next step.
bool may_go_on(const Standstill& world, int rank, HoldsUp holds_up) {
  if (!world.active(rank)) return false;
  if (!world.waits(rank)) return true;
  const auto& members = world.members(world.at(rank).group, rank);
  return std::none_of(members.begin(), members.end(),
                      [&](int member) { return holds_up(world, rank, member); });
}

// When none may, none ever will.
bool any_may_go_on(const Standstill& world, HoldsUp holds_up) {
  for (int rank = 0; rank < world.ranks(); ++rank) {
    if (may_go_on(world, rank, holds_up)) return true;
  }
  return false;
}

// Whether the rank has yet to enter the call in which another waits.
bool keeps_waiting(const Standstill& world, int rank, int other) {
  if (!world.waits(other)) return false;
  const auto& members = world.members(world.at(other).group, other);
  return std::find(members.begin(), members.end(), rank) != members.end() &&
         !has_come(world, other, rank);
}

// Whether another has left the call in which the rank waits, or is past the case.
bool is_left_by(const Standstill& world, int rank, int other) {
  if (!world.at(other).alive) return false;
  if (!world.waits(rank)) return world.at(other).phase == Phase::finished;
  const auto& here = world.at(rank);
  const auto& there = world.at(other);
  const auto& members = world.members(here.group, rank);
  if (std::find(members.begin(), members.end(), other) == members.end()) return false;
  const bool inside =
      world.waits(other) && there.group == here.group && there.call_number == here.call_number;
  return has_come(world, rank, other) && !inside;
}

// Ranks that nobody holds up, and that do not go on where the others have, or wait for them; also
// one that alone could go on.
std::vector<int> stalled(const Standstill& world) {
  std::vector<int> ranks;
  std::vector<int> free;
  for (int rank = 0; rank < world.ranks(); ++rank) {
    if (!may_go_on(world, rank, holds_up_as_built)) continue;
    free.push_back(rank);
    for (int other = 0; other < world.ranks(); ++other) {
      if (!keeps_waiting(world, rank, other) && !is_left_by(world, rank, other)) continue;
      ranks.push_back(rank);
      break;
    }
  }
  return ranks.empty() && free.size() == 1 ? free : ranks;
}

}  // namespace

Judgement classify(const Case& test_case, const std::vector<Position>& positions) {
  const Standstill world(test_case, positions);
  bool someone_waits = false;
  for (int rank = 0; rank < world.ranks(); ++rank) someone_waits |= world.waits(rank);
  Judgement judgement;
  judgement.blame = blame_of(world);
  if (someone_waits && !any_may_go_on(world, holds_up_as_built)) {
    judgement.proof = any_may_go_on(world, holds_up_in_principle) ? Proof::presumed : Proof::proven;
  } else {
    if (judgement.blame.empty()) judgement.blame = stalled(world);
    if (judgement.blame.empty()) return {};
  }
  judgement.diagnosis = diagnosis_of(world, judgement.blame);
  return judgement;
}

}  // namespace allprove
