// Shrinking, against bugs that are predicates on a case: which minimum it ends in, and how fast.
#include "framework/search/shrink.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "framework/base/enum_table.h"
#include "framework/model/case_json.h"
#include "framework/search/gen.h"
#include "framework/search/generate.h"
#include "framework/search/weight.h"

namespace allprove {
namespace {

constexpr ShrinkBudget kAmple{.tries_max = 100'000, .time_max = std::chrono::seconds(60)};
constexpr int kTriesMax = 300;

using Bug = std::function<bool(const Case&)>;

bool on_some_operation(const Case& test_case, const std::function<bool(const Operation&)>& bad) {
  return std::ranges::any_of(test_case.program, [&](const Operation& operation) {
    return enters_collective(operation.kind) && traits_of(operation.collective).moves_data &&
           bad(operation);
  });
}

int members(const Case& test_case, const Operation& operation) {
  return static_cast<int>(membership_of(test_case, operation.group, 0).members.size());
}

// The first cases of some seeds that show the bug, each shrunk; every one must end within the
// tries.
std::vector<Case> minima(const Bug& bug, int wanted = 12) {
  std::vector<Case> found;
  for (std::uint64_t seed = 1; seed <= 200 && std::ssize(found) < wanted; ++seed) {
    const Generator generator(seed, Space{});
    for (std::uint64_t k = 0; k < 400; ++k) {
      const auto drawn = generator.at(k * 16);
      if (!bug(drawn)) continue;
      const auto shrunk = shrink(drawn, bug, kAmple);
      EXPECT_LE(shrunk.tries, kTriesMax) << describe(drawn);
      EXPECT_FALSE(shrunk.exhausted);
      EXPECT_TRUE(bug(shrunk.test_case));
      EXPECT_TRUE(validate(shrunk.test_case).has_value());
      found.push_back(shrunk.test_case);
      break;
    }
  }
  EXPECT_EQ(std::ssize(found), wanted) << "the bug is hardly ever drawn";
  return found;
}

void expect_minimum(const Bug& bug, const Case& expected) {
  for (const auto& minimum : minima(bug)) {
    EXPECT_EQ(to_json(minimum).dump(), to_json(expected).dump());
  }
}

Space only_ranks(std::vector<int> ranks) {
  Space space;
  space.ranks = std::move(ranks);
  return space;
}

// One call of one element, as plain as can be, with something changed.
Case plain_case(
    int ranks, const std::function<void(Operation&)>& change = [](Operation&) {}) {
  Case plain;
  plain.ranks = ranks;
  plain.program = {Operation{}};
  plain.program[0].shape = {1};
  change(plain.program[0]);
  return plain;
}

TEST(Shrink, AnyAllReduceEndsInTheSmallestCaseOfAll) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) { return o.collective == Collective::all_reduce; });
      },
      plain_case(1));
}

TEST(Shrink, WorldThatIsNoPowerOfTwoEndsWithThreeRanks) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [&](auto& o) {
          const int size = members(c, o);
          return o.collective == Collective::all_reduce && (size & (size - 1)) != 0;
        });
      },
      plain_case(3));
}

TEST(Shrink, WrongTailOfFourEndsWithOneElement) {
  expect_minimum(
      [](const Case& c) {
        return c.ranks >= 2 && on_some_operation(c, [](auto& o) {
                 return o.collective == Collective::all_reduce && count_of(o) % 4 != 0;
               });
      },
      plain_case(2));
}

TEST(Shrink, LongBuffersEndAtTheThreshold) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return o.collective == Collective::all_reduce && count_of(o) >= 2048;
        });
      },
      plain_case(1, [](Operation& o) { o.shape = {2048}; }));
}

TEST(Shrink, OneOperatorOnOneTypeKeepsBoth) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(
            c, [](auto& o) { return o.op == Op::bxor && o.dtype == Dtype::uint16; });
      },
      plain_case(1, [](Operation& o) {
        o.op = Op::bxor;
        o.dtype = Dtype::uint16;
      }));
}

TEST(Shrink, NonblockingKeepsTheModeAndLosesTheRequest) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return o.collective == Collective::all_reduce && o.mode == Mode::nonblocking;
        });
      },
      plain_case(1, [](Operation& o) { o.mode = Mode::nonblocking; }));
}

TEST(Shrink, InPlaceStaysInPlace) {
  expect_minimum(
      [](const Case& c) { return on_some_operation(c, [](auto& o) { return o.in_place; }); },
      plain_case(1, [](Operation& o) { o.in_place = true; }));
}

TEST(Shrink, ThreeDimensionsStayThree) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return o.collective == Collective::all_reduce && o.shape.size() == 3;
        });
      },
      plain_case(1, [](Operation& o) {
        o.shape = {1, 1, 1};
      }));
}

TEST(Shrink, SeveralDimensionsEndAsTwo) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return o.collective == Collective::all_reduce && o.shape.size() > 1;
        });
      },
      plain_case(1, [](Operation& o) {
        o.shape = {1, 1};
      }));
}

