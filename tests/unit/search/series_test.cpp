#include "framework/search/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/search/drawn.h"

namespace allprove {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::Ge;
using ::testing::Le;

Operation small_sum(Mode mode, int group = 0) {
  Operation call;
  call.mode = mode;
  call.group = group;
  call.shape = {3};
  return call;
}

Case case_of(std::vector<Operation> program) {
  Case test_case;
  test_case.ranks = 2;
  test_case.groups.push_back({GroupKind::duplicate, {}});
  test_case.program = std::move(program);
  return test_case;
}

int count_of_kind(const std::vector<Operation>& program, OperationKind kind) {
  return static_cast<int>(std::count_if(program.begin(), program.end(),
                                        [=](const Operation& o) { return o.kind == kind; }));
}

// Twenty of them, of different streams.
std::vector<std::vector<Operation>> some_series(const Operation& call, int calls_max) {
  std::vector<std::vector<Operation>> all;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream stream(seed);
    all.push_back(series_of(call, calls_max, stream));
  }
  return all;
}

TEST(Series, IsAValidProgramInEveryMode) {
  for (const auto mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
    for (const auto& program : some_series(small_sum(mode, 1), 100)) {
      const auto status = validate(case_of(program));
      EXPECT_TRUE(status.has_value()) << status.error().message;
    }
  }
}

TEST(Series, HasAsManyCallsAsAskedForOrAQuarter) {
  for (const auto& program : some_series(small_sum(Mode::blocking), 100)) {
    EXPECT_THAT(program.size(), AllOf(Ge(25u), Le(100u)));
  }
  for (const auto& program : some_series(small_sum(Mode::nonblocking), 100)) {
    EXPECT_THAT(count_of_kind(program, OperationKind::start), AllOf(Ge(25), Le(100)));
  }
}

TEST(Series, GivesEveryCallDataOfItsOwn) {
  for (const auto& program : some_series(small_sum(Mode::blocking), 50)) {
    std::set<std::uint64_t> seeds;
    for (const auto& operation : program) seeds.insert(operation.data.seed);
    EXPECT_EQ(seeds.size(), program.size());
  }
}

TEST(Series, StartsOnePersistentRequestAgainAndAgain) {
  for (const auto& program : some_series(small_sum(Mode::persistent), 50)) {
    EXPECT_THAT(program, Each(Field(&Operation::request, 0)));
  }
}

TEST(Series, MakesACommunicatorAnewNowAndThenButNeverTheWorld) {
  int renewed = 0;
  for (const auto& program : some_series(small_sum(Mode::blocking, 1), 100)) {
    renewed += count_of_kind(program, OperationKind::comm_create);
  }
  EXPECT_GE(renewed, 20);
  for (const auto& program : some_series(small_sum(Mode::blocking), 100)) {
    EXPECT_EQ(count_of_kind(program, OperationKind::comm_create), 0);
  }
}

TEST(Series, IsOfFewElements) {
  RandomStream stream(1);
  auto call = small_sum(Mode::blocking);
  call.shape = {40, 50};
  make_small(call, stream);
  EXPECT_THAT(largest_block(call), Le(32));
  call.shape = {2, 3};
  make_small(call, stream);
  EXPECT_EQ(call.shape, (std::vector<std::int64_t>{2, 3}));
}

TEST(Series, IsOneCaseInForty) {
  Space space;
  space.probes = false;
  int series = 0;
  for (const auto& test_case : cases_of(space, 5, 4000)) {
    series += std::ranges::count_if(test_case.program, [](const Operation& o) {
                return enters_collective(o.kind);
              }) > 30;
  }
  EXPECT_THAT(series, AllOf(Ge(60), Le(140)));
}

TEST(Probe, EndsEveryCaseOnAFreshDuplicateOfTheWorld) {
  for (const auto& test_case : cases_of(Space{}, 5, 500)) {
    const auto size = test_case.program.size();
    ASSERT_GT(size, 3u);
    const auto& probe = test_case.program[size - 1];
    EXPECT_EQ(test_case.program[size - 3].kind, OperationKind::comm_free);
    EXPECT_EQ(test_case.program[size - 2].kind, OperationKind::comm_create);
    EXPECT_EQ(probe.kind, OperationKind::call);
    EXPECT_EQ(probe.collective, Collective::all_reduce);
    for (std::size_t i = size - 3; i < size; ++i) {
      const auto group = static_cast<std::size_t>(test_case.program[i].group);
      EXPECT_EQ(test_case.groups[group], (Group{GroupKind::duplicate, {}}));
    }
  }
}

TEST(Probe, IsLeftOutWhereItIsNotInTheSpace) {
  Space space;
  space.collectives = {Collective::broadcast};
  for_each_entry(cases_of(space, 5, 100), [](const Case&, const Operation& o) {
    EXPECT_EQ(o.collective, Collective::broadcast);
  });
}

}  // namespace
}  // namespace allprove
