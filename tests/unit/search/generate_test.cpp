// Drawing: what is the same, what is valid, and that everything that can be wrong is drawn often.
#include "framework/search/generate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "framework/base/enum_table.h"
#include "framework/model/case_json.h"

namespace allprove {
namespace {

std::string text_of(const Case& test_case) { return to_json(test_case).dump(); }

std::vector<Case> cases_of(const Space& space, std::uint64_t seed, std::uint64_t count) {
  const Generator generator(seed, space);
  std::vector<Case> cases;
  for (std::uint64_t k = 0; k < count; ++k) cases.push_back(generator.at(k));
  return cases;
}

const std::vector<Case>& drawn() {
  static const auto cases = cases_of(Space{}, 7, 3000);
  return cases;
}

template <class Visit>
void for_each_all_reduce(const std::vector<Case>& cases, Visit visit) {
  for (const auto& test_case : cases) {
    for (const auto& operation : test_case.program) {
      if (enters_collective(operation.kind) && operation.collective == Collective::all_reduce) {
        visit(test_case, operation);
      }
    }
  }
}

// How often each value of something occurs among the all-reduces.
std::map<std::string, int> tally(
    const std::function<std::string(const Case&, const Operation&)>& value_of) {
  std::map<std::string, int> counts;
  for_each_all_reduce(drawn(),
                      [&](const Case& c, const Operation& o) { ++counts[value_of(c, o)]; });
  return counts;
}

void expect_each_at_least(const std::map<std::string, int>& counts,
                          const std::vector<std::string>& values, int least) {
  for (const auto& value : values) {
    const auto found = counts.find(value);
    EXPECT_GE(found == counts.end() ? 0 : found->second, least) << value;
  }
}

TEST(Generator, TheSameNumberGivesTheSameCaseInAnyOrder) {
  const Generator generator(42, Space{});
  std::vector<Case> forwards;
  for (std::uint64_t k = 0; k < 200; ++k) forwards.push_back(generator.at(k));
  const Generator again(42, Space{});
  for (std::uint64_t k = 200; k-- > 0;) EXPECT_EQ(again.at(k), forwards[k]);
}

TEST(Generator, OtherSeedsGiveOtherCases) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto& test_case : cases_of(Space{}, seed, 20)) texts.insert(text_of(test_case));
  }
  EXPECT_EQ(texts.size(), 400u);
}

// A changed value is right where drawing was meant to change; it then stands in the failure. Seeds
// in old reports and bug trackers give other cases from then on: say so in the commit.
TEST(Generator, CasesOfASeedDoNotChangeByAccident) {
  std::uint64_t hash = 0;
  for (const auto& test_case : cases_of(Space{}, 7, 256)) {
    for (const char c : text_of(test_case)) hash = mix64(hash ^ static_cast<unsigned char>(c));
  }
  EXPECT_EQ(fmt::format("{:016x}", hash), "e50263db721f2fba");
}

TEST(Generator, EveryCaseIsValidAndWithinTheSpace) {
  Space space;
  space.ranks = {1, 3, 4, 9};
  space.bytes_max = 5000;
  space.operations_max = 9;
  for (const auto& test_case : cases_of(space, 11, 2000)) {
    const auto status = validate(test_case);
    ASSERT_TRUE(status.has_value()) << status.error().message << text_of(test_case);
    EXPECT_TRUE(std::ranges::count(space.ranks, test_case.ranks));
    EXPECT_LE(test_case.program.size(), 9u);
    EXPECT_GE(test_case.program.size(), 1u);
    EXPECT_TRUE(test_case.faults.empty());
    for (const auto& operation : test_case.program) {
      EXPECT_LE(count_of(operation) * static_cast<std::int64_t>(size_of(operation.dtype)), 5000);
    }
  }
}

TEST(Generator, EveryGroupIsUsed) {
  for (const auto& test_case : drawn()) {
    for (std::size_t g = 1; g < test_case.groups.size(); ++g) {
      EXPECT_TRUE(std::ranges::any_of(test_case.program, [&](const Operation& operation) {
        return operation.group == static_cast<int>(g);
      }));
    }
  }
}

TEST(Generator, WorldSizesComeInRuns) {
  const auto& cases = drawn();
  for (std::size_t k = 0; k < cases.size(); ++k) {
    EXPECT_EQ(cases[k].ranks, cases[k / 64 * 64].ranks);
  }
}

TEST(Generator, EveryWorldSizeHasItsTurnAndAwkwardOnesMore) {
  const Generator generator(3, Space{});
  constexpr int kRound = 1 + 3 * 2 + 4 * 3;
  for (int round = 0; round < 3; ++round) {
    std::map<int, int> runs;
    for (int run = 0; run < kRound; ++run) {
      ++runs[generator.at(static_cast<std::uint64_t>(round * kRound + run) * 64).ranks];
    }
    EXPECT_EQ(runs,
              (std::map<int, int>{{1, 1}, {2, 2}, {4, 2}, {8, 2}, {3, 3}, {5, 3}, {6, 3}, {7, 3}}));
  }
}

