// Calls that are started now and completed later: their buffers, their evidence, and when each gets
// its data.
#include <cstring>

#include "tests/unit/worker/executor_fixture.h"

namespace allprove {
namespace {

using testing::ElementsAre;

TEST_F(ExecutorTest, AStartedCallIsJudgedWhenItIsWaitedFor) {
  const auto result = run({with(OperationKind::start, 4), with(OperationKind::wait, 4)});
  EXPECT_THAT(backend_.log, ElementsAre("open 0", "start", "wait"));
  const auto& started = result.operations.at(0);
  EXPECT_TRUE(started.evidence.checked);
  EXPECT_EQ(started.evidence.wrong, 0);
  EXPECT_GT(started.completed_ns, started.returned_ns);
  EXPECT_FALSE(result.operations.at(1).evidence.checked);
  EXPECT_EQ(result.operations.at(1).completed_ns, started.completed_ns);
}

TEST_F(ExecutorTest, CallsUnderWayHaveBuffersOfTheirOwn) {
  const auto result = run({with(OperationKind::start, 0), with(OperationKind::start, 1),
                           with(OperationKind::wait, 1), with(OperationKind::wait, 0)});
  ASSERT_EQ(backend_.calls.size(), 2u);
  EXPECT_NE(backend_.calls[0].receive.data, backend_.calls[1].receive.data);
  EXPECT_NE(backend_.calls[0].send.data, backend_.calls[1].send.data);
  EXPECT_EQ(result.operations[0].evidence.wrong + result.operations[1].evidence.wrong, 0);
}

TEST_F(ExecutorTest, ATestAsksUntilTheCallIsDone) {
  const auto result = run({with(OperationKind::start, 0), with(OperationKind::test, 0)});
  EXPECT_THAT(backend_.log, ElementsAre("open 0", "start", "test", "test"));
  EXPECT_TRUE(result.operations.at(0).evidence.checked);
}

Operation start_persistent(int request, std::uint64_t seed) {
  auto made = with(OperationKind::start, request);
  made.mode = Mode::persistent;
  made.data = {Family::free, seed};
  return made;
}

TEST_F(ExecutorTest, APersistentRequestIsStartedAgainWithNewDataInTheSameBuffers) {
  std::vector<int> first_elements;
  backend_.behaviour = [&](const CollectiveArguments& arguments) {
    first_elements.push_back(*ints(arguments.send));
    EXPECT_EQ(*arguments.receive.data, kUntouched) << "the output of the start before is gone";
    return FakeBackend::copy(arguments);
  };
  const auto wait = with(OperationKind::wait, 2);
  const auto result = run(
      {start_persistent(2, 1), wait, start_persistent(2, 9), wait, start_persistent(2, 1), wait});
  EXPECT_THAT(backend_.log, ElementsAre("open 0", "init", "start_request", "wait", "start_request",
                                        "wait", "start_request", "wait"));
  for (const int start : {0, 2, 4}) {
    const auto& record = result.operations.at(static_cast<std::size_t>(start));
    EXPECT_TRUE(record.evidence.checked);
    EXPECT_EQ(record.evidence.wrong, 0);
    EXPECT_GT(record.completed_ns, record.returned_ns);
  }
  EXPECT_EQ(backend_.calls[1].receive.data, backend_.calls[0].receive.data);
  ASSERT_EQ(first_elements.size(), 3u);
  EXPECT_NE(first_elements[0], first_elements[1]);
  EXPECT_EQ(first_elements[0], first_elements[2]);
}

TEST_F(ExecutorTest, APersistentRequestIsMadeBeforeItsDataIsThere) {
  int made_with = 0;
  backend_.initialising = [&](const auto& arguments) { made_with = *ints(arguments.send); };
  run({start_persistent(2, 1), with(OperationKind::wait, 2)});
  int untouched = 0;
  std::memset(&untouched, static_cast<int>(kUntouched), sizeof untouched);
  EXPECT_EQ(made_with, untouched);
  EXPECT_NE(*ints(backend_.calls.at(0).send), untouched);
}

TEST_F(ExecutorTest, APersistentBarrierIsStartedAgainToo) {
  auto start = start_persistent(2, 1);
  start.collective = Collective::barrier;
  const auto wait = with(OperationKind::wait, 2);
  const auto result = run({start, wait, start, wait});
  EXPECT_THAT(backend_.log,
              ElementsAre("open 0", "init", "start_request", "wait", "start_request", "wait"));
  EXPECT_FALSE(result.operations.at(2).evidence.checked);
  EXPECT_GT(result.operations.at(2).completed_ns, 0);
}

TEST_F(ExecutorTest, WhatIsWrongAtTheSecondStartStandsThere) {
  backend_.behaviour = [&](const CollectiveArguments& arguments) {
    FakeBackend::copy(arguments);
    if (backend_.calls.size() == 2) *ints(arguments.receive) ^= 1;
    return LibraryStatus{};
  };
  const auto wait = with(OperationKind::wait, 2);
  const auto result = run({start_persistent(2, 1), wait, start_persistent(2, 9), wait});
  EXPECT_EQ(result.operations.at(0).evidence.wrong, 0);
  EXPECT_EQ(result.operations.at(2).evidence.wrong, 1);
}

TEST_F(ExecutorTest, OneWaitCompletesAllThatIsUnderWay) {
  for (const auto kind : {OperationKind::wait_all, OperationKind::wait_some}) {
    backend_.log.clear();
    const auto result =
        run({with(OperationKind::start, 0), with(OperationKind::start, 1),
             with(OperationKind::start, 2), with(OperationKind::wait, 1), with(kind), with(kind)});
    const auto* name = kind == OperationKind::wait_all ? "wait_all of 2" : "wait_some of 2";
    EXPECT_EQ(backend_.log.back(), name) << "nothing is left for the second";
    for (const std::size_t start : {0, 1, 2}) {
      EXPECT_TRUE(result.operations.at(start).evidence.checked);
      EXPECT_EQ(result.operations.at(start).evidence.wrong, 0);
    }
    EXPECT_EQ(result.operations[0].completed_ns, result.operations[4].completed_ns);
    EXPECT_LT(result.operations[1].completed_ns, result.operations[4].called_ns);
    EXPECT_EQ(result.operations.at(5).called_ns, 0);
  }
}

TEST_F(ExecutorTest, AnErrorOfAWaitForAllStandsWithTheWait) {
  backend_.behaviour = [](const CollectiveArguments&) { return LibraryStatus{9, "broken"}; };
  const auto result = run({with(OperationKind::start, 0), with(OperationKind::wait_all)});
  EXPECT_EQ(result.operations.at(1).code, 9);
  EXPECT_FALSE(result.operations.at(0).evidence.checked);
}

TEST_F(ExecutorTest, ANonblockingCallIsStartedAndWaitedForAtOnce) {
  auto operation = all_reduce();
  operation.mode = Mode::nonblocking;
  EXPECT_TRUE(evidence_of(operation).checked);
  EXPECT_THAT(backend_.log, ElementsAre("open 0", "start", "wait"));
}

}  // namespace
}  // namespace allprove
