#include "faults/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "framework/model/wording.h"

namespace allprove {
namespace {

// Members of the rank's call that have not entered it yet.
std::vector<int> missing_for(const Standstill& world, int rank) {
  const auto& here = world.at(rank);
  std::vector<int> missing;
  for (const int member : world.members(here.group, rank)) {
    if (world.entered(member, here.group) < here.call_number) missing.push_back(member);
  }
  std::sort(missing.begin(), missing.end());
  return missing;
}

// Members that are in the call of the same number, with one that does not fit.
std::vector<int> strangers_of(const Standstill& world, int rank) {
  const auto& here = world.at(rank);
  const auto& program = world.test_case().program;
  const int mine = world.waited_operation(rank);
  std::vector<int> strangers;
  if (mine < 0) return strangers;
  for (const int member : world.members(here.group, rank)) {
    const auto& there = world.at(member);
    if (!world.waits(member) || there.group != here.group ||
        there.call_number != here.call_number) {
      continue;
    }
    const int theirs = world.waited_operation(member);
    if (theirs >= 0 &&
        !fit(program[static_cast<std::size_t>(mine)], program[static_cast<std::size_t>(theirs)])) {
      strangers.push_back(member);
    }
  }
  std::sort(strangers.begin(), strangers.end());
  return strangers;
}

// Tells one standstill, each operation in full the first time that it is mentioned.
class Teller {
 public:
  explicit Teller(const Standstill& world) : world_(world) {}

  std::string tell(const std::vector<int>& blame) {
    for (const int rank : blame) tell_culprit(rank);
    tell_waiting();
    return fmt::format("{}", fmt::join(sentences_, "; "));
  }

 private:
  void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  std::string name(int operation) {
    return mentioned_.insert(operation).second ? operation_text(world_.test_case(), operation)
                                               : fmt::format("operation {}", operation);
  }

  void tell_culprit(int rank) {
    const auto& position = world_.at(rank);
    if (!position.alive) {
      const bool inside = position.phase == Phase::called;
      if (position.operation < 0 || (!inside && !world_.entered_any(rank))) {
        say(fmt::format("rank {} ended before its first call", rank));
      } else {
        say(fmt::format("rank {} ended {} {}", rank, inside ? "in" : "after",
                        name(position.operation)));
      }
    }
    for (int group = 0; group < world_.groups(); ++group) {
      const int deviation = world_.deviation(rank, group);
      if (deviation < 0) tell_left_out(rank, group, -deviation);
      if (deviation > 0) {
        say(fmt::format("rank {} has entered {} more on group {} than the program has up to there",
                        rank, deviation == 1 ? "one call" : fmt::format("{} calls", deviation),
                        group));
      }
    }
    if (position.alive && position.phase == Phase::finished) {
      say(fmt::format("rank {} makes no further call", rank));
    }
    if (position.stopped) say(fmt::format("rank {} is stopped", rank));
    if (world_.active(rank) && !world_.deviates(rank)) tell_place_of(rank);
  }

  void tell_place_of(int rank) {
    const auto& position = world_.at(rank);
    if (world_.waits(rank)) {
      if (missing_for(world_, rank).empty()) {
        say(fmt::format("rank {} does not return from {}", rank, name(position.operation)));
        placed_.insert(rank);
      }
    } else if (position.operation < 0) {
      say(fmt::format("rank {} has not made its first call", rank));
    } else {
      say(fmt::format("rank {} does not go on {} {}", rank,
                      position.phase == Phase::called ? "in" : "after", name(position.operation)));
    }
  }

  // Which call the rank left out, as far as it shows. Positions are numbers of calls: an earlier
  // one may be missing, and calls that met in its place have gone through.
  void tell_left_out(int rank, int group, int count) {
    const auto& calls = world_.calls_on(group);
    const int entered = world_.entered(rank, group);
    if (count > 1) {
      say(fmt::format("rank {} has entered {} of the {} calls on group {} that were due", rank,
                      entered, entered + count, group));
      return;
    }
    const int last = last_call_is_early(rank, group) ? entered - 1 : entered;
    const auto left_out = name(calls[static_cast<std::size_t>(last)]);
    say(last == 0 ? fmt::format("rank {} never entered {}", rank, left_out)
                  : fmt::format("rank {} left out {} or a call before it on group {}", rank,
                                left_out, group));
  }

  // Whether the last call that the rank entered on the group is known to be one that the program
  // has later.
  bool last_call_is_early(int rank, int group) const {
    const auto& here = world_.at(rank);
    const auto& calls = world_.calls_on(group);
    if (!world_.waits(rank) || here.group != group || here.call_number < 1 ||
        here.call_number != world_.entered(rank, group)) {
      return false;
    }
    return world_.waited_operation(rank) != calls[static_cast<std::size_t>(here.call_number - 1)];
  }

  void tell_waiting() {
    // Ranks that wait in the same place, in the order of their first rank.
    std::map<std::vector<int>, std::vector<int>> by_place;
    for (int rank = 0; rank < world_.ranks(); ++rank) {
      if (!world_.waits(rank) || placed_.count(rank) != 0) continue;
      const auto& here = world_.at(rank);
      by_place[{here.operation, here.group, here.call_number,
                world_.members(here.group, rank).front()}]
          .push_back(rank);
    }
    constexpr std::size_t kPlacesTold = 8;
    std::size_t told = 0;
    for (const auto& [place, ranks] : by_place) {
      if (told++ == kPlacesTold) {
        say(fmt::format("ranks wait in {} more places", by_place.size() - kPlacesTold));
        return;
      }
      tell_place(ranks);
    }
  }

  void tell_place(const std::vector<int>& ranks) {
    const int first = ranks.front();
    const int operation = world_.at(first).operation;
    const int call = world_.waited_operation(first);
    auto text = fmt::format("{} wait{} in {}", ranks_text(ranks), ranks.size() == 1 ? "s" : "",
                            name(operation));
    if (call >= 0 && call != operation) text += " of " + name(call);
    if (const auto missing = missing_for(world_, first); !missing.empty()) {
      text += " for " + ranks_text(missing);
    } else if (const auto strangers = strangers_of(world_, first); !strangers.empty()) {
      text += fmt::format(" and met another call there, of {}", ranks_text(strangers));
    }
    say(std::move(text));
  }

  const Standstill& world_;
  std::set<int> mentioned_;  // operations
  std::set<int> placed_;     // ranks of which it is told where they wait
  std::vector<std::string> sentences_;
};

// Whether another rank waits in a call that this one has not entered, or died in.
bool is_awaited(const Standstill& world, int rank) {
  for (int other = 0; other < world.ranks(); ++other) {
    if (!world.waits(other)) continue;
    const auto& call = world.at(other);
    const auto& members = world.members(call.group, other);
    if (std::find(members.begin(), members.end(), rank) == members.end()) continue;
    const auto& there = world.at(rank);
    const bool died_inside = there.phase == Phase::called && there.group == call.group &&
                             there.call_number == call.call_number;
    if (world.entered(rank, call.group) < call.call_number || died_inside) return true;
  }
  return false;
}

}  // namespace

std::vector<int> blame_of(const Standstill& world) {
  std::vector<int> blame;
  for (int rank = 0; rank < world.ranks(); ++rank) {
    const bool died = !world.at(rank).alive && is_awaited(world, rank);
    const bool stopped = world.at(rank).stopped && world.active(rank);
    if (died || stopped || world.deviates(rank)) blame.push_back(rank);
  }
  return blame;
}

std::string diagnosis_of(const Standstill& world, const std::vector<int>& blame) {
  return Teller(world).tell(blame);
}

}  // namespace allprove