TEST(Generator, ThousandsOfOperationsUseFewCommunicators) {
  std::map<int, std::set<std::string>> groups_of_size;
  for (const auto& test_case : drawn()) {
    for (const auto& group : test_case.groups) {
      groups_of_size[test_case.ranks].insert(
          fmt::format("{} {}", name_of(group.kind), nlohmann::json(group.parts).dump()));
    }
  }
  for (const auto& [ranks, groups] : groups_of_size) EXPECT_LE(groups.size(), 11u) << ranks;
  EXPECT_GE(groups_of_size[5].size(), 8u);
}

TEST(Generator, EveryTypeMeetsEveryOperator) {
  const auto pairs = tally([](const Case&, const Operation& o) {
    return fmt::format("{}/{}", name_of(o.dtype), name_of(o.op));
  });
  EXPECT_EQ(pairs.size(), 8u * 9 + 2 * 4);
  for (const auto& [pair, count] : pairs) EXPECT_GE(count, 40) << pair;
}

TEST(Generator, EveryValueOfEveryDimensionIsDrawnOften) {
  expect_each_at_least(tally([](auto&, auto& o) { return std::string(name_of(o.data.family)); }),
                       {"ramp", "closed", "free", "special"}, 500);
  expect_each_at_least(tally([](auto&, auto& o) { return fmt::format("{}", o.shape.size()); }),
                       {"0", "1", "2", "3", "4", "5"}, 400);
  expect_each_at_least(
      tally([](auto&, auto& o) {
        return fmt::format("{} {} {}", name_of(o.mode), name_of(o.kind), o.in_place);
      }),
      {"blocking call false", "blocking call true", "nonblocking call false",
       "nonblocking call true", "nonblocking start false", "nonblocking start true"},
      300);
  expect_each_at_least(tally([](auto&, auto& o) { return fmt::format("{}", o.skew != 0); }),
                       {"true", "false"}, 5000);
  expect_each_at_least(
      tally([](auto&, auto& o) { return fmt::format("{}", o.algorithm.pick != 0); }),
      {"true", "false"}, 2000);
  expect_each_at_least(tally([](auto&, auto& o) { return fmt::format("{}", o.divide); }),
                       {"true", "false"}, 500);
}

// Dimensions of a count on which code takes another way.
TEST(Generator, CountsOfEveryKindAreDrawnOften) {
  const auto counts = tally([](const Case& c, const Operation& o) {
    const auto n = count_of(o);
    if (n == 0) return "none";
    if (n == 1) return "one";
    if (n < c.ranks) return "fewer than ranks";
    if (n % c.ranks == 1 && c.ranks > 2) return "one more than a multiple of the ranks";
    if (n >= 2048) return "2048 or more";
    if (std::has_single_bit(static_cast<std::uint64_t>(n))) return "power of two";
    if (std::has_single_bit(static_cast<std::uint64_t>(n + 1))) return "below a power of two";
    if (std::has_single_bit(static_cast<std::uint64_t>(n - 1))) return "above a power of two";
    return n % 4 == 0 ? "even" : "with a tail";
  });
  expect_each_at_least(
      counts,
      {"none", "one", "fewer than ranks", "one more than a multiple of the ranks", "2048 or more",
       "power of two", "below a power of two", "above a power of two", "even", "with a tail"},
      250);
}

TEST(Generator, MostBuffersAreSmallAndAFewLarge) {
  const auto sizes = tally([](const Case&, const Operation& o) {
    const auto bytes = count_of(o) * static_cast<std::int64_t>(size_of(o.dtype));
    return bytes <= 4096 ? "small" : bytes <= 65536 ? "medium" : "large";
  });
  const int all = sizes.at("small") + sizes.at("medium") + sizes.at("large");
  EXPECT_GT(sizes.at("small"), all * 85 / 100);
  EXPECT_GT(sizes.at("medium"), all * 2 / 100);
  EXPECT_GT(sizes.at("large"), all * 2 / 1000);
}

// Other ranks' inputs of these families are made anew on every rank.
TEST(Generator, DataThatCostsMuchIsShort) {
  for_each_all_reduce(drawn(), [](const Case&, const Operation& o) {
    const bool costly = o.data.family == Family::free || o.data.family == Family::special;
    EXPECT_LE(count_of(o), costly ? 4096 : 1 << 20);
  });
}

