// Shrinking: what it tries, in which bounds, and that it ends. Where it ends is minima_test.cpp's.
#include "framework/search/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "framework/model/case_json.h"
#include "framework/search/gen.h"
#include "framework/search/generate.h"
#include "framework/search/weight.h"
#include "tests/unit/search/planted.h"

namespace allprove {
namespace {

Space only_ranks(std::vector<int> ranks) {
  Space space;
  space.ranks = std::move(ranks);
  return space;
}

TEST(Shrink, EveryCandidateIsValidAndLighter) {
  const Generator generator(3, Space{});
  RandomStream stream(3);
  for (std::uint64_t k = 0; k < 60; ++k) {
    const auto drawn = generator.at(k * 7);
    const auto faulty = with_fault(drawn, FaultKind::skip, stream);
    const auto& original = faulty ? *faulty : drawn;
    int candidates = 0;
    rc::seq::forEach(shrinks(original), [&](const Case& simpler) {
      ++candidates;
      const auto status = validate(simpler);
      ASSERT_TRUE(status.has_value()) << status.error().message;
      ASSERT_LT(weight_of(simpler), weight_of(original));
      ASSERT_GE(std::ranges::min(weight_of(simpler)), 0);
    });
    EXPECT_GT(candidates, 10) << describe(original);
  }
}

TEST(Shrink, RemovingARankLeavesTheInputsOfTheOthers) {
  const Generator generator(5, only_ranks({5}));
  const auto original = generator.at(0);
  std::set<std::vector<int>> survivors;
  rc::seq::forEach(shrinks(original), [&](const Case& simpler) {
    if (simpler.ranks != 4) return;
    std::vector<int> ids;
    for (int rank = 0; rank < 4; ++rank) ids.push_back(logical_of(simpler, rank));
    survivors.insert(ids);
  });
  EXPECT_EQ(survivors, (std::set<std::vector<int>>{
                           {0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 3, 4}, {0, 2, 3, 4}, {1, 2, 3, 4}}));
}

TEST(Shrink, AFailureThatNeedsNothingIsPlainAtOnce) {
  const auto original = Generator(5, Space{}).at(300);
  ASSERT_GT(original.program.size(), 1u);
  const auto shrunk = shrink(
      original, [](const Case&) { return true; }, kAmple);
  EXPECT_LE(shrunk.tries, 10) << describe(original);
  EXPECT_EQ(shrunk.test_case.program.size(), 1u);
}

TEST(Shrink, FaultsFollowTheirRankAndTheirOperation) {
  const Generator generator(5, Space{});
  RandomStream stream(5);
  int shrunk_cases = 0;
  for (std::uint64_t k = 0; k < 40; ++k) {
    const auto faulty = with_fault(generator.at(k * 31), FaultKind::skip, stream);
    if (!faulty) continue;
    ++shrunk_cases;
    // Hangs where the fault hits a maximum on a rank whose logical id is the one that it had.
    const auto hit = [](const Case& c, const Fault& fault) {
      const auto& o = c.program[static_cast<std::size_t>(fault.operation)];
      return std::tuple(logical_of(c, fault.rank), o.collective, o.op, o.dtype);
    };
    const auto wanted = hit(*faulty, faulty->faults[0]);
    const auto shrunk = shrink(
        *faulty,
        [&](const Case& c) { return c.faults.size() == 1 && hit(c, c.faults[0]) == wanted; },
        kAmple);
    EXPECT_EQ(shrunk.test_case.ranks, 1);
    EXPECT_EQ(shrunk.test_case.program.size(), 1u) << describe(shrunk.test_case);
    const auto harmless = shrink(
        *faulty, [](const Case&) { return true; }, kAmple);
    EXPECT_TRUE(harmless.test_case.faults.empty());
  }
  EXPECT_GT(shrunk_cases, 20);
}

TEST(Shrink, AnUnneededFaultGoesWhileItsOperationStays) {
  Case faulty = plain_case(2);
  faulty.faults = {{.kind = FaultKind::skip, .rank = 0}, {.kind = FaultKind::late, .rank = 1}};
  const auto late = [](const Case& c) {
    return c.ranks == 2 &&
           std::ranges::any_of(c.faults, [](auto& f) { return f.kind == FaultKind::late; });
  };
  const auto shrunk = shrink(faulty, late, kAmple);
  ASSERT_EQ(shrunk.test_case.faults.size(), 1u);
  EXPECT_EQ(shrunk.test_case.faults[0].kind, FaultKind::late);
  const auto none = shrink(
      faulty, [](const Case& c) { return c.ranks == 2; }, kAmple);
  EXPECT_TRUE(none.test_case.faults.empty());
}

TEST(Shrink, AMinimumHasNothingLeftToTry) {
  const Bug bug = [](const Case& c) {
    return on_some_operation(c, [](auto& o) { return o.op == Op::max && count_of(o) > 5; });
  };
  for (const auto& minimum : minima(bug)) {
    const auto again = shrink(minimum, bug, kAmple);
    EXPECT_EQ(again.test_case, minimum);
    EXPECT_EQ(again.steps, 0);
  }
}

TEST(Shrink, AShrunkCaseIsTheSameEveryTime) {
  const auto original = Generator(9, Space{}).at(3);
  const Bug bug = [](const Case& c) { return c.ranks > 1; };
  EXPECT_EQ(shrink(original, bug, kAmple).test_case, shrink(original, bug, kAmple).test_case);
}

TEST(Shrink, NoCaseIsTriedTwice) {
  const auto original = Generator(9, Space{}).at(70);
  std::vector<std::string> tried;
  static_cast<void>(shrink(
      original,
      [&](const Case& c) {
        tried.push_back(to_json(c).dump());
        return c.program.size() > 1;
      },
      kAmple));
  const auto tries = tried.size();
  std::ranges::sort(tried);
  tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
  EXPECT_EQ(tried.size(), tries);
  EXPECT_GT(tries, 5u);
}

TEST(Shrink, TriesAreBounded) {
  const auto original = Generator(9, Space{}).at(5);
  int calls = 0;
  const auto shrunk = shrink(original,
                             [&](const Case&) {
                               ++calls;
                               return false;
                             },
                             {.tries_max = 7, .time_max = std::chrono::seconds(60)});
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(shrunk.tries, 7);
  EXPECT_TRUE(shrunk.exhausted);
  EXPECT_EQ(shrunk.test_case, original);
}

TEST(Shrink, TimeIsBounded) {
  const auto original = Generator(9, Space{}).at(5);
  const auto shrunk = shrink(original, [](const Case&) { return true; },
                             {.tries_max = 1000, .time_max = std::chrono::milliseconds(0)});
  EXPECT_EQ(shrunk.tries, 0);
  EXPECT_TRUE(shrunk.exhausted);
}

TEST(Shrink, AFicklePredicateStillEnds) {
  const auto original = Generator(9, Space{}).at(200);
  RandomStream fickle(1);
  const auto shrunk = shrink(
      original, [&](const Case&) { return fickle.chance(1, 3); }, kAmple);
  EXPECT_FALSE(shrunk.exhausted);
  EXPECT_TRUE(validate(shrunk.test_case).has_value());
}

}  // namespace
}  // namespace allprove
