// Communicators of every kind: what is drawn, and what is left of them when a case gets smaller.
#include "framework/search/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "framework/model/case_json.h"
#include "framework/search/edit.h"
#include "framework/search/shrink.h"
#include "framework/search/topology.h"

namespace allprove {
namespace {

constexpr PoolEntries kAll = {0, kInterGroups.first + kInterGroups.count};
constexpr PoolEntries kWithNeighbors = {kCartesianGroups.first,
                                        kCartesianGroups.count + kGraphGroups.count};

Case on(Group group, int ranks) {
  Case test_case;
  test_case.ranks = ranks;
  test_case.groups.push_back(std::move(group));
  auto& barrier = test_case.program.emplace_back();
  barrier.collective = Collective::barrier;
  barrier.group = 1;
  return test_case;
}

// Calls `use` with cases on groups of these entries, of many seeds and world sizes.
void for_drawn(PoolEntries entries, const std::function<void(std::uint64_t, const Case&)>& use) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      for (std::uint64_t i = 0; i < entries.count; ++i) {
        auto stream = RandomStream(seed).split(static_cast<std::uint64_t>(ranks)).split(i);
        use(entries.first + i, on(pooled_group(entries.first + i, ranks, stream), ranks));
      }
    }
  }
}

std::string error_of(const Case& test_case) {
  const auto status = validate(test_case);
  return status ? "" : status.error().message + " in " + to_json(test_case).dump();
}

TEST(PooledGroup, IsValidAndOfItsKind) {
  for_drawn(kAll, [](std::uint64_t entry, const Case& drawn) {
    ASSERT_EQ(error_of(drawn), "");
    const auto kind = drawn.groups[1].kind;
    const auto in = [entry](PoolEntries range) {
      return entry >= range.first && entry < range.first + range.count;
    };
    EXPECT_EQ(kind == GroupKind::cartesian, in(kCartesianGroups));
    EXPECT_EQ(kind == GroupKind::graph, in(kGraphGroups));
    EXPECT_EQ(kind == GroupKind::inter, in(kInterGroups) && drawn.ranks > 1);
  });
}

void note_grid(const Topology& topology, std::map<std::string, int>& seen) {
  const auto dimensions = topology.dims.size();
  seen[std::to_string(dimensions) + " dimensions"]++;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const bool ring = topology.periods[d] != 0;
    seen["ring of 1"] += ring && topology.dims[d] == 1;
    seen["ring of 2"] += ring && topology.dims[d] == 2;
    seen["longer ring"] += ring && topology.dims[d] > 2;
    seen["line"] += !ring && topology.dims[d] > 1;
  }
}

void note_net(const Topology& topology, std::map<std::string, int>& seen) {
  for (int position = 0; position < std::ssize(topology.edges); ++position) {
    const auto neighbors = neighbors_of(topology, position);
    const auto& to = neighbors.outgoing;
    const std::set<int> different(to.begin(), to.end());
    seen["repeated edge"] += different.size() < to.size();
    seen["loop"] += different.count(position) > 0;
    seen["no edges at all"] += to.empty() && neighbors.incoming.empty();
    seen["only incoming"] += to.empty() && !neighbors.incoming.empty();
  }
}

TEST(PooledGroup, EverythingOddAboutNeighboursIsDrawn) {
  std::map<std::string, int> seen;
  for_drawn(kWithNeighbors, [&](std::uint64_t, const Case& drawn) {
    const auto& group = drawn.groups[1];
    seen["library's order"] += group.topology.reorder;
    seen["all ranks"] += group.parts.empty();
    seen["some ranks"] += !group.parts.empty() && std::ssize(group.parts[0]) < drawn.ranks;
    if (group.kind == GroupKind::cartesian) {
      note_grid(group.topology, seen);
    } else {
      note_net(group.topology, seen);
    }
  });
  for (const auto* wanted :
       {"1 dimensions", "2 dimensions", "3 dimensions", "ring of 1", "ring of 2", "longer ring",
        "line", "repeated edge", "loop", "no edges at all", "only incoming", "library's order",
        "all ranks", "some ranks"}) {
    EXPECT_GE(seen[wanted], 100) << wanted;
  }
}

