// The classifier against small simulated worlds, where it is known who may still move: random
// programs with skipped and reordered calls and dying ranks, stepped one rank at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "faults/apply.h"
#include "faults/classify.h"
#include "framework/base/random.h"

namespace allprove {
namespace {

// When a simulated library lets a rank leave a call.
enum class Library {
  quick,   // as soon as the data that the rank needs can be there, whatever the calls are
  strict,  // when every member has entered the same call, and none died in it
};

class World {
 public:
  World(const Case& test_case, Library library) : case_(test_case), library_(library) {
    for (int rank = 0; rank < test_case.ranks; ++rank) {
      auto& state = states_.emplace_back();
      state.order = order_of(test_case, rank);
      state.position.entered.assign(test_case.groups.size(), 0);
      state.calls.resize(test_case.groups.size());
    }
  }

  std::vector<int> movable() const {
    std::vector<int> ranks;
    for (int rank = 0; rank < case_.ranks; ++rank) {
      if (can_move(rank)) ranks.push_back(rank);
    }
    return ranks;
  }
  bool someone_waits() const {
    return std::any_of(states_.begin(), states_.end(), [](const State& state) {
      return state.position.alive && state.position.phase == Phase::called;
    });
  }

  void move(int rank) {
    auto& state = of(rank);
    if (state.position.phase == Phase::called) {
      state.position.phase = Phase::idle;
    } else if (state.next == state.order.size()) {
      state.position.phase = Phase::finished;
    } else {
      enter(rank, state.order[state.next++]);
    }
  }
  void kill(int rank) { of(rank).position.alive = false; }

  std::vector<Position> positions() const {
    std::vector<Position> all;
    for (const auto& state : states_) all.push_back(state.position);
    return all;
  }

 private:
  struct State {
    std::vector<int> order;
    std::size_t next = 0;
    Position position;
    std::vector<std::vector<int>> calls;        // by group: the operations entered
    std::vector<std::pair<int, int>> requests;  // label and number of the call
  };