TEST(Shrink, ReversedSplitEndsWithTwoRanksInReverse) {
  Case expected = plain_case(2, [](Operation& o) { o.group = 1; });
  expected.groups.push_back({GroupKind::split, {{1, 0}}});
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [&](auto& o) {
          if (o.collective != Collective::all_reduce) return false;
          return std::ranges::any_of(
              c.groups[static_cast<std::size_t>(o.group)].parts,
              [](const auto& part) { return part.size() > 1 && part.front() > part.back(); });
        });
      },
      expected);
}

TEST(Shrink, DuplicateStaysADuplicate) {
  Case expected = plain_case(1, [](Operation& o) { o.group = 1; });
  expected.groups.push_back({GroupKind::duplicate, {}});
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [&](auto& o) {
          return o.collective == Collective::all_reduce &&
                 c.groups[static_cast<std::size_t>(o.group)].kind == GroupKind::duplicate;
        });
      },
      expected);
}

TEST(Shrink, FloatingPointEndsAsFloat32) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return o.collective == Collective::all_reduce && is_floating(o.dtype);
        });
      },
      plain_case(1, [](Operation& o) { o.dtype = Dtype::float32; }));
}

TEST(Shrink, TwoRequestsInFlightStayInFlight) {
  const auto two_in_flight = [](const Case& c) {
    int in_flight = 0;
    for (const auto& o : c.program) {
      in_flight += o.kind == OperationKind::start ? 1 : completes_request(o.kind) ? -1 : 0;
      if (in_flight == 2) return true;
    }
    return false;
  };
  for (const auto& minimum : minima(two_in_flight)) {
    EXPECT_EQ(minimum.ranks, 1);
    EXPECT_EQ(minimum.program.size(), 4u) << describe(minimum);
  }
}

// Twins are needed: the bug shows in nothing but a call and the same call in place.
TEST(Shrink, TwinsAreSimplifiedTogether) {
  const auto twins = [](const Case& c) {
    return on_some_operation(c, [&](auto& a) {
      if (a.in_place || a.kind != OperationKind::call) return false;
      Operation twin = a;
      twin.in_place = true;
      return count_of(a) >= 1 && std::ranges::count(c.program, twin) > 0;
    });
  };
  for (const auto& minimum : minima(twins)) {
    ASSERT_EQ(minimum.program.size(), 2u);
    EXPECT_EQ(minimum.ranks, 1);
    for (const auto& operation : minimum.program) {
      Operation plain = plain_case(1).program[0];
      plain.in_place = operation.in_place;
      EXPECT_EQ(operation, plain) << to_json(minimum).dump();
    }
  }
}

bool is_split(const Case& c) {
  return on_some_operation(c, [&](auto& whole) {
    if (whole.cut <= 0 || count_of(whole) <= whole.cut) return false;
    const auto has_piece = [&](std::int64_t first, std::int64_t count) {
      return on_some_operation(c, [&](auto& piece) {
        return piece.data.seed == whole.data.seed && piece.dtype == whole.dtype &&
               piece.op == whole.op && piece.data.first == first && count_of(piece) == count;
      });
    };
    return has_piece(whole.data.first, whole.cut) &&
           has_piece(whole.data.first + whole.cut, count_of(whole) - whole.cut);
  });
}

TEST(Shrink, ABufferAndItsPiecesShrinkTogether) {
  for (const auto& minimum : minima(is_split)) {
    ASSERT_EQ(minimum.program.size(), 3u) << to_json(minimum).dump();
    EXPECT_EQ(weight_of(minimum)[4], 4) << to_json(minimum).dump();  // [2] = [1] and [1]
    EXPECT_EQ(minimum.ranks, 1);
    for (const auto& operation : minimum.program) {
      EXPECT_EQ(operation.dtype, Dtype::int32);
      EXPECT_EQ(operation.data.seed, 0u);
      EXPECT_EQ(operation.skew, 0);
    }
  }
}

// The pending communicator: begun on it, freed, and only then completed.
TEST(Shrink, FreeingACommunicatorInUseNeedsThreeOperations) {
  const auto freed_in_use = [](const Case& c) {
    std::map<int, int> group_of;  // by request
    for (const auto& o : c.program) {
      if (o.kind == OperationKind::start) group_of[o.request] = o.group;
      if (completes_request(o.kind)) group_of.erase(o.request);
      if (o.kind == OperationKind::comm_free && c.ranks > 1 &&
          std::ranges::any_of(group_of, [&](auto& entry) { return entry.second == o.group; })) {
        return true;
      }
    }
    return false;
  };
  for (const auto& minimum : minima(freed_in_use)) {
    EXPECT_EQ(minimum.ranks, 2);
    EXPECT_EQ(minimum.program.size(), 3u) << describe(minimum);
    EXPECT_EQ(minimum.groups.size(), 2u);
    EXPECT_NE(minimum.program[1].group, 0) << "the world cannot be freed";
  }
}

