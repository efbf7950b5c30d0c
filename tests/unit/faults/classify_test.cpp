// The classifier's table of truth, by hand-made positions. classify_simulation_test.cpp checks it
// against a simulated world.
#include "faults/classify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Operation call_of(Collective collective, int group = 0, std::int64_t count = 8) {
  Operation operation;
  operation.collective = collective;
  operation.group = group;
  if (traits_of(collective).moves_data) operation.shape = {count};
  return operation;
}

Operation sum(std::int64_t count = 8, int group = 0) {
  return call_of(Collective::all_reduce, group, count);
}

Case case_of(int ranks, std::vector<Operation> program, std::vector<Group> groups = {Group{}}) {
  Case test_case;
  test_case.ranks = ranks;
  test_case.program = std::move(program);
  test_case.groups = std::move(groups);
  return test_case;
}

// In the call of `operation`, which is number `number` on the group.
Position in(int operation, int number, int group = 0, std::vector<int> entered = {}) {
  Position position;
  position.phase = Phase::called;
  position.operation = operation;
  position.group = group;
  position.call_number = number;
  if (entered.empty()) entered = {number};
  position.entered = std::move(entered);
  return position;
}
Position idle(int operation, int entered) {
  Position position;
  position.operation = operation;
  position.entered = {entered};
  return position;
}
Position finished(int operation, int entered) {
  auto position = idle(operation, entered);
  position.phase = Phase::finished;
  return position;
}
Position dead(Position position) {
  position.alive = false;
  return position;
}

TEST(Classify, SaysNothingWhileARankIsBetweenOperations) {
  const auto test_case = case_of(3, {sum(), sum()});
  EXPECT_EQ(classify(test_case, {in(0, 1), in(0, 1), idle(-1, 0)}).proof, Proof::none);
  EXPECT_EQ(classify(test_case, {in(1, 2), in(1, 2), idle(0, 1)}).proof, Proof::none);
}

TEST(Classify, SaysNothingWhenAllAreInTheSameCall) {
  const auto test_case = case_of(3, {sum()});
  const auto judgement = classify(test_case, {in(0, 1), in(0, 1), in(0, 1)});
  EXPECT_EQ(judgement.proof, Proof::none);
  EXPECT_THAT(judgement.blame, IsEmpty());
  EXPECT_EQ(judgement.diagnosis, "");
}

TEST(Classify, SaysNothingOfARankThatIsLateToLeave) {
  const auto test_case = case_of(2, {sum(), sum(16)});
  EXPECT_EQ(classify(test_case, {in(0, 1), in(1, 2)}).proof, Proof::none);
  EXPECT_EQ(classify(test_case, {in(0, 1), finished(1, 2)}).proof, Proof::none);
}

TEST(Classify, BlamesTheOneWhoMayGoOnForALackOfMovement) {
  const auto test_case = case_of(3, {sum(), sum(16)});
  const auto late = classify(test_case, {in(1, 2), idle(0, 1), in(1, 2)});
  EXPECT_EQ(late.proof, Proof::none);
  EXPECT_THAT(late.blame, ElementsAre(1));
  EXPECT_EQ(late.diagnosis,
            "rank 1 does not go on after operation 0 all_reduce(int32[8], sum); ranks 0, 2 wait in "
            "operation 1 all_reduce(int32[16], sum) for rank 1");
  const auto inside = classify(test_case, {in(1, 2), in(0, 1), in(1, 2)});
  EXPECT_THAT(inside.blame, ElementsAre(1));
  EXPECT_THAT(inside.diagnosis, HasSubstr("rank 1 does not return from operation 0"));
  const auto last = classify(test_case, {finished(1, 2), finished(1, 2), in(1, 2)});
  EXPECT_THAT(last.blame, ElementsAre(2));
  const auto never = classify(test_case, {in(0, 1), in(0, 1), idle(-1, 0)});
  EXPECT_THAT(never.blame, ElementsAre(2));
  EXPECT_THAT(never.diagnosis, HasSubstr("rank 2 has not made its first call"));
  EXPECT_THAT(classify(case_of(1, {sum()}), {in(0, 1)}).blame, ElementsAre(0));
}

