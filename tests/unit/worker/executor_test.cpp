// The executor on a library that the test plays: what it asks of the library, and what it reports.
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "tests/unit/worker/executor_fixture.h"

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Each waits inside its call until the other is there too.
TEST_F(ExecutorTest, ThreadsOfAProgramCallAtTheSameTime) {
  std::mutex mutex;
  std::condition_variable all_there;
  std::set<std::thread::id> callers;
  backend_.behaviour = [&](const CollectiveArguments& arguments) {
    std::unique_lock lock(mutex);
    callers.insert(std::this_thread::get_id());
    all_there.notify_all();
    EXPECT_TRUE(
        all_there.wait_for(lock, std::chrono::seconds(60), [&] { return callers.size() == 2; }));
    return FakeBackend::copy(arguments);
  };
  Case test_case;
  test_case.groups.push_back({GroupKind::duplicate, {}});
  test_case.program = {all_reduce(), on_group(1)};
  test_case.program[1].thread = 1;
  const auto result = run(test_case);
  for (const auto& record : result.operations) {
    EXPECT_TRUE(record.evidence.checked);
    EXPECT_EQ(record.evidence.wrong, 0);
  }
  EXPECT_EQ(position().phase, Phase::finished);
  EXPECT_THAT(backend_.calls, testing::SizeIs(2));
}

TEST_F(ExecutorTest, AnErrorInOneThreadEndsTheRank) {
  backend_.behaviour = [](const CollectiveArguments& arguments) {
    return arguments.thread == 1 ? LibraryStatus{7, "no"} : FakeBackend::copy(arguments);
  };
  Case test_case;
  test_case.groups.push_back({GroupKind::duplicate, {}});
  test_case.program = {all_reduce(), on_group(1)};
  test_case.program[1].thread = 1;
  Batch batch;
  batch.cases = {test_case, test_case};
  const auto results = run(batch);
  EXPECT_EQ(results.cases.at(0).operations.at(1).code, 7);
  EXPECT_TRUE(results.cases.at(0).operations.at(0).evidence.checked);
  EXPECT_THAT(results.cases.at(1).skipped, testing::HasSubstr("a call failed on rank 0"));
}

// Rank 0 asked for position 0, the root's, and got position 1, which has no input.
TEST_F(ExecutorTest, ALibraryThatReordersHasTheLastWordOnPositions) {
  auto board = std::move(*PositionBoard::create(2));
  Executor executor(backend_, board, 0, 2);
  Batch batch;
  auto& test_case = batch.cases.emplace_back();
  test_case.ranks = 2;
  test_case.groups.push_back({GroupKind::cartesian, {}, {{2}, {0}, {}, true}});
  auto broadcast = on_group(1);
  broadcast.collective = Collective::broadcast;
  test_case.program = {broadcast};
  std::vector<std::byte> first_bytes;
  backend_.behaviour = [&](const CollectiveArguments& arguments) {
    first_bytes.push_back(*arguments.receive.data);
    return LibraryStatus{};
  };
  backend_.members = {1, 0};
  const auto result = executor.run(batch).cases.at(0);
  EXPECT_THAT(first_bytes, ElementsAre(kUntouched));
  EXPECT_EQ(result.operations.at(0).evidence.wrong, 5);
}

TEST_F(ExecutorTest, ARightCallLeavesCleanEvidenceAndItsTimes) {
  const auto result = run({all_reduce()});
  ASSERT_EQ(result.operations.size(), 1u);
  const auto& record = result.operations[0];
  EXPECT_EQ(record.code, 0);
  EXPECT_GT(record.called_ns, 0);
  EXPECT_GE(record.returned_ns, record.called_ns);
  EXPECT_GE(record.completed_ns, record.returned_ns);
  EXPECT_TRUE(record.evidence.checked);
  EXPECT_EQ(record.evidence.wrong, 0);
  EXPECT_EQ(record.evidence.input_changed, 0);
  EXPECT_EQ(record.evidence.guard_changed, 0);
  EXPECT_NE(record.evidence.digests.whole, 0u);
  EXPECT_THAT(backend_.log, ElementsAre("open 0", "call"));
  EXPECT_EQ(position().phase, Phase::finished);
}

