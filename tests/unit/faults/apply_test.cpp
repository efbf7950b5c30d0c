// What faults of the call make of a rank's program.
#include "faults/apply.h"

#include <gtest/gtest.h>

#include "framework/base/enum_table.h"

namespace allprove {
namespace {

Operation operation(OperationKind kind, int request = -1) {
  Operation made;
  made.kind = kind;
  made.request = request;
  if (kind == OperationKind::start) made.mode = Mode::nonblocking;
  return made;
}

Case case_of(std::vector<OperationKind> kinds) {
  Case made;
  made.ranks = 3;
  for (const auto kind : kinds) made.program.push_back(operation(kind, 0));
  return made;
}

constexpr auto kCall = OperationKind::call;

TEST(Apply, WithoutFaultsTheProgramRunsAsItIs) {
  EXPECT_EQ(order_of(case_of({kCall, kCall, kCall}), 0), (std::vector<int>{0, 1, 2}));
}

TEST(Apply, ASkippedOperationIsLeftOutOnItsRankAlone) {
  auto test_case = case_of({kCall, kCall, kCall});
  test_case.faults = {{FaultKind::skip, 1, 1}};
  EXPECT_EQ(order_of(test_case, 1), (std::vector<int>{0, 2}));
  EXPECT_EQ(order_of(test_case, 0), (std::vector<int>{0, 1, 2}));
}

TEST(Apply, AReorderedOperationChangesPlacesWithTheNextCollective) {
  auto test_case = case_of({kCall, OperationKind::delay, kCall, kCall});
  test_case.faults = {{FaultKind::reorder, 2, 0}};
  EXPECT_EQ(order_of(test_case, 2), (std::vector<int>{2, 0, 1, 3}));
  EXPECT_EQ(order_of(test_case, 1), (std::vector<int>{0, 1, 2, 3}));
}

TEST(Apply, AReorderedStartIsStillBeforeItsWait) {
  auto test_case = case_of({OperationKind::start, OperationKind::wait, kCall});
  test_case.faults = {{FaultKind::reorder, 0, 0}};
  EXPECT_EQ(order_of(test_case, 0), (std::vector<int>{2, 0, 1}));
}

TEST(Apply, TheLastCollectiveHasNothingToChangePlacesWith) {
  auto test_case = case_of({kCall, kCall});
  test_case.faults = {{FaultKind::reorder, 0, 1}};
  EXPECT_EQ(order_of(test_case, 0), (std::vector<int>{0, 1}));
}

TEST(Apply, SeveralFaultsActOneAfterTheOther) {
  auto test_case = case_of({kCall, kCall, kCall});
  test_case.faults = {
      {FaultKind::reorder, 0, 0}, {FaultKind::skip, 0, 1}, {FaultKind::reorder, 0, 1}};
  EXPECT_EQ(order_of(test_case, 0), (std::vector<int>{0, 2}));
}

TEST(Apply, LatenessIsTheSumOfTheLateFaultsOfAnOperation) {
  auto test_case = case_of({kCall, kCall});
  test_case.faults = {{FaultKind::late, 1, 1, FaultPhase::before, 200},
                      {FaultKind::late, 1, 1, FaultPhase::before, 300},
                      {FaultKind::skip, 1, 1, FaultPhase::before, 7}};
  EXPECT_EQ(lateness_us(test_case, 1, 1), 500);
  EXPECT_EQ(lateness_us(test_case, 1, 0), 0);
  EXPECT_EQ(lateness_us(test_case, 0, 1), 0);
}

TEST(Apply, EveryFaultThatCanBeCarriedOutChangesWhatItsRankDoes) {
  for (const auto& [kind, drawn] : kFaultsCarriedOut) {
    auto test_case = case_of({kCall, kCall, kCall});
    test_case.faults = {{.kind = kind, .rank = 1, .operation = 0, .amount = 7}};
    const bool in_order = order_of(test_case, 1) == std::vector<int>{0, 1, 2};
    EXPECT_TRUE(!in_order || lateness_us(test_case, 1, 0) == 7) << name_of(kind);
  }
}

}  // namespace
}  // namespace allprove
