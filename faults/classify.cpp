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
  if (traits_of(operation.collective).moves_data && count_of(operation) == 0) return false;
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

enum class Sense { in_principle, as_built };

// What a rank that waits finds of another member of its call.
enum class Found { nothing_to_wait_for, may_come, never };

class Prospects {
 public:
  Prospects(const Standstill& world, Sense sense) : world_(world), sense_(sense) {
    for (int rank = 0; rank < world.ranks(); ++rank) {
      may_.push_back(world.active(rank) && !world.waits(rank));
    }
    for (bool grew = true; grew;) {
      grew = false;
      for (int rank = 0; rank < world.ranks(); ++rank) {
        if (may(rank) || !world.waits(rank) || !all_may_come(rank)) continue;
        may_[static_cast<std::size_t>(rank)] = grew = true;
      }
    }
  }

  bool any() const { return std::find(may_.begin(), may_.end(), true) != may_.end(); }

 private:
  bool may(int rank) const { return may_[static_cast<std::size_t>(rank)]; }

  bool all_may_come(int rank) const {
    const auto& members = world_.members(world_.at(rank).group, rank);
    return std::none_of(members.begin(), members.end(), [&](int member) {
      if (member == rank) return false;
      const auto found =
          sense_ == Sense::in_principle ? in_principle(rank, member) : as_built(rank, member);
      return found == Found::never || (found == Found::may_come && !may(member));
    });
  }

  Found arrival(int rank, int member) const {
    const auto& position = world_.at(rank);
    if (world_.entered(member, position.group) >= position.call_number) {
      return Found::nothing_to_wait_for;
    }
    return world_.active(member) ? Found::may_come : Found::never;
  }

  Found in_principle(int rank, int member) const {
    const int group = world_.at(rank).group;
    const int index = world_.waited_operation(rank);
    if (index < 0) return Found::nothing_to_wait_for;
    const auto& operation = world_.test_case().program[static_cast<std::size_t>(index)];
    const auto size = static_cast<int>(world_.members(group, rank).size());
    if (!needs(operation, world_.position_in(group, rank), world_.position_in(group, member),
               size)) {
      return Found::nothing_to_wait_for;
    }
    return arrival(rank, member);
  }

  Found as_built(int rank, int member) const {
    const auto found = arrival(rank, member);
    if (found != Found::nothing_to_wait_for) return found;
    return died_in_it(rank, member) || !fits(rank, member) ? Found::never : found;
  }

  bool died_in_it(int rank, int member) const {
    const auto& there = world_.at(member);
    return !there.alive && there.phase == Phase::called && there.group == world_.at(rank).group &&
           there.call_number == world_.at(rank).call_number;
  }

  // Whether the call that the member entered under the same number is like the rank's. For a member
  // that is past it, the program tells, give or take the calls by which it deviates.
  bool fits(int rank, int member) const {
    const auto& here = world_.at(rank);
    const auto& there = world_.at(member);
    const auto& program = world_.test_case().program;
    const auto fits_one = [&](int mine, int theirs) {
      return mine < 0 || theirs < 0 ||
             fit(program[static_cast<std::size_t>(mine)],
                 program[static_cast<std::size_t>(theirs)]);
    };
    const int mine = world_.waited_operation(rank);
    if (world_.waits(member) && there.group == here.group &&
        there.call_number == here.call_number) {
      return fits_one(mine, world_.waited_operation(member));
    }
    const auto& calls = world_.calls_on(here.group);
    const int reach = std::abs(world_.deviation(member, here.group));
    const int first = std::max(here.call_number - 1 - reach, 0);
    const int last = std::min(here.call_number - 1 + reach, static_cast<int>(calls.size()) - 1);
    for (int i = first; i <= last; ++i) {
      if (!fits_one(mine, calls[static_cast<std::size_t>(i)])) return false;
    }
    return true;
  }

  const Standstill& world_;
  Sense sense_;
  std::vector<bool> may_;
};

}  // namespace

Judgement classify(const Case& test_case, const std::vector<Position>& positions) {
  const Standstill world(test_case, positions);
  bool someone_waits = false;
  for (int rank = 0; rank < world.ranks(); ++rank) someone_waits |= world.waits(rank);
  if (!someone_waits || Prospects(world, Sense::as_built).any()) return {};
  Judgement judgement;
  judgement.proof = Prospects(world, Sense::in_principle).any() ? Proof::presumed : Proof::proven;
  judgement.blame = blame_of(world);
  judgement.diagnosis = diagnosis_of(world, judgement.blame);
  return judgement;
}

}  // namespace allprove