TEST_F(ExecutorTest, AWrongElementIsCountedAndShown) {
  backend_.behaviour = [](const CollectiveArguments& arguments) {
    FakeBackend::copy(arguments);
    ints(arguments.receive)[3] += 1;
    return LibraryStatus{};
  };
  const auto evidence = evidence_of(all_reduce());
  EXPECT_EQ(evidence.wrong, 1);
  ASSERT_TRUE(evidence.first_wrong);
  EXPECT_EQ(evidence.first_wrong->index, 3);
}

TEST_F(ExecutorTest, AnOutputThatIsNotWrittenIsWrong) {
  backend_.behaviour = [](const CollectiveArguments&) { return LibraryStatus{}; };
  const auto evidence = evidence_of(all_reduce());
  EXPECT_EQ(evidence.wrong, 5);
  EXPECT_EQ(evidence.symptom, Symptom::unchanged);
}

TEST_F(ExecutorTest, WritesJustBesideTheBuffersAreSeen) {
  backend_.behaviour = [](const CollectiveArguments& arguments) {
    FakeBackend::copy(arguments);
    arguments.receive.data[arguments.receive.count * 4 + 2] ^= std::byte{1};
    return LibraryStatus{};
  };
  auto evidence = evidence_of(all_reduce());
  EXPECT_EQ(evidence.guard_changed, 1);
  EXPECT_EQ(evidence.guard_place, "output +3");
  EXPECT_EQ(evidence.wrong, 0);

  backend_.behaviour = [](const CollectiveArguments& arguments) {
    FakeBackend::copy(arguments);
    arguments.send.data[-8] ^= std::byte{1};
    return LibraryStatus{};
  };
  evidence = evidence_of(all_reduce());
  EXPECT_EQ(evidence.guard_changed, 1);
  EXPECT_EQ(evidence.guard_place, "input -8");
}

TEST_F(ExecutorTest, AChangedInputIsSeen) {
  backend_.behaviour = [](const CollectiveArguments& arguments) {
    FakeBackend::copy(arguments);
    ints(arguments.send)[4] = -1;
    return LibraryStatus{};
  };
  const auto evidence = evidence_of(all_reduce());
  EXPECT_EQ(evidence.input_changed, 1);
  ASSERT_TRUE(evidence.first_input_changed);
  EXPECT_EQ(evidence.first_input_changed->index, 4);
  EXPECT_EQ(evidence.wrong, 0);
}

TEST_F(ExecutorTest, InPlaceThereIsOneBufferAndItHoldsTheInput) {
  std::vector<int> held;
  backend_.behaviour = [&](const CollectiveArguments& arguments) {
    const auto* values = ints(arguments.receive);
    held.assign(values, values + arguments.receive.count);
    return LibraryStatus{};
  };
  auto operation = all_reduce(3);
  operation.in_place = true;
  const auto evidence = evidence_of(operation);
  EXPECT_TRUE(backend_.calls.at(0).in_place);
  EXPECT_EQ(backend_.calls.at(0).send.data, nullptr);
  EXPECT_THAT(held, ElementsAre(1, 11, 21)) << "the family `ramp` of rank 0";
  EXPECT_TRUE(evidence.checked);
  EXPECT_EQ(evidence.wrong, 0);
}

TEST_F(ExecutorTest, TheBufferOfABroadcastsRootMustStayAsItIs) {
  auto operation = all_reduce();
  operation.collective = Collective::broadcast;
  EXPECT_EQ(evidence_of(operation).input_changed + evidence_of(operation).wrong, 0);
  backend_.behaviour = [](const CollectiveArguments& arguments) {
    ints(arguments.receive)[0] ^= 1;
    return LibraryStatus{};
  };
  const auto evidence = evidence_of(operation);
  EXPECT_EQ(evidence.input_changed + evidence.wrong, 1);
}