// It cannot return before the oldest request is done, whatever else it waits for.
TEST(Classify, AWaitForAllRequestsWaitsForTheOldestOne) {
  auto first = sum();
  first.kind = OperationKind::start;
  first.mode = Mode::nonblocking;
  first.request = 0;
  auto second = first;
  second.request = 1;
  Operation all;
  all.kind = OperationKind::wait_all;
  const auto judgement =
      classify(case_of(2, {first, second, all}), {in(2, 1, 0, {2}), finished(2, 0)});
  EXPECT_EQ(judgement.proof, Proof::proven);
  EXPECT_THAT(judgement.blame, ElementsAre(1));
}

TEST(Classify, AThreadIsNotMeasuredByAnothersProgress) {
  auto elsewhere = sum(8, 1);
  elsewhere.thread = 1;
  const auto test_case = case_of(2, {elsewhere, sum()}, {Group{}, {GroupKind::duplicate, {}}});
  const auto early = in(1, 1, 0, {1, 0});  // thread 1 has not begun
  EXPECT_EQ(classify(test_case, {early, early}).proof, Proof::none);
}

TEST(Classify, BlamesAStoppedRankInACallThatAllAreIn) {
  auto stopped = in(0, 1);
  stopped.stopped = true;
  const auto judgement = classify(case_of(3, {sum()}), {in(0, 1), stopped, in(0, 1)});
  EXPECT_EQ(judgement.proof, Proof::none);
  EXPECT_THAT(judgement.blame, ElementsAre(1));
  EXPECT_THAT(judgement.diagnosis, HasSubstr("rank 1 is stopped"));
}

TEST(Classify, SaysNothingWhenNobodyIsLeft) {
  const auto test_case = case_of(2, {sum()});
  EXPECT_EQ(classify(test_case, {finished(0, 1), finished(0, 1)}).proof, Proof::none);
  EXPECT_EQ(classify(test_case, {finished(0, 1), dead(in(0, 1))}).proof, Proof::none);
}

TEST(Classify, SaysNothingWhileARankStartsOrDelays) {
  auto start = sum();
  start.kind = OperationKind::start;
  start.mode = Mode::nonblocking;
  start.request = 1;
  Operation delay;
  delay.kind = OperationKind::delay;
  EXPECT_EQ(classify(case_of(2, {start, sum()}), {in(1, 2), in(0, 1)}).proof, Proof::none);
  EXPECT_EQ(classify(case_of(2, {delay, sum()}), {in(1, 1), in(0, 0, -1)}).proof, Proof::none);
}

TEST(Classify, ProvesAWaitForARankThatSkippedAndFinished) {
  const auto test_case = case_of(3, {sum(), sum(1024)});
  const auto judgement = classify(test_case, {in(1, 2), finished(1, 1), in(1, 2)});
  EXPECT_EQ(judgement.proof, Proof::proven);
  EXPECT_THAT(judgement.blame, ElementsAre(1));
  EXPECT_EQ(judgement.diagnosis,
            "rank 1 left out operation 1 all_reduce(int32[1024], sum) or a call before it on group "
            "0; rank 1 makes no further call; ranks 0, 2 wait in operation 1 for rank 1");
}

TEST(Classify, ProvesAWaitForADeadRank) {
  const auto test_case = case_of(3, {sum(), sum()});
  const auto judgement = classify(test_case, {in(1, 2), in(1, 2), dead(idle(0, 1))});
  EXPECT_EQ(judgement.proof, Proof::proven);
  EXPECT_THAT(judgement.blame, ElementsAre(2));
  EXPECT_THAT(judgement.diagnosis, HasSubstr("rank 2 ended after operation 0"));
}

TEST(Classify, PresumesAWaitForARankThatDiedInTheCall) {
  const auto test_case = case_of(3, {sum()});
  const auto judgement = classify(test_case, {in(0, 1), in(0, 1), dead(in(0, 1))});
  EXPECT_EQ(judgement.proof, Proof::presumed);
  EXPECT_THAT(judgement.blame, ElementsAre(2));
}