TEST(Shrink, APartOfThreeInALargerWorldLosesTheOtherRanks) {
  const auto part_of_three = [](const Case& c) {
    return on_some_operation(c, [&](auto& o) {
      return std::ranges::any_of(c.groups[static_cast<std::size_t>(o.group)].parts,
                                 [](const auto& part) { return part.size() == 3; });
    });
  };
  for (const auto& minimum : minima(part_of_three)) {
    EXPECT_EQ(minimum.ranks, 3);
    ASSERT_EQ(minimum.groups.size(), 2u);
    EXPECT_EQ(minimum.groups[1].parts, (std::vector<std::vector<int>>{{0, 1, 2}}));
  }
}

int calls_in(const Case& c) {
  return static_cast<int>(std::ranges::count_if(
      c.program, [](const Operation& o) { return enters_collective(o.kind); }));
}

// A feature of one operation that a failure may need.
struct Feature {
  std::string name;
  std::function<bool(const Case&, const Operation&)> there;
  bool implied = false;  // other features may bring it
};

std::vector<Feature> features() {
  using O = Operation;
  std::vector<Feature> list = {
      {"in place", [](auto&, const O& o) { return o.in_place; }},
      {"nonblocking", [](auto&, const O& o) { return o.mode == Mode::nonblocking; }},
      {"skewed", [](auto&, const O& o) { return o.skew != 0; }},
      {"divided", [](auto&, const O& o) { return o.divide; }},
      {"by an algorithm", [](auto&, const O& o) { return o.algorithm.pick != 0; }},
      {"not on the world", [](auto&, const O& o) { return o.group != 0; }},
      {"of several dimensions", [](auto&, const O& o) { return o.shape.size() > 1; }},
      {"of more than 9 elements", [](auto&, const O& o) { return count_of(o) > 9; }, true},
      {"of an even count", [](auto&, const O& o) { return count_of(o) % 2 == 0; }, true},
      {"on 3 ranks or more", [](const Case& c, auto&) { return c.ranks >= 3; }},
      {"with other calls", [](const Case& c, auto&) { return calls_in(c) >= 3; }},
      {"rotated", [](auto&, const O& o) { return o.data.rotate != 0; }},
      {"scaled", [](auto&, const O& o) { return o.data.scale != 0; }},
      {"special", [](auto&, const O& o) { return o.data.family == Family::special; }},
      {"seeded", [](auto&, const O& o) { return o.data.seed > 1000; }},
  };
  for (const auto dtype : {Dtype::int8, Dtype::uint64, Dtype::float64}) {
    list.push_back(
        {std::string(name_of(dtype)), [=](auto&, const O& o) { return o.dtype == dtype; }});
  }
  for (const auto op : {Op::max, Op::prod}) {
    list.push_back({std::string(name_of(op)), [=](auto&, const O& o) { return o.op == op; }});
  }
  return list;
}

TEST(Shrink, WhatAFailureDoesNotNeedIsGone) {
  const auto all = features();
  const Generator generator(17, Space{});
  RandomStream stream(17);
  int shrunk_cases = 0;
  for (std::uint64_t k = 0; k < 600; ++k) {
    const std::vector<const Feature*> needed = {&all[stream.below(all.size())],
                                                &all[stream.below(all.size())]};
    const auto shows = [&](const Case& c, const Operation& o) {
      return o.collective == Collective::all_reduce &&
             std::ranges::all_of(needed, [&](auto* feature) { return feature->there(c, o); });
    };
    const Bug bug = [&](const Case& c) {
      return on_some_operation(c, [&](auto& o) { return shows(c, o); });
    };
    const auto drawn = generator.at(k);
    if (!bug(drawn)) continue;
    ++shrunk_cases;
    const auto shrunk = shrink(drawn, bug, kAmple);
    const auto& minimum = shrunk.test_case;
    const auto text =
        fmt::format("{} and {}: {}", needed[0]->name, needed[1]->name, to_json(minimum).dump());
    EXPECT_LE(shrunk.tries, kTriesMax) << text;
    for (const auto& feature : all) {
      if (std::ranges::count(needed, &feature) > 0 || feature.implied) continue;
      EXPECT_FALSE(
          on_some_operation(minimum, [&](const Operation& o) { return feature.there(minimum, o); }))
          << feature.name << ", " << text;
    }
    const bool several = std::ranges::any_of(
        needed, [](auto* feature) { return feature->name == "with other calls"; });
    EXPECT_EQ(minimum.program.size(), several ? 3u : 1u) << text;
    EXPECT_LE(weight_of(minimum)[4], 12) << text;
  }
  EXPECT_GT(shrunk_cases, 100);
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

TEST(Shrink, OperationsOfDifferentLengthsGetThereOneByOne) {
  const auto bug = [](const Case& c) {
    const auto has = [&](Op op, std::int64_t least) {
      return on_some_operation(c, [&](auto& o) { return o.op == op && count_of(o) >= least; });
    };
    return has(Op::max, 10) && has(Op::band, 3);
  };
  for (const auto& minimum : minima(bug)) {
    ASSERT_EQ(minimum.program.size(), 2u);
    EXPECT_EQ(weight_of(minimum)[4], 13) << to_json(minimum).dump();
  }
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
