// Faults are put where they matter.
#include <gtest/gtest.h>

#include <set>

#include "framework/search/generate.h"

namespace allprove {
namespace {

TEST(WithFault, SkipHitsAMeetingOfSeveralRanks) {
  Space space;
  space.ranks = {8};
  const Generator generator(1, space);
  RandomStream stream(1);
  int faulty = 0;
  std::set<int> ranks;
  for (std::uint64_t k = 0; k < 500; ++k) {
    const auto drawn = generator.at(k);
    const auto made = with_fault(drawn, FaultKind::skip, stream);
    if (!made) continue;
    ++faulty;
    ASSERT_TRUE(validate(*made).has_value());
    ASSERT_EQ(made->faults.size(), 1u);
    const auto& fault = made->faults[0];
    EXPECT_EQ(fault.kind, FaultKind::skip);
    ranks.insert(fault.rank);
    const auto& operation = made->program[static_cast<std::size_t>(fault.operation)];
    EXPECT_TRUE(enters_collective(operation.kind));
    EXPECT_GE(membership_of(*made, operation.group, fault.rank).members.size(), 2u);
  }
  EXPECT_GT(faulty, 400);
  EXPECT_EQ(ranks.size(), 8u);
}

TEST(WithFault, ReorderSwapsTwoCallsThatDiffer) {
  const Generator generator(1, Space{});
  RandomStream stream(1);
  int faulty = 0;
  for (std::uint64_t k = 0; k < 500; ++k) {
    const auto made = with_fault(generator.at(k), FaultKind::reorder, stream);
    if (!made) continue;
    ++faulty;
    const auto& fault = made->faults[0];
    const auto at = static_cast<std::size_t>(fault.operation);
    auto next = at + 1;
    while (next < made->program.size() && !enters_collective(made->program[next].kind)) ++next;
    ASSERT_LT(next, made->program.size());
    EXPECT_EQ(made->program[at].kind, OperationKind::call);
    EXPECT_EQ(made->program[next].kind, OperationKind::call);
    EXPECT_NE(made->program[at], made->program[next]);
  }
  EXPECT_GT(faulty, 200);
}

TEST(WithFault, ACaseWithoutAPlaceForItGetsNone) {
  Case alone;
  alone.program = {Operation{}, Operation{}};
  RandomStream stream(1);
  EXPECT_FALSE(with_fault(alone, FaultKind::skip, stream).has_value());
  alone.ranks = 2;
  EXPECT_TRUE(with_fault(alone, FaultKind::skip, stream).has_value());
  EXPECT_FALSE(with_fault(alone, FaultKind::reorder, stream).has_value()) << "both calls are equal";
}

}  // namespace
}  // namespace allprove