TEST(Classify, ProvesACycleOverTwoCommunicators) {
  const auto test_case =
      case_of(2, {sum(8, 0), sum(8, 1)}, {Group{}, Group{GroupKind::duplicate, {}}});
  const auto judgement = classify(test_case, {in(0, 1, 0, {1, 0}), in(1, 1, 1, {0, 1})});
  EXPECT_EQ(judgement.proof, Proof::proven);
  EXPECT_THAT(judgement.blame, ElementsAre(1));
  EXPECT_EQ(judgement.diagnosis,
            "rank 1 never entered operation 0 all_reduce(int32[8], sum); rank 0 waits in operation "
            "0 for rank 1; rank 1 waits in operation 1 all_reduce(int32[8], sum) on group 1 "
            "(duplicate) for rank 0");
}

TEST(Classify, ProvesAChainThatEndsAtAFinishedRank) {
  const Group pairs{GroupKind::split, {{0, 1}, {2, 3}}};
  const Group middle{GroupKind::create, {{1, 2}}};
  const auto test_case = case_of(4, {sum(8, 2), sum(8, 1)}, {Group{}, pairs, middle});
  // Rank 2 left out operation 0; rank 1 waits for it there, and rank 0 waits for rank 1.
  std::vector<Position> positions = {in(1, 1, 1, {0, 1, 0}), in(0, 1, 2, {0, 0, 1}), finished(1, 0),
                                     finished(1, 0)};
  positions[2].entered = positions[3].entered = {0, 1, 0};
  const auto judgement = classify(test_case, positions);
  EXPECT_EQ(judgement.proof, Proof::proven);
  EXPECT_THAT(judgement.blame, ElementsAre(2));
  // While rank 2 is not finished, the chain may still move.
  positions[2].phase = Phase::idle;
  EXPECT_EQ(classify(test_case, positions).proof, Proof::none);
}

// Rank 2, on the other side, is finished without its call: ranks 0 and 1 wait for it.
TEST(Classify, TakesBothSidesOfAnIntercommunicatorTogether) {
  const Group sides{GroupKind::inter, {{0, 1}, {2}}};
  const auto test_case = case_of(3, {sum(8, 1)}, {Group{}, sides});
  const auto waiting = in(0, 1, 1, {0, 1});
  const auto judgement = classify(test_case, {waiting, waiting, finished(0, 0)});
  EXPECT_EQ(judgement.proof, Proof::proven);
  EXPECT_THAT(judgement.blame, ElementsAre(2));
}

TEST(Classify, KeepsThePartsOfAGroupApart) {
  const Group pairs{GroupKind::split, {{0, 1}, {2, 3}}};
  const auto test_case = case_of(4, {sum(8, 1)}, {Group{}, pairs});
  const auto met = in(0, 1, 1, {0, 1});
  EXPECT_EQ(classify(test_case, {met, met, met, finished(0, 0)}).proof, Proof::none);
  auto gone = finished(0, 1);
  gone.entered = {0, 1};
  EXPECT_EQ(classify(test_case, {gone, gone, met, finished(0, 0)}).proof, Proof::proven);
}

TEST(Classify, PresumesThatDifferentCallsOnOneCommunicatorBlock) {
  const auto test_case = case_of(3, {sum(), call_of(Collective::broadcast)});
  const auto judgement = classify(test_case, {in(0, 1), in(1, 1), in(0, 1)});
  EXPECT_EQ(judgement.proof, Proof::presumed);
  EXPECT_THAT(judgement.blame, ElementsAre(1));
  EXPECT_EQ(judgement.diagnosis,
            "rank 1 never entered operation 0 all_reduce(int32[8], sum); ranks 0, 2 wait in "
            "operation 0 and met another call there, of rank 1; rank 1 waits in operation 1 "
            "broadcast(int32[8], root 0) and met another call there, of ranks 0, 2");
}