TEST(Generator, EveryKindOfCommunicatorIsDrawnOften) {
  std::map<std::string, int> kinds;
  for_each_all_reduce(drawn(), [&](const Case& c, const Operation& o) {
    const auto& group = c.groups[static_cast<std::size_t>(o.group)];
    ++kinds[std::string(name_of(group.kind))];
    std::size_t members = 0;
    bool reversed = false;
    bool alone = false;
    for (const auto& part : group.parts) {
      members += part.size();
      reversed |= part.size() > 1 && std::ranges::is_sorted(part, std::greater{});
      alone |= part.size() == 1;
    }
    kinds["several parts"] += group.parts.size() > 1;
    kinds["reversed"] += reversed;
    kinds["a rank alone"] += alone && c.ranks > 1;
    kinds["a rank outside"] += members > 0 && static_cast<int>(members) < c.ranks;
  });
  expect_each_at_least(kinds,
                       {"world", "duplicate", "split", "several parts", "reversed", "a rank alone",
                        "a rank outside"},
                       300);
}

TEST(Generator, ProgramsHaveEveryKindOfOperation) {
  std::map<std::string, int> kinds;
  int in_flight_max = 0;
  bool blocking_in_between = false;
  for (const auto& test_case : drawn()) {
    int in_flight = 0;
    for (const auto& operation : test_case.program) {
      ++kinds[std::string(name_of(operation.kind))];
      if (enters_collective(operation.kind)) ++kinds[std::string(name_of(operation.collective))];
      in_flight += operation.kind == OperationKind::start ? 1 : 0;
      in_flight -= completes_request(operation.kind) ? 1 : 0;
      in_flight_max = std::max(in_flight_max, in_flight);
      blocking_in_between |= in_flight > 0 && operation.kind == OperationKind::call;
    }
    kinds["a single operation"] += test_case.program.size() == 1;
    kinds["2 to 8 operations"] += test_case.program.size() >= 2 && test_case.program.size() <= 8;
    kinds["9 or more operations"] += test_case.program.size() >= 9;
    kinds["25 or more operations"] += test_case.program.size() >= 25;
  }
  expect_each_at_least(kinds,
                       {"start", "wait", "test", "barrier", "broadcast", "a single operation",
                        "2 to 8 operations", "9 or more operations"},
                       150);
  expect_each_at_least(kinds, {"comm_create", "comm_free", "delay", "25 or more operations"}, 20);
  EXPECT_GE(in_flight_max, 4);
  EXPECT_TRUE(blocking_in_between);
}

// --- What the properties get to judge --------------------------------------------------------

bool has_pair(const Case& test_case,
              const std::function<bool(const Operation&, const Operation&)>& related) {
  for (const auto& a : test_case.program) {
    for (const auto& b : test_case.program) {
      if (&a != &b && enters_collective(a.kind) && enters_collective(b.kind) && related(a, b)) {
        return true;
      }
    }
  }
  return false;
}

// Equal but for how they are taken apart into start and wait, and for what `change` changes.
bool twins(const Operation& plain, const Operation& varied,
           const std::function<void(Operation&)>& change) {
  Operation expected = plain;
  change(expected);
  expected.kind = varied.kind;
  expected.request = varied.request;
  return expected == varied;
}

// Whether the oracle demands one result, to the bit.
bool is_exact(const Operation& operation) {
  return is_integer(operation.dtype) || operation.data.family == Family::closed;
}

// Whether the case has something to judge for a property that compares operations.
bool serves(const std::string& property, const Case& c) {
  using O = Operation;
  if (property == "mean_needs_division") {
    return std::ranges::any_of(c.program, [](const O& o) { return o.divide; });
  }
  if (property == "split_equals_whole") {
    return std::ranges::any_of(c.program, [&](const O& whole) {
      const auto piece = [&](std::int64_t first, std::int64_t count) {
        return std::ranges::any_of(c.program, [&](const O& o) {
          return whole.cut > 0 && is_exact(whole) && twins(whole, o, [&](O& expected) {
                   expected.cut = kNoCut;
                   expected.shape = {count};
                   expected.data.first = first;
                 });
        });
      };
      return piece(whole.data.first, whole.cut) &&
             piece(whole.data.first + whole.cut, count_of(whole) - whole.cut);
    });
  }
  return has_pair(c, [&](const O& a, const O& b) {
    return twins(a, b,
                 [&](O& o) {
                   if (property == "in_place_equals_out_of_place") o.in_place = true;
                   if (property == "nonblocking_equals_blocking") o.mode = Mode::nonblocking;
                   if (property == "permutation_invariant") o.data.rotate = b.data.rotate;
                   if (property == "scaling_linear" && !a.divide) o.data.scale = b.data.scale;
                   if (property == "elementwise") o.data.altered = true;
                 }) &&
           (property == "repeatable" || (is_exact(a) && !twins(a, b, [](O&) {})));
  });
}