TEST_F(ExecutorTest, BuffersStartBesideTheAlignmentByTheirSkewInElements) {
  auto operation = all_reduce();
  operation.skew = 3;
  evidence_of(operation);
  operation.skew = 17;
  evidence_of(operation);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(backend_.calls.at(0).send.data) % 64, 12u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(backend_.calls.at(0).receive.data) % 64, 12u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(backend_.calls.at(1).receive.data) % 64, 4u);
}

TEST_F(ExecutorTest, ABarrierHasNoBuffersAndNothingToCheck) {
  auto operation = all_reduce();
  operation.collective = Collective::barrier;
  EXPECT_FALSE(evidence_of(operation).checked);
  EXPECT_EQ(backend_.calls.at(0).receive.data, nullptr);
}

TEST_F(ExecutorTest, AnEmptyBufferIsStillABuffer) {
  evidence_of(all_reduce(0));
  EXPECT_NE(backend_.calls.at(0).receive.data, nullptr);
  EXPECT_NE(backend_.calls.at(0).send.data, nullptr);
}

TEST_F(ExecutorTest, SamplesAreTakenWhereABatchAsksForThem) {
  Batch batch;
  batch.samples = true;
  batch.cases.resize(1);
  batch.cases[0].program = {all_reduce(2)};
  EXPECT_THAT(run(batch).cases[0].operations[0].evidence.output, ElementsAre("1", "11"));
  batch.samples = false;
  EXPECT_THAT(run(batch).cases[0].operations[0].evidence.output, IsEmpty());
}

TEST_F(ExecutorTest, ABareBatchCallsTheLibraryAndLooksAtNothing) {
  bool filled = false;
  backend_.behaviour = [&](const CollectiveArguments& arguments) {
    filled = filled || *arguments.receive.data == kUntouched;
    return LibraryStatus{};
  };
  Batch batch;
  batch.bare = true;
  batch.repeat = 3;
  batch.cases.resize(2);
  for (auto& test_case : batch.cases) test_case.program = {all_reduce()};
  const auto results = run(batch);
  EXPECT_EQ(backend_.calls.size(), 6u);
  EXPECT_FALSE(filled);
  EXPECT_EQ(results.cases.at(1).operations.at(0).evidence, Evidence{});
  EXPECT_GT(results.elapsed_ns, 0);
}

TEST_F(ExecutorTest, AnErrorOfTheLibraryEndsWhatTheRankDoes) {
  backend_.behaviour = [](const CollectiveArguments&) { return LibraryStatus{15, "truncated"}; };
  Batch batch;
  batch.cases.resize(3);
  for (auto& test_case : batch.cases) test_case.program = {all_reduce(), all_reduce()};
  const auto results = run(batch);
  const auto& first = results.cases.at(0).operations;
  EXPECT_EQ(first.at(0).code, 15);
  EXPECT_EQ(first.at(0).message, "truncated");
  EXPECT_FALSE(first.at(0).evidence.checked);
  EXPECT_EQ(first.at(1).called_ns, 0);
  EXPECT_EQ(backend_.calls.size(), 1u);
  EXPECT_NE(results.cases.at(1).skipped, "");
  EXPECT_NE(results.cases.at(2).skipped, "");
  // The others can see that this rank will not come to the second case.
  EXPECT_EQ(board_.read(0, 2, 1).phase, Phase::finished);
  EXPECT_THAT(board_.read(0, 2, 1).entered, ElementsAre(0));
}

TEST_F(ExecutorTest, WhatTheBackendCannotRunIsSkippedWithItsReason) {
  backend_.why_not = "not on a Sunday";
  EXPECT_EQ(run({all_reduce()}).skipped, "not on a Sunday");
  EXPECT_THAT(backend_.log, IsEmpty());
  EXPECT_EQ(position().phase, Phase::finished);
}

