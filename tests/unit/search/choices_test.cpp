// Spaces: what is asked for is what is drawn, and what cannot be drawn is refused with a reason.
#include "framework/search/choices.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "tests/unit/search/drawn.h"
#include "tests/unit/search/served.h"

namespace allprove {
namespace {

// --- Properties ----------------------------------------------------------------------------------

TEST(Choices, NamingAPropertyMakesEveryCaseServeIt) {
  for (const auto& property : comparing_properties()) {
    Space space;
    space.properties = {property};
    for (const auto& test_case : cases_of(space, 5, 300)) {
      const auto served = served_by(test_case);
      EXPECT_TRUE(std::ranges::any_of(served, [&](auto& s) { return s.first == property; }))
          << property << ": " << describe(test_case);
    }
  }
}

// A property and a collective: every case serves the one on the other, or it is refused.
TEST(Choices, EveryPropertyWorksOnEveryCollectiveOfWhichItSpeaks) {
  for (const auto& property : comparing_properties()) {
    for (const auto collective : drawn_collectives()) {
      Space space;
      space.properties = {property};
      space.collectives = {collective};
      const auto status = check(space);
      ASSERT_EQ(status.has_value(), speaks_of(property, collective))
          << property << " of " << name_of(collective);
      if (!status) {
        EXPECT_THAT(status.error().message, testing::HasSubstr(property + ": it says nothing"));
        continue;
      }
      for (const auto& test_case : cases_of(space, 5, 40)) {
        EXPECT_EQ(served_by(test_case).count({property, collective}), 1u)
            << property << ": " << describe(test_case);
      }
    }
  }
}

TEST(Choices, OneOfSeveralPropertiesIsServedByEveryCase) {
  Space space;
  space.properties = {"permutation_invariant", "repeatable"};
  space.ranks = {1, 2};
  std::set<std::string> served;
  for (const auto& test_case : cases_of(space, 5, 300)) {
    bool any = false;
    for (const auto& [property, collective] : served_by(test_case)) {
      any |= std::ranges::count(space.properties, property) > 0;
      served.insert(property);
    }
    EXPECT_TRUE(any) << describe(test_case);
  }
  for (const auto& property : space.properties) EXPECT_EQ(served.count(property), 1u);
}

TEST(Choices, AWorldTooSmallForThePropertyIsNotDrawn) {
  Space space;
  space.properties = {"permutation_invariant"};
  for (const auto& test_case : cases_of(space, 5, 1300)) EXPECT_GE(test_case.ranks, 2);
}

TEST(Choices, PropertiesOfASingleCallGetOne) {
  struct Row {
    std::string property;
    std::function<bool(const Case&, const Operation&)> serves;
  };
  const auto elements = [](const Operation& o) {
    return o.counts.empty() ? count_of(o) : std::ranges::max(o.counts);
  };
  const std::vector<Row> rows = {
      {"completes", [](auto&, auto&) { return true; }},
      {"matches_reference", [](auto&, auto& o) { return traits_of(o.collective).moves_data; }},
      {"guard_intact", [](auto&, auto& o) { return traits_of(o.collective).moves_data; }},
      {"input_untouched",
       [&](auto&, auto& o) {
         return traits_of(o.collective).moves_data && o.collective != Collective::broadcast &&
                !o.in_place && elements(o) > 0;
       }},
      {"ranks_agree",
       [&](auto& c, auto& o) {
         const std::set<Collective> same = {Collective::broadcast, Collective::all_reduce,
                                            Collective::all_gather, Collective::all_gatherv};
         return c.ranks > 1 && same.contains(o.collective) && elements(o) > 0;
       }},
  };
  for (const auto& [property, serves] : rows) {
    for (const auto collective : drawn_collectives()) {
      Space space;
      space.properties = {property};
      space.collectives = {collective};
      if (!check(space)) continue;
      for (const auto& test_case : cases_of(space, 5, 30)) {
        EXPECT_TRUE(std::ranges::any_of(
            test_case.program,
            [&](const Operation& o) { return enters_collective(o.kind) && serves(test_case, o); }))
            << property << ": " << describe(test_case);
      }
    }
  }
}

// --- Filters -------------------------------------------------------------------------------------

TEST(Choices, FiltersAreKept) {
  Space space;
  space.dtypes = {Dtype::uint16, Dtype::float64};
  space.ops = {Op::bxor, Op::max};
  space.collectives = {Collective::all_reduce};
  space.algorithms = false;
  std::set<std::string> pairs;
  for (const auto& test_case : cases_of(space, 3, 300)) {
    for (const auto& operation : test_case.program) {
      if (!enters_collective(operation.kind)) continue;
      EXPECT_EQ(operation.collective, Collective::all_reduce);
      EXPECT_EQ(operation.algorithm, Algorithm{});
      pairs.insert(fmt::format("{}/{}", name_of(operation.dtype), name_of(operation.op)));
    }
  }
  EXPECT_EQ(pairs, (std::set<std::string>{"uint16/bxor", "uint16/max", "float64/max"}));
}

TEST(Choices, EveryCollectiveCanBeDrawnAlone) {
  for (const auto collective : drawn_collectives()) {
    Space space;
    space.collectives = {collective};
    ASSERT_TRUE(check(space).has_value()) << name_of(collective);
    int entries = 0;
    for_each_entry(cases_of(space, 3, 100), [&](const Case&, const Operation& o) {
      EXPECT_EQ(o.collective, collective);
      ++entries;
    });
    EXPECT_GT(entries, 150) << name_of(collective);
  }
}

TEST(Choices, WhoAsksForAnOperatorGetsReductions) {
  Space space;
  space.ops = {Op::max};
  for_each_call(cases_of(space, 3, 300),
                [](const Case&, const Operation& o) { EXPECT_EQ(o.op, Op::max); });
}

TEST(Choices, ProgramsOfOneOperationCanBeDrawn) {
  auto space = programs();
  space.operations_max = 1;
  for (const auto& test_case : cases_of(space, 3, 300)) EXPECT_EQ(test_case.program.size(), 1u);
}

std::string refusal(const std::function<void(Space&)>& change) {
  Space space;
  change(space);
  const auto status = check(space);
  return status ? "" : status.error().message;
}

TEST(Choices, ASpaceWithNothingToDrawIsRefused) {
  using testing::HasSubstr;
  EXPECT_EQ(refusal([](Space&) {}), "");
  EXPECT_THAT(refusal([](Space& s) { s.ranks = {}; }), HasSubstr("ranks"));
  EXPECT_THAT(refusal([](Space& s) { s.ranks = {2, 0}; }), HasSubstr("ranks: 0"));
  EXPECT_THAT(refusal([](Space& s) { s.dtypes = {Dtype::float16}; }), HasSubstr("float16"));
  EXPECT_THAT(refusal([](Space& s) { s.ops = {Op::avg}; }), HasSubstr("avg"));
  EXPECT_THAT(refusal([](Space& s) {
                s.ops = {Op::band};
                s.dtypes = {Dtype::float32};
              }),
              HasSubstr("op and dtype"));
  EXPECT_THAT(refusal([](Space& s) {
                s.ops = {Op::max};
                s.collectives = {Collective::gather};
              }),
              HasSubstr("takes an operator"));
  EXPECT_THAT(refusal([](Space& s) {
                s.properties = {"repeatable", "permutation_invariant"};
                s.ranks = {1};
              }),
              HasSubstr("permutation_invariant: it needs a world of 2 ranks"));
  EXPECT_THAT(refusal([](Space& s) {
                s.properties = {"scaling_linear"};
                s.ops = {Op::bxor};
              }),
              HasSubstr("scaling_linear: it says nothing about these operators"));
  EXPECT_THAT(refusal([](Space& s) {
                s.properties = {"ranks_agree"};
                s.collectives = {Collective::gather, Collective::scan};
              }),
              HasSubstr("about broadcast, all_reduce, all_gather, all_gatherv"));
  EXPECT_THAT(refusal([](Space& s) {
                s.properties = {"split_equals_whole"};
                s.operations_max = 2;
              }),
              HasSubstr("split_equals_whole: it needs 3 operations"));
  EXPECT_THAT(refusal([](Space& s) { s.operations_max = 0; }), HasSubstr("operations_max"));
  EXPECT_THAT(refusal([](Space& s) { s.bytes_max = 511; }), HasSubstr("bytes_max"));
}

}  // namespace
}  // namespace allprove
