// Shrinking, against bugs that are predicates on a case: which minimum it ends in, and how fast.
#include "framework/search/shrink.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "framework/base/enum_table.h"
#include "framework/model/blocks.h"
#include "framework/model/case_json.h"
#include "framework/search/weight.h"
#include "tests/unit/search/planted.h"

namespace allprove {
namespace {

TEST(Minima, AnyAllReduceEndsInTheSmallestCaseOfAll) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) { return o.collective == Collective::all_reduce; });
      },
      plain_case(1));
}

TEST(Minima, WorldThatIsNoPowerOfTwoEndsWithThreeRanks) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [&](auto& o) {
          const int size = members(c, o);
          return o.collective == Collective::all_reduce && (size & (size - 1)) != 0;
        });
      },
      plain_case(3));
}

TEST(Minima, WrongTailOfFourEndsWithOneElement) {
  expect_minimum(
      [](const Case& c) {
        return c.ranks >= 2 && on_some_operation(c, [](auto& o) {
                 return o.collective == Collective::all_reduce && count_of(o) % 4 != 0;
               });
      },
      plain_case(2));
}

TEST(Minima, LongBuffersEndAtTheThreshold) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return o.collective == Collective::all_reduce && count_of(o) >= 2048;
        });
      },
      plain_case(1, [](Operation& o) { o.shape = {2048}; }));
}

TEST(Minima, OneOperatorOnOneTypeKeepsBoth) {
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

TEST(Minima, OneOperatorOnAPairEndsWithTheSimplestPair) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) { return o.op == Op::maxloc; });
      },
      plain_case(1, [](Operation& o) {
        o.op = Op::maxloc;
        o.dtype = Dtype::two_int;
      }));
}

TEST(Minima, AnOperatorThatDoesNotCommuteEndsWithOneOperandOfTheSmaller) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [&](auto& o) {
          return traits_of(o.collective).reduces && !traits_of(o.op).commutative &&
                 members(c, o) > 2;
        });
      },
      plain_case(3, [](Operation& o) {
        o.op = Op::user_affine;
        o.shape = {2};
      }));
}

TEST(Minima, OperandsThatLieApartEndInOneLayoutForBothBuffers) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return traits_of(o.collective).reduces && o.send_layout.kind != LayoutKind::dense;
        });
      },
      plain_case(1, [](Operation& o) {
        o.op = Op::user_sum;
        o.send_layout.kind = o.receive_layout.kind = LayoutKind::contiguous;
      }));
}

TEST(Minima, NonblockingKeepsTheModeAndLosesTheRequest) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return o.collective == Collective::all_reduce && o.mode == Mode::nonblocking;
        });
      },
      plain_case(1, [](Operation& o) { o.mode = Mode::nonblocking; }));
}

TEST(Minima, InPlaceStaysInPlace) {
  expect_minimum(
      [](const Case& c) { return on_some_operation(c, [](auto& o) { return o.in_place; }); },
      plain_case(1, [](Operation& o) { o.in_place = true; }));
}

TEST(Minima, ThreeDimensionsStayThree) {
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

TEST(Minima, SeveralDimensionsEndAsTwo) {
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

TEST(Minima, ReversedSplitEndsWithTwoRanksInReverse) {
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

TEST(Minima, DuplicateStaysADuplicate) {
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

TEST(Minima, FloatingPointEndsAsFloat32) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return o.collective == Collective::all_reduce && is_floating(o.dtype);
        });
      },
      plain_case(1, [](Operation& o) { o.dtype = Dtype::float32; }));
}

TEST(Minima, TwoRequestsInFlightStayInFlight) {
  Case expected = plain_case(1, [](Operation& o) {
    o.kind = OperationKind::start;
    o.mode = Mode::nonblocking;
    o.request = 0;
  });
  expected.program.push_back(expected.program[0]);
  expected.program[1].request = 1;
  expected.program.emplace_back().kind = OperationKind::wait_all;
  expect_minimum(
      [](const Case& c) {
        std::set<int> in_flight;
        for (const auto& o : c.program) {
          const bool moves_data = traits_of(o.collective).moves_data;
          if (o.kind == OperationKind::start && moves_data) in_flight.insert(o.request);
          if (in_flight.size() == 2) return true;
          if (completes_request(o.kind)) in_flight.erase(o.request);
          if (completes_all(o.kind)) in_flight.clear();
        }
        return false;
      },
      expected);
}