const std::vector<std::string> kComparing = {"mean_needs_division",
                                             "in_place_equals_out_of_place",
                                             "nonblocking_equals_blocking",
                                             "permutation_invariant",
                                             "scaling_linear",
                                             "split_equals_whole",
                                             "elementwise",
                                             "repeatable"};

TEST(Generator, EveryPropertyHasSomethingToJudgeInManyCases) {
  for (const auto& property : kComparing) {
    int cases = 0;
    int served = 0;
    for (const auto& test_case : drawn()) {
      if (test_case.ranks < 2) continue;
      ++cases;
      served += serves(property, test_case) ? 1 : 0;
    }
    EXPECT_GE(served, cases * 8 / 100) << property;
  }
}

TEST(Generator, NamingAPropertyMakesEveryCaseServeIt) {
  for (const auto& property : kComparing) {
    Space space;
    space.properties = {property};
    int served = 0;
    for (const auto& test_case : cases_of(space, 5, 300)) {
      served += serves(property, test_case) ? 1 : 0;
    }
    EXPECT_EQ(served, 300) << property;
  }
}

TEST(Generator, AWorldTooSmallForThePropertyIsNotDrawn) {
  Space space;
  space.properties = {"permutation_invariant"};
  for (const auto& test_case : cases_of(space, 5, 1300)) EXPECT_GE(test_case.ranks, 2);
}

TEST(Generator, PropertiesOfASingleCallGetOne) {
  Space space;
  space.properties = {"input_untouched"};
  for (const auto& test_case : cases_of(space, 5, 300)) {
    EXPECT_TRUE(std::ranges::any_of(test_case.program, [](const Operation& operation) {
      return enters_collective(operation.kind) && !operation.in_place && count_of(operation) > 0;
    }));
  }
}

// --- Filters -----------------------------------------------------------------------------------

TEST(Generator, FiltersAreKept) {
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

TEST(Generator, BarriersAloneAndBroadcastsAloneCanBeDrawn) {
  for (const auto collective : {Collective::barrier, Collective::broadcast}) {
    Space space;
    space.collectives = {collective};
    ASSERT_TRUE(check(space).has_value());
    for (const auto& test_case : cases_of(space, 3, 200)) {
      for (const auto& operation : test_case.program) {
        if (!enters_collective(operation.kind)) continue;
        EXPECT_EQ(operation.collective, collective);
      }
    }
  }
}

TEST(Generator, ProgramsOfOneOperationCanBeDrawn) {
  Space space;
  space.operations_max = 1;
  for (const auto& test_case : cases_of(space, 3, 300)) EXPECT_EQ(test_case.program.size(), 1u);
}

TEST(Generator, BroadcastsComeFromEveryRoot) {
  std::set<int> roots;
  Space space;
  space.ranks = {7};
  for (const auto& test_case : cases_of(space, 3, 300)) {
    for (const auto& operation : test_case.program) {
      if (operation.collective == Collective::broadcast) roots.insert(operation.root);
    }
  }
  EXPECT_EQ(roots.size(), 7u);
}

std::string refusal(const std::function<void(Space&)>& change) {
  Space space;
  change(space);
  const auto status = check(space);
  return status ? "" : status.error().message;
}

TEST(Generator, ASpaceWithNothingToDrawIsRefused) {
  using testing::HasSubstr;
  EXPECT_EQ(refusal([](Space&) {}), "");
  EXPECT_THAT(refusal([](Space& s) { s.ranks = {}; }), HasSubstr("ranks"));
  EXPECT_THAT(refusal([](Space& s) { s.ranks = {2, 0}; }), HasSubstr("ranks: 0"));
  EXPECT_THAT(refusal([](Space& s) { s.collectives = {Collective::scan}; }), HasSubstr("scan"));
  EXPECT_THAT(refusal([](Space& s) { s.dtypes = {Dtype::complex64}; }), HasSubstr("complex64"));
  EXPECT_THAT(refusal([](Space& s) { s.ops = {Op::minloc}; }), HasSubstr("minloc"));
  EXPECT_THAT(refusal([](Space& s) {
                s.ops = {Op::band};
                s.dtypes = {Dtype::float32};
              }),
              HasSubstr("op and dtype"));
  EXPECT_THAT(refusal([](Space& s) {
                s.properties = {"permutation_invariant"};
                s.ranks = {1};
              }),
              HasSubstr("property"));
  EXPECT_THAT(refusal([](Space& s) {
                s.properties = {"split_equals_whole"};
                s.operations_max = 2;
              }),
              HasSubstr("property"));
  EXPECT_THAT(refusal([](Space& s) { s.operations_max = 0; }), HasSubstr("operations_max"));
  EXPECT_THAT(refusal([](Space& s) { s.bytes_max = 0; }), HasSubstr("bytes_max"));
}

}  // namespace
}  // namespace allprove