  State& of(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  const State& of(int rank) const { return states_[static_cast<std::size_t>(rank)]; }
  const Operation& program(int index) const {
    return case_.program[static_cast<std::size_t>(index)];
  }

  void enter(int rank, int index) {
    auto& state = of(rank);
    const auto& operation = program(index);
    const auto group = static_cast<std::size_t>(operation.group);
    state.position.operation = index;
    if (membership_of(case_, operation.group, rank).part < 0) return;
    if (enters_collective(operation.kind)) {
      state.calls[group].push_back(index);
      state.position.group = operation.group;
      state.position.call_number = ++state.position.entered[group];
      if (operation.kind == OperationKind::start) {
        state.requests.emplace_back(operation.request, state.position.call_number);
      }
      state.position.phase = Phase::called;
    } else {
      for (const auto& [label, number] : state.requests) {
        if (label != operation.request) continue;
        state.position.group = operation.group;
        state.position.call_number = number;
        state.position.phase = Phase::called;
      }
    }
  }

  bool can_move(int rank) const {
    const auto& position = of(rank).position;
    if (!position.alive || position.phase == Phase::finished) return false;
    if (position.phase == Phase::idle || program(position.operation).kind == OperationKind::start) {
      return true;
    }
    const auto members = membership_of(case_, position.group, rank).members;
    return std::all_of(members.begin(), members.end(),
                       [&](int member) { return lets_go(rank, member); });
  }

  bool lets_go(int rank, int member) const {
    const auto& here = of(rank).position;
    const auto group = static_cast<std::size_t>(here.group);
    const auto number = static_cast<std::size_t>(here.call_number - 1);
    const auto& mine = program(of(rank).calls[group][number]);
    const auto& theirs = of(member).calls[group];
    const bool entered = theirs.size() > number;
    if (library_ == Library::quick) return entered || !is_needed(mine, rank, member);
    const auto& there = of(member).position;
    const bool died_inside = !there.alive && there.phase == Phase::called &&
                             there.group == here.group && there.call_number == here.call_number;
    return entered && !died_inside && alike(mine, program(theirs[number]));
  }

  bool is_needed(const Operation& mine, int rank, int member) const {
    if (mine.collective == Collective::barrier) return true;
    if (count_of(mine) == 0) return false;
    if (mine.collective == Collective::all_reduce) return true;
    const auto members = membership_of(case_, mine.group, rank).members;
    const int root = members[static_cast<std::size_t>(mine.root) % members.size()];
    return mine.collective == Collective::broadcast ? member == root : rank == root;
  }
  static bool alike(const Operation& a, const Operation& b) {
    return a.collective == b.collective && a.mode == b.mode && a.shape == b.shape &&
           a.root == b.root;
  }

  const Case& case_;
  Library library_;
  std::vector<State> states_;
};

std::vector<Group> draw_groups(RandomStream& random, int ranks) {
  std::vector<Group> groups = {Group{}};
  if (random.chance(1, 2)) groups.push_back(Group{GroupKind::duplicate, {}});
  if (random.chance(1, 2)) {
    Group split{GroupKind::split, {{}, {}}};
    for (int rank = 0; rank < ranks; ++rank) {
      const auto part = random.below(3);
      if (part < 2) split.parts[part].push_back(rank);
    }
    std::erase_if(split.parts, [](const auto& part) { return part.empty(); });
    if (!split.parts.empty()) groups.push_back(split);
  }
  return groups;
}

void draw_call(RandomStream& random, Case& test_case, int label) {
  constexpr Collective kCollectives[] = {Collective::all_reduce, Collective::all_reduce,
                                         Collective::barrier, Collective::broadcast,
                                         Collective::reduce};
  Operation operation;
  operation.collective = kCollectives[random.below(std::size(kCollectives))];
  operation.group = static_cast<int>(random.below(test_case.groups.size()));
  if (operation.collective != Collective::barrier) {
    operation.shape = {static_cast<std::int64_t>(random.below(3))};
    if (operation.collective != Collective::all_reduce) {
      operation.root = static_cast<int>(random.below(2));
    }
  }
  if (random.chance(1, 4)) {
    operation.kind = OperationKind::start;
    operation.mode = Mode::nonblocking;
    operation.request = label;
    Operation wait;
    wait.kind = OperationKind::wait;
    wait.group = operation.group;
    wait.request = label;
    test_case.program.push_back(operation);
    test_case.program.push_back(wait);
  } else {
    test_case.program.push_back(operation);
  }
}

Case draw_case(RandomStream& random, bool with_fault) {
  Case test_case;
  test_case.ranks = static_cast<int>(random.between(1, 5));
  test_case.groups = draw_groups(random, test_case.ranks);
  const auto calls = random.between(1, 6);
  for (int label = 0; label < calls; ++label) draw_call(random, test_case, label);
  if (with_fault) {
    Fault fault;
    fault.kind = random.chance(1, 2) ? FaultKind::skip : FaultKind::reorder;
    fault.rank = static_cast<int>(random.below(static_cast<std::uint64_t>(test_case.ranks)));
    fault.operation = static_cast<int>(random.below(test_case.program.size()));
    test_case.faults = {fault};
  }
  return test_case;
}

struct Tally {
  int proven = 0;
  int presumed = 0;
  int steps = 0;
};

// Steps a world to its end, and checks every judgement on the way.
void check_run(const Case& test_case, Library library, std::optional<int> victim,
               RandomStream& random, Tally& tally) {
  Case told = test_case;
  told.faults.clear();
  World world(test_case, library);
  constexpr int kStepsMax = 1000;
  for (int step = 0; step < kStepsMax; ++step) {
    ++tally.steps;
    const auto movable = world.movable();
    const auto judgement = classify(told, world.positions());
    if (!movable.empty()) {
      // A quick library may move whenever it is possible at all: `proven` would be a lie. A strict
      // one moves only where even `presumed` would be one, or where calls in the past cannot be
      // told from the positions.
      ASSERT_NE(judgement.proof, Proof::proven) << describe(test_case);
      if (library == Library::strict && test_case.faults.empty()) {
        ASSERT_EQ(judgement.proof, Proof::none) << describe(test_case);
      }
    } else if (!world.someone_waits()) {
      ASSERT_EQ(judgement.proof, Proof::none) << describe(test_case);
      return;
    } else {
      if (library == Library::quick) {
        ASSERT_EQ(judgement.proof, Proof::proven) << describe(test_case);
      } else {
        ASSERT_NE(judgement.proof, Proof::none) << describe(test_case);
      }
      (judgement.proof == Proof::proven ? tally.proven : tally.presumed)++;
      const auto culprit = victim ? *victim : test_case.faults.at(0).rank;
      ASSERT_EQ(judgement.blame, std::vector<int>{culprit}) << describe(test_case) << "\n"
                                                            << judgement.diagnosis;
      ASSERT_NE(judgement.diagnosis.find(fmt::format("rank {} ", culprit)), std::string::npos)
          << judgement.diagnosis;
      return;
    }
    if (victim && random.chance(1, 8)) {
      world.kill(*victim);
    } else {
      world.move(movable[random.below(movable.size())]);
    }
  }
  FAIL() << "the simulation does not end";
}

constexpr int kRuns = 5000;

TEST(ClassifySimulation, NeverStopsAWorldWithoutFaults) {
  Tally tally;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(hash_at(1, static_cast<std::uint64_t>(run)));
    const auto test_case = draw_case(random, false);
    const auto library = random.chance(1, 2) ? Library::quick : Library::strict;
    ASSERT_NO_FATAL_FAILURE(check_run(test_case, library, std::nullopt, random, tally));
  }
  EXPECT_EQ(tally.proven + tally.presumed, 0);
}

TEST(ClassifySimulation, FindsStandstillsOfSkippedAndReorderedCallsAndTheirCulprit) {
  Tally tally;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(hash_at(2, static_cast<std::uint64_t>(run)));
    const auto test_case = draw_case(random, true);
    const auto library = random.chance(1, 2) ? Library::quick : Library::strict;
    ASSERT_NO_FATAL_FAILURE(check_run(test_case, library, std::nullopt, random, tally));
  }
  EXPECT_GT(tally.proven, kRuns / 20);
  EXPECT_GT(tally.presumed, kRuns / 100);
}

TEST(ClassifySimulation, FindsStandstillsOfDeadRanks) {
  Tally tally;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(hash_at(3, static_cast<std::uint64_t>(run)));
    const auto test_case = draw_case(random, false);
    const auto victim = static_cast<int>(random.below(static_cast<std::uint64_t>(test_case.ranks)));
    const auto library = random.chance(1, 2) ? Library::quick : Library::strict;
    ASSERT_NO_FATAL_FAILURE(check_run(test_case, library, victim, random, tally));
  }
  EXPECT_GT(tally.proven, kRuns / 20);
  EXPECT_GT(tally.presumed, kRuns / 100);
}

}  // namespace
}  // namespace allprove