TEST_F(ExecutorTest, AFaultThatCannotBeMadeIsNotPassedOver) {
  Case test_case;
  test_case.program = {all_reduce()};
  test_case.faults = {{FaultKind::flip, 0, 0}};
  EXPECT_THAT(run(test_case).skipped, testing::HasSubstr("flip"));
}

TEST_F(ExecutorTest, FaultsChangeWhatTheRankCalls) {
  Case test_case;
  test_case.program = {all_reduce(1), all_reduce(2), all_reduce(3)};
  test_case.faults = {{FaultKind::reorder, 0, 1}, {FaultKind::skip, 0, 0}};
  const auto result = run(test_case);
  ASSERT_EQ(backend_.calls.size(), 2u);
  EXPECT_EQ(backend_.calls[0].receive.count, 3);
  EXPECT_EQ(backend_.calls[1].receive.count, 2);
  EXPECT_EQ(result.operations.at(0).called_ns, 0) << "skipped";
  EXPECT_TRUE(result.operations.at(1).evidence.checked);
}

TEST_F(ExecutorTest, AWaitWhoseStartWasSkippedWaitsForNothing) {
  Case test_case;
  test_case.program = {with(OperationKind::start, 0), with(OperationKind::wait, 0)};
  test_case.faults = {{FaultKind::skip, 0, 0}};
  run(test_case);
  EXPECT_THAT(backend_.log, ElementsAre("open 0"));
}

TEST_F(ExecutorTest, TheBoardShowsTheCallWhileTheLibraryIsInIt) {
  Position during_first;
  Position during_second;
  backend_.behaviour = [&](const CollectiveArguments& arguments) {
    (backend_.calls.size() == 1 ? during_first : during_second) = position();
    return FakeBackend::copy(arguments);
  };
  run({all_reduce(), all_reduce()});
  EXPECT_EQ(during_first.phase, Phase::called);
  EXPECT_EQ(during_first.operation, 0);
  EXPECT_EQ(during_second.operation, 1);
  EXPECT_EQ(during_second.group, 0);
  EXPECT_EQ(during_second.call_number, 2);
}

TEST_F(ExecutorTest, CommunicatorsAreMadeOnceAndBeforeTheFirstCall) {
  Case test_case;
  test_case.groups = {Group{}, Group{GroupKind::duplicate, {}}};
  test_case.program = {on_group(0), on_group(1), on_group(0)};
  run(test_case);
  run(test_case);
  EXPECT_THAT(backend_.log,
              ElementsAre("open 0", "open 1", "call", "call", "call", "call", "call", "call"));
  EXPECT_EQ(backend_.calls[0].communicator, backend_.communicators[0]);
  EXPECT_EQ(backend_.calls[1].communicator, backend_.communicators[1]);
}

TEST_F(ExecutorTest, EqualGroupsOfACaseHaveCommunicatorsOfTheirOwn) {
  Case test_case;
  test_case.groups = {Group{}, Group{GroupKind::duplicate, {}}, Group{GroupKind::duplicate, {}}};
  test_case.program = {on_group(1), on_group(2)};
  run(test_case);
  EXPECT_NE(backend_.calls[0].communicator, backend_.calls[1].communicator);
}

TEST_F(ExecutorTest, AnAlgorithmMayNeedACommunicatorOfItsOwn) {
  auto ring = all_reduce();
  ring.algorithm.name = "ring";
  run({all_reduce(), ring, ring});
  EXPECT_NE(backend_.calls[0].communicator, backend_.calls[1].communicator);
  EXPECT_EQ(backend_.calls[1].communicator, backend_.calls[2].communicator);
}

TEST_F(ExecutorTest, ARankOutsideAGroupTakesPartInMakingItAlone) {
  auto board = std::move(*PositionBoard::create(2));
  Executor executor(backend_, board, 0, 2);
  Batch batch;
  batch.first_number = 1;
  batch.cases.resize(1);
  batch.cases[0].ranks = 2;
  batch.cases[0].groups = {Group{}, Group{GroupKind::split, {{1}}}};
  batch.cases[0].program = {on_group(1)};
  const auto results = executor.run(batch);
  EXPECT_THAT(backend_.log, ElementsAre("open 1"));
  EXPECT_EQ(results.cases[0].operations.at(0), OperationRecord{});
}