TEST(Classify, PresumesThatCallsOfDifferentSizeModeOrRootBlock) {
  auto nonblocking = sum();
  nonblocking.mode = Mode::nonblocking;
  auto root = call_of(Collective::broadcast);
  auto other_root = root;
  other_root.root = 1;
  for (const auto& [first, second] : std::vector<std::pair<Operation, Operation>>{
           {sum(8), sum(16)}, {sum(), nonblocking}, {root, other_root}}) {
    const auto test_case = case_of(2, {first, second});
    EXPECT_EQ(classify(test_case, {in(0, 1), in(1, 1)}).proof, Proof::presumed);
  }
}

TEST(Classify, LetsDifferentCallsThatFitGoOn) {
  auto maximum = sum();
  maximum.op = Op::max;
  const auto test_case = case_of(2, {sum(), maximum, sum(4)});
  EXPECT_EQ(classify(test_case, {in(0, 1), in(1, 1)}).proof, Proof::none);
  // What counts is the call that the other is in, not those it left out.
  const auto apart = case_of(2, {sum(), sum(16), maximum});
  EXPECT_EQ(classify(apart, {in(0, 1), in(2, 1)}).proof, Proof::none);
}

TEST(Classify, PresumesOnlyWhereTheOneThatNeedsNobodyCouldStillLeave) {
  // The root of a broadcast needs nobody: it may leave and go on to what others wait for.
  const auto test_case = case_of(2, {call_of(Collective::broadcast), sum()});
  EXPECT_EQ(classify(test_case, {in(0, 1), finished(1, 0)}).proof, Proof::presumed);
  // Its receivers need it.
  auto from_one = call_of(Collective::broadcast);
  from_one.root = 1;
  EXPECT_EQ(classify(case_of(2, {from_one}), {in(0, 1), finished(0, 0)}).proof, Proof::proven);
}

TEST(Classify, KnowsWhoNeedsWhomInAReduceAndAScan) {
  const auto reduce = case_of(2, {call_of(Collective::reduce)});
  EXPECT_EQ(classify(reduce, {in(0, 1), finished(0, 0)}).proof, Proof::proven);
  EXPECT_EQ(classify(reduce, {finished(0, 0), in(0, 1)}).proof, Proof::presumed);
  const auto scan = case_of(2, {call_of(Collective::scan)});
  EXPECT_EQ(classify(scan, {in(0, 1), finished(0, 0)}).proof, Proof::presumed);
  EXPECT_EQ(classify(scan, {finished(0, 0), in(0, 1)}).proof, Proof::proven);
}

TEST(Classify, OnlyPresumesThatACallOnNothingBlocks) {
  EXPECT_EQ(classify(case_of(2, {sum(0)}), {in(0, 1), finished(0, 0)}).proof, Proof::presumed);
}

TEST(Classify, LetsARankAloneInItsPartGoOn) {
  const Group alone{GroupKind::split, {{0}, {1, 2}}};
  const auto test_case = case_of(3, {sum(8, 1)}, {Group{}, alone});
  auto gone = finished(0, 0);
  EXPECT_EQ(classify(test_case, {in(0, 1, 1, {0, 1}), gone, gone}).proof, Proof::none);
}

TEST(Classify, TellsWhichStartedCallAWaitIsFor) {
  auto start = sum();
  start.kind = OperationKind::start;
  start.mode = Mode::nonblocking;
  start.request = 1;
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.request = 1;
  const auto test_case = case_of(2, {start, wait});
  const auto judgement = classify(test_case, {in(1, 1), finished(1, 0)});
  EXPECT_EQ(judgement.proof, Proof::proven);
  EXPECT_THAT(judgement.blame, ElementsAre(1));
  EXPECT_THAT(judgement.diagnosis, HasSubstr("rank 0 waits in operation 1 wait(request 1) of "
                                             "operation 0 for rank 1"));
}