TEST(PooledGroup, IntercommunicatorsHaveEvenAndUnevenSides) {
  std::map<std::string, int> seen;
  for_drawn(kInterGroups, [&](std::uint64_t, const Case& drawn) {
    if (drawn.ranks < 4) return;
    const auto& parts = drawn.groups[1].parts;
    ++seen[parts[0].size() == parts[1].size() ? "even" : "uneven"];
    seen["a rank outside"] += std::ssize(parts[0]) + std::ssize(parts[1]) < drawn.ranks;
    seen["one rank first"] += parts[0].size() == 1;
    seen["one rank second"] += parts[1].size() == 1;
  });
  for (const auto* wanted :
       {"even", "uneven", "a rank outside", "one rank first", "one rank second"}) {
    EXPECT_GE(seen[wanted], 30) << wanted;
  }
}

TEST(KeepMembers, AGridThatIsCutBecomesOneRowInAsManyDimensions) {
  Topology grid{{2, 3}, {1, 0}, {}};
  keep_members(grid, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(grid.dims, (std::vector<int>{2, 3}));
  keep_members(grid, {0, -1, 1, 2, 3, 4});
  EXPECT_EQ(grid.dims, (std::vector<int>{5, 1}));
  EXPECT_EQ(grid.periods, (std::vector<int>{1, 0}));
}

TEST(KeepMembers, AGraphLosesTheEdgesOfThoseWhoGo) {
  Topology net{{}, {}, {{1, 2, 2}, {0}, {2, 1, 0}}};
  keep_members(net, {0, -1, 1});
  EXPECT_EQ(net.edges, (std::vector<std::vector<int>>{{1, 1}, {1, 0}}));
}

TEST(KeepRanks, LeavesEveryGroupValidWhoeverGoes) {
  for_drawn(kAll, [](std::uint64_t entry, const Case& drawn) {
    RandomStream stream(entry);
    std::vector<int> kept;
    for (int rank = 0; rank < drawn.ranks; ++rank) {
      if (stream.chance(2, 3)) kept.push_back(rank);
    }
    if (kept.empty()) return;
    auto fewer = drawn;
    keep_ranks(fewer, kept);
    ASSERT_EQ(error_of(fewer), "") << "from " << to_json(drawn).dump();
  });
}

TEST(KeepRanks, AnIntercommunicatorGoesWithOneOfItsSides) {
  auto test_case = on({GroupKind::inter, {{0, 2}, {1}}}, 3);
  keep_ranks(test_case, {0, 2});
  EXPECT_TRUE(test_case.program.empty());
  EXPECT_EQ(test_case.groups.size(), 1u);
}

// The group of the smallest case that still shows the bug.
Group minimum(const Group& group, int ranks, const std::function<bool(const Group&)>& bug) {
  const auto shows = [&](const Case& test_case) {
    return test_case.groups.size() == 2 && bug(test_case.groups[1]);
  };
  const auto shrunk = shrink(on(group, ranks), shows, {});
  EXPECT_FALSE(shrunk.exhausted);
  return shrunk.test_case.groups.at(1);
}

TEST(ShrinkGroup, ARingOfTwoInAGridEndsAsThatRing) {
  const Group grid{GroupKind::cartesian, {{5, 4, 3, 2, 1, 0}}, {{3, 2}, {1, 1}, {}, true}};
  const auto smallest = minimum(grid, 6, [](const Group& group) {
    const auto& [dims, periods, edges, reorder] = group.topology;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == 2 && periods[d] == 1) return true;
    }
    return false;
  });
  EXPECT_EQ(smallest, (Group{GroupKind::cartesian, {}, {{2}, {1}, {}}}));
}

TEST(ShrinkGroup, ARepeatedEdgeInAGraphEndsAsThatEdge) {
  const Group net{GroupKind::graph, {}, {{}, {}, {{1, 2, 3}, {2, 0, 2}, {}, {1, 1, 3}}}};
  const auto smallest = minimum(net, 4, [](const Group& group) {
    return std::ranges::any_of(group.topology.edges, [](std::vector<int> to) {
      std::ranges::sort(to);
      return std::ranges::adjacent_find(to) != to.end();
    });
  });
  EXPECT_EQ(smallest, (Group{GroupKind::graph, {}, {{}, {}, {{0, 0}}}}));
}

TEST(ShrinkGroup, AnIntercommunicatorEndsWithOneRankOnEachSide) {
  const Group inter{GroupKind::inter, {{5, 1, 3}, {4, 0, 2}}};
  const auto smallest =
      minimum(inter, 6, [](const Group& group) { return group.kind == GroupKind::inter; });
  EXPECT_EQ(smallest.parts.at(0).size() + smallest.parts.at(1).size(), 2u);
}

}  // namespace
}  // namespace allprove