TEST_F(ExecutorTest, ARankOutsideAGroupTakesPartInMakingItWhenTheProgramDoes) {
  auto board = std::move(*PositionBoard::create(2));
  Executor executor(backend_, board, 0, 2);
  auto free = on_group(1);
  free.kind = OperationKind::comm_free;
  auto create = on_group(1);
  create.kind = OperationKind::comm_create;
  Batch batch;
  batch.first_number = 1;
  batch.cases.resize(1);
  batch.cases[0].ranks = 2;
  batch.cases[0].groups = {Group{}, Group{GroupKind::split, {{1}}}};
  batch.cases[0].program = {create, on_group(1), free, on_group(1)};
  executor.run(batch);
  EXPECT_THAT(backend_.log, ElementsAre("open 1", "free", "open 1"));
}

TEST_F(ExecutorTest, TheProgramCanMakeAndFreeCommunicators) {
  auto create = on_group(0);
  create.kind = OperationKind::comm_create;
  auto free = create;
  free.kind = OperationKind::comm_free;
  run({create, all_reduce(), free});
  EXPECT_THAT(backend_.log, ElementsAre("open 0", "call", "free"));
  backend_.log.clear();
  run({all_reduce(), create, all_reduce()});
  EXPECT_THAT(backend_.log, ElementsAre("open 0", "call", "free", "open 0", "call"));
}

// Not at the earlier call that uses it: what hangs here is the making.
TEST_F(ExecutorTest, ACommunicatorIsMadeAtTheOperationThatMakesIt) {
  std::vector<int> seen;
  backend_.opening = [&](int) {
    seen.push_back(position().operation);
    return LibraryStatus{};
  };
  auto create = on_group(0);
  create.kind = OperationKind::comm_create;
  run({all_reduce(), create, all_reduce()});
  EXPECT_THAT(seen, ElementsAre(0, 1));
}

TEST_F(ExecutorTest, AFreedCommunicatorIsMadeAgainWhenItIsUsed) {
  auto free = on_group(0);
  free.kind = OperationKind::comm_free;
  run({all_reduce(), free, all_reduce()});
  EXPECT_THAT(backend_.log, ElementsAre("open 0", "call", "free", "open 0", "call"));
}

TEST_F(ExecutorTest, AnErrorWhileACommunicatorIsMadeStandsWithItsFirstUse) {
  backend_.opening = [](int group) {
    return group == 1 ? LibraryStatus{5, "no memory"} : LibraryStatus{};
  };
  Case test_case;
  test_case.groups = {Group{}, Group{GroupKind::duplicate, {}}};
  test_case.program = {on_group(0), on_group(1)};
  const auto result = run(test_case);
  EXPECT_EQ(result.operations.at(1).code, 5);
  EXPECT_THAT(result.operations.at(1).message, testing::HasSubstr("no memory"));
  EXPECT_THAT(backend_.calls, IsEmpty());
}

TEST_F(ExecutorTest, CommunicatorsThatWereNotUsedForLongAreFreed) {
  Case test_case;
  test_case.groups.resize(CommunicatorCache::kKeptMax + 1, Group{GroupKind::duplicate, {}});
  test_case.groups[0] = Group{};
  for (int group = 1; group < static_cast<int>(test_case.groups.size()); ++group) {
    test_case.program.push_back(on_group(group));
  }
  run(test_case);
  EXPECT_EQ(std::count(backend_.log.begin(), backend_.log.end(), "free"), 0);
  run({all_reduce()});
  EXPECT_EQ(std::count(backend_.log.begin(), backend_.log.end(), "free"), 1);
  backend_.log.clear();
  run({all_reduce()});
  EXPECT_THAT(backend_.log, ElementsAre("call")) << "the one that was used last was kept";
}

}  // namespace
}  // namespace allprove