TEST(Classify, NamesTheCallThatWasLeftOutOnlyWhereItShows) {
  // Rank 1 is in the barrier as its second call: it left out operation 0 or 1.
  const auto test_case = case_of(2, {sum(), sum(), call_of(Collective::barrier)});
  EXPECT_THAT(classify(test_case, {in(1, 2), in(2, 2)}).diagnosis,
              HasSubstr("rank 1 left out operation 1 all_reduce(int32[8], sum) or a call before it "
                        "on group 0"));
  EXPECT_THAT(classify(test_case, {in(0, 1), in(2, 1)}).diagnosis,
              HasSubstr("rank 1 has entered 1 of the 3 calls on group 0 that were due"));
  EXPECT_THAT(classify(case_of(2, {sum()}), {in(0, 1), finished(0, 0)}).diagnosis,
              HasSubstr("rank 1 never entered operation 0 all_reduce(int32[8], sum)"));
}

TEST(Classify, DoesNotBlameADeadRankThatNobodyWaitsFor) {
  const Group pair{GroupKind::create, {{0, 1}}};
  const auto test_case = case_of(3, {sum(8, 1)}, {Group{}, pair});
  auto outsider = finished(0, 0);
  outsider.alive = false;
  const auto judgement = classify(test_case, {in(0, 1, 1, {0, 1}), finished(0, 0), outsider});
  EXPECT_EQ(judgement.proof, Proof::proven);
  EXPECT_THAT(judgement.blame, ElementsAre(1));
}

TEST(Classify, DoesNotBlameARankThatMakesACommunicator) {
  // Communicators are made before the first call; the position names the operation that uses them.
  const auto test_case = case_of(3, {sum(), sum(8, 1)}, {Group{}, Group{GroupKind::duplicate, {}}});
  const auto making = in(1, 0, 1, {0, 0});
  EXPECT_EQ(classify(test_case, {making, making, making}).proof, Proof::none);
  auto judgement = classify(test_case, {making, making, dead(making)});
  EXPECT_EQ(judgement.proof, Proof::presumed);
  EXPECT_THAT(judgement.blame, ElementsAre(2));
  auto late = idle(1, 0);
  late.entered = {0, 0};
  judgement = classify(test_case, {in(0, 1, 0, {1, 0}), in(0, 1, 0, {1, 0}), dead(late)});
  EXPECT_EQ(judgement.proof, Proof::proven);
  EXPECT_THAT(judgement.blame, ElementsAre(2));
  EXPECT_THAT(judgement.diagnosis, HasSubstr("rank 2 ended before its first call"));
}

TEST(Classify, DoesNotBlameARankThatIsPastTheCase) {
  const auto test_case = case_of(3, {sum(), sum(16)});
  const auto judgement = classify(test_case, {in(1, 2), finished(-1, kEnteredAll), dead(in(1, 2))});
  EXPECT_EQ(judgement.proof, Proof::presumed);
  EXPECT_THAT(judgement.blame, ElementsAre(2));
}

TEST(Classify, BlamesBothWhereEachDeviates) {
  const auto test_case = case_of(2, {sum(), call_of(Collective::barrier), sum()});
  // Rank 0 left out operation 0, rank 1 made one call too many.
  const auto judgement = classify(test_case, {in(1, 1), in(0, 2)});
  EXPECT_THAT(judgement.blame, ElementsAre(0, 1));
}

TEST(Classify, DoesNotReadTheFaults) {
  auto test_case = case_of(2, {sum(), sum()});
  const std::vector<Position> positions = {in(1, 2), finished(1, 1)};
  ASSERT_EQ(classify(test_case, positions).blame, std::vector<int>{1});
  const auto before = classify(test_case, positions);
  test_case.faults = {Fault{FaultKind::skip, 0, 0, FaultPhase::before, 0}};
  const auto after = classify(test_case, positions);
  EXPECT_EQ(before.blame, after.blame);
  EXPECT_EQ(before.diagnosis, after.diagnosis);
}

TEST(Classify, SurvivesPositionsThatMakeNoSense) {
  const auto test_case = case_of(2, {sum()});
  for (const auto& odd : {in(77, 1), in(-1, 1), in(0, 1, 9), in(0, 1, -1), in(0, 1000, 0, {})}) {
    const auto judgement = classify(test_case, {odd, finished(0, 0)});
    EXPECT_LE(judgement.proof, Proof::presumed);
  }
  EXPECT_THROW(classify(test_case, {in(0, 1)}), InternalError);
}

}  // namespace
}  // namespace allprove