// Twins are needed: the bug shows in nothing but a call and the same call in place.
TEST(Minima, TwinsAreSimplifiedTogether) {
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

TEST(Minima, ABufferAndItsPiecesShrinkTogether) {
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
TEST(Minima, FreeingACommunicatorInUseNeedsThreeOperations) {
  const auto freed_in_use = [](const Case& c) {
    std::map<int, int> group_of;  // by request
    for (const auto& o : c.program) {
      if (o.kind == OperationKind::start) group_of[o.request] = o.group;
      if (completes_request(o.kind)) group_of.erase(o.request);
      if (completes_all(o.kind)) group_of.clear();
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

TEST(Minima, APartOfThreeInALargerWorldLosesTheOtherRanks) {
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
      {"persistent", [](auto&, const O& o) { return o.mode == Mode::persistent; }},
      {"from another root", [](auto&, const O& o) { return o.root != 0; }},
      {"with an empty block",
       [](auto&, const O& o) { return std::ranges::count(o.counts, 0) > 0; }},
      {"with holes", [](auto&, const O& o) { return o.holes != 0; }},
      {"out of order", [](auto&, const O& o) { return o.order != 0; }},
      {"from a layout", [](auto&, const O& o) { return o.send_layout != Layout{}; }},
      {"to a layout", [](auto&, const O& o) { return o.receive_layout != Layout{}; }},
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

TEST(Minima, WhatAFailureDoesNotNeedIsGone) {
  const auto all = features();
  const Generator generator(17, Space{});
  RandomStream stream(17);
  int shrunk_cases = 0;
  for (std::uint64_t k = 0; k < 2000; ++k) {
    const std::vector<const Feature*> needed = {&all[stream.below(all.size())],
                                                &all[stream.below(all.size())]};
    const auto shows = [&](const Case& c, const Operation& o) {
      return std::ranges::all_of(needed, [&](auto* feature) { return feature->there(c, o); });
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

// --- Blocks and layouts --------------------------------------------------------------------------

Bug some(const std::function<bool(const Operation&)>& bad) {
  return [=](const Case& c) { return on_some_operation(c, bad); };
}

TEST(Minima, AnEmptyBlockEndsAlone) {
  expect_minimum(some([](auto& o) {
                   return o.collective == Collective::gatherv &&
                          std::ranges::count(o.counts, 0) > 0;
                 }),
                 plain_case(1, [](Operation& o) {
                   o.collective = Collective::gatherv;
                   o.shape = {};
                   o.counts = {0};
                 }));
}

TEST(Minima, AnEmptyBlockBesideOthersEndsWithTwo) {
  expect_minimum(some([](auto& o) {
                   return o.collective == Collective::all_gatherv && o.counts.size() > 1 &&
                          std::ranges::count(o.counts, 0) > 0 && std::ranges::max(o.counts) > 0;
                 }),
                 plain_case(1, [](Operation& o) {
                   o.collective = Collective::all_gatherv;
                   o.shape = {};
                   o.counts = {0, 1};
                 }));
}

TEST(Minima, BlocksThatDifferEndAsOneAndTwo) {
  expect_minimum(
      [](const Case& c) {
        return c.ranks > 1 && on_some_operation(c, [&](auto& o) {
                 if (o.collective != Collective::all_to_allv || o.group != 0) return false;
                 const auto blocks = given_blocks(block_sizes_of(c, o, membership_of(c, 0, 0)), 0);
                 return blocks[0] != blocks[1];
               });
      },
      plain_case(2, [](Operation& o) {
        o.collective = Collective::all_to_allv;
        o.shape = {};
        o.counts = {1, 2};
      }));
}

TEST(Minima, UnequalPartsOfAReductionOnThreeRanksKeepTheRanks) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [&](auto& o) {
          return o.collective == Collective::reduce_scatter && members(c, o) == 3 &&
                 !o.counts.empty() && std::ranges::min(o.counts) != std::ranges::max(o.counts);
        });
      },
      plain_case(3, [](Operation& o) {
        o.collective = Collective::reduce_scatter;
        o.shape = {};
        o.counts = {1, 2};
      }));
}

TEST(Minima, LargeBlocksEndAtTheThreshold) {
  expect_minimum(some([](auto& o) {
                   return o.collective == Collective::scatterv && !o.counts.empty() &&
                          std::ranges::max(o.counts) >= 100;
                 }),
                 plain_case(1, [](Operation& o) {
                   o.collective = Collective::scatterv;
                   o.shape = {};
                   o.counts = {100};
                 }));
}

// Whatever the collective was, the simplest that has the place stays.
TEST(Minima, OrderAndHolesEndInAGatherOfBlocks) {
  expect_minimum(some([](auto& o) { return o.order != 0; }), plain_case(1, [](Operation& o) {
                   o.collective = Collective::gatherv;
                   o.order = 1;
                 }));
  expect_minimum(some([](auto& o) { return o.holes >= 3; }), plain_case(1, [](Operation& o) {
                   o.collective = Collective::gatherv;
                   o.holes = 3;
                 }));
}

TEST(Minima, AnyLayoutEndsAsTheSimplestOne) {
  expect_minimum(some([](auto& o) { return o.receive_layout.kind != LayoutKind::dense; }),
                 plain_case(1, [](Operation& o) {
                   o.collective = Collective::broadcast;
                   o.receive_layout.kind = LayoutKind::contiguous;
                 }));
}

TEST(Minima, ALayoutOnOnePositionStaysThere) {
  expect_minimum(some([](auto& o) {
                   return layout_at(o.receive_layout, 1).kind == LayoutKind::vector &&
                          layout_at(o.receive_layout, 0).kind == LayoutKind::dense;
                 }),
                 plain_case(1, [](Operation& o) {
                   o.collective = Collective::broadcast;
                   o.receive_layout = {.kind = LayoutKind::vector, .ranks = 0b10};
                 }));
}

TEST(Minima, ItemsAndGapsOfALayoutEndAtTheirThresholds) {
  expect_minimum(some([](auto& o) {
                   const auto& layout = o.send_layout;
                   return layout.kind == LayoutKind::structure && layout.items >= 2 &&
                          layout.gap >= 2;
                 }),
                 plain_case(1, [](Operation& o) {
                   o.collective = Collective::gather;
                   o.send_layout = {.kind = LayoutKind::structure, .items = 2, .gap = 2};
                 }));
}

// --- Requests ------------------------------------------------------------------------------------

Case requests(Mode mode, const std::vector<int>& starts_and_waits) {
  Case test_case = plain_case(1);
  test_case.program.clear();
  std::set<int> open;
  for (const int request : starts_and_waits) {
    Operation operation;
    operation.request = request;
    operation.kind = OperationKind::wait;
    if (open.erase(request) == 0) {
      open.insert(request);
      operation.kind = OperationKind::start;
      operation.mode = mode;
      operation.shape = {1};
    }
    test_case.program.push_back(operation);
  }
  return test_case;
}

int starts_max(const Case& c) {
  std::map<int, int> starts;
  int most = 0;
  for (const auto& o : c.program) {
    if (o.kind != OperationKind::start || o.mode != Mode::persistent) continue;
    if (!traits_of(o.collective).moves_data) continue;
    most = std::max(most, ++starts[o.request]);
  }
  return most;
}

TEST(Minima, AThirdStartNeedsThreeStartsOfOneRequest) {
  expect_minimum([](const Case& c) { return starts_max(c) >= 3; },
                 requests(Mode::persistent, {0, 0, 0, 0, 0, 0}));
}

TEST(Minima, WaitingForSomeOfTwoNeedsTwoStarts) {
  Case expected = requests(Mode::nonblocking, {0, 1});
  expected.program.emplace_back().kind = OperationKind::wait_some;
  expect_minimum(
      [](const Case& c) {
        std::set<int> open;
        for (const auto& o : c.program) {
          const bool moves_data = traits_of(o.collective).moves_data;
          if (o.kind == OperationKind::start && moves_data) open.insert(o.request);
          if (completes_request(o.kind)) open.erase(o.request);
          if (o.kind == OperationKind::wait_some && open.size() >= 2) return true;
          if (completes_all(o.kind)) open.clear();
        }
        return false;
      },
      expected);
}

TEST(Minima, TestingALaterRequestFirstKeepsTheOrder) {
  Case expected = requests(Mode::nonblocking, {0, 1, 1, 0});
  expected.program[2].kind = OperationKind::test;
  expect_minimum(
      [](const Case& c) {
        std::vector<int> open;
        for (const auto& o : c.program) {
          const bool moves_data = traits_of(o.collective).moves_data;
          if (o.kind == OperationKind::start && moves_data) open.push_back(o.request);
          const auto at = std::ranges::find(open, o.request);
          if (o.kind == OperationKind::test && at != open.begin() && at != open.end()) return true;
          if (completes_request(o.kind)) std::erase(open, o.request);
          if (completes_all(o.kind)) open.clear();
        }
        return false;
      },
      expected);
}

TEST(Minima, OperationsOfDifferentLengthsGetThereOneByOne) {
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

}  // namespace
}  // namespace allprove
