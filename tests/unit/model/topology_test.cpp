// Neighbours and their blocks, against cases worked out by hand from MPI 4.0, chapter 8, and the
// two sides of an intercommunicator.
#include "framework/model/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/model/intercomm.h"

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kNone = kNoNeighbor;
constexpr Incoming kNothing{};

Topology cartesian(std::vector<int> dims, std::vector<int> periods) {
  return {std::move(dims), std::move(periods), {}};
}

Topology graph(std::vector<std::vector<int>> edges) { return {{}, {}, std::move(edges)}; }

TEST(Cartesian, BlocksPastTheEndsOfALineComeFromNowhere) {
  const auto line = cartesian({3}, {0});
  EXPECT_THAT(neighbors_of(line, 0).outgoing, ElementsAre(kNone, 1));
  EXPECT_THAT(neighbors_of(line, 0).incoming, ElementsAre(kNothing, Incoming{1, 0}));
  EXPECT_THAT(neighbors_of(line, 1).outgoing, ElementsAre(0, 2));
  EXPECT_THAT(neighbors_of(line, 1).incoming, ElementsAre(Incoming{0, 1}, Incoming{2, 0}));
  EXPECT_THAT(neighbors_of(line, 2).outgoing, ElementsAre(1, kNone));
  EXPECT_THAT(neighbors_of(line, 2).incoming, ElementsAre(Incoming{1, 1}, kNothing));
}

TEST(Cartesian, ARingClosesAtBothEnds) {
  const auto ring = cartesian({3}, {1});
  EXPECT_THAT(neighbors_of(ring, 0).outgoing, ElementsAre(2, 1));
  EXPECT_THAT(neighbors_of(ring, 0).incoming, ElementsAre(Incoming{2, 1}, Incoming{1, 0}));
  EXPECT_THAT(neighbors_of(ring, 2).incoming, ElementsAre(Incoming{1, 1}, Incoming{0, 0}));
}

// Both neighbours are one rank: what it sent in the positive direction comes from the negative.
TEST(Cartesian, InARingOfTwoTheBlocksCross) {
  const auto ring = cartesian({2}, {1});
  EXPECT_THAT(neighbors_of(ring, 0).outgoing, ElementsAre(1, 1));
  EXPECT_THAT(neighbors_of(ring, 0).incoming, ElementsAre(Incoming{1, 1}, Incoming{1, 0}));
  EXPECT_THAT(neighbors_of(ring, 1).incoming, ElementsAre(Incoming{0, 1}, Incoming{0, 0}));
}

TEST(Cartesian, InARingOfOneTheBlocksCrossToTheRankItself) {
  const auto ring = cartesian({1}, {1});
  EXPECT_THAT(neighbors_of(ring, 0).outgoing, ElementsAre(0, 0));
  EXPECT_THAT(neighbors_of(ring, 0).incoming, ElementsAre(Incoming{0, 1}, Incoming{0, 0}));
  EXPECT_THAT(neighbors_of(cartesian({1}, {0}), 0).incoming, ElementsAre(kNothing, kNothing));
}

// Positions of 2 x 3: 0 1 2 / 3 4 5. Columns end, rows close.
TEST(Cartesian, TheLastDimensionVariesFastest) {
  const auto grid = cartesian({2, 3}, {0, 1});
  EXPECT_THAT(neighbors_of(grid, 0).outgoing, ElementsAre(kNone, 3, 2, 1));
  EXPECT_THAT(neighbors_of(grid, 5).outgoing, ElementsAre(2, kNone, 4, 3));
  EXPECT_THAT(neighbors_of(grid, 4).incoming,
              ElementsAre(Incoming{1, 1}, kNothing, Incoming{3, 3}, Incoming{5, 2}));
}

TEST(Cartesian, ThreeDimensions) {
  const auto cube = cartesian({2, 1, 2}, {1, 1, 0});  // position = 2x + z
  EXPECT_THAT(neighbors_of(cube, 2).outgoing, ElementsAre(0, 0, 2, 2, kNone, 3));
  EXPECT_THAT(neighbors_of(cube, 2).incoming,
              ElementsAre(Incoming{0, 1}, Incoming{0, 0}, Incoming{2, 3}, Incoming{2, 2}, kNothing,
                          Incoming{3, 4}));
}

TEST(Graph, RepeatedEdgesMatchInOrder) {
  const auto topology = graph({{1, 0, 1}, {0, 0, 1}, {}});
  EXPECT_THAT(neighbors_of(topology, 0).outgoing, ElementsAre(1, 0, 1));
  EXPECT_THAT(neighbors_of(topology, 0).incoming,
              ElementsAre(Incoming{0, 1}, Incoming{1, 0}, Incoming{1, 1}));
  EXPECT_THAT(neighbors_of(topology, 1).incoming,
              ElementsAre(Incoming{0, 0}, Incoming{0, 2}, Incoming{1, 2}));
  EXPECT_THAT(neighbors_of(topology, 2).outgoing, IsEmpty());
  EXPECT_THAT(neighbors_of(topology, 2).incoming, IsEmpty());
}

// Every outgoing block with a neighbour arrives exactly once, and nothing else does.
void expect_each_block_arrives(const Topology& topology, int members) {
  std::vector<std::pair<int, Incoming>> sent;
  std::vector<std::pair<int, Incoming>> arrived;
  const auto less = [](const auto& a, const auto& b) {
    return std::tuple(a.first, a.second.position, a.second.block) <
           std::tuple(b.first, b.second.position, b.second.block);
  };
  for (int position = 0; position < members; ++position) {
    const auto neighbors = neighbors_of(topology, position);
    for (int block = 0; block < std::ssize(neighbors.outgoing); ++block) {
      const int to = neighbors.outgoing[static_cast<std::size_t>(block)];
      if (to >= 0) sent.push_back({to, {position, block}});
    }
    for (const auto& from : neighbors.incoming) {
      if (from.position >= 0) arrived.push_back({position, from});
    }
  }
  std::ranges::sort(sent, less);
  std::ranges::sort(arrived, less);
  EXPECT_EQ(sent, arrived);
}

TEST(Topologies, EveryBlockArrivesOnce) {
  for (const int periodic : {0, 1}) {
    expect_each_block_arrives(cartesian({1}, {periodic}), 1);
    expect_each_block_arrives(cartesian({2, 3}, {periodic, 1}), 6);
    expect_each_block_arrives(cartesian({2, 1, 4}, {periodic, 1, 0}), 8);
  }
  expect_each_block_arrives(graph({{1, 2, 2, 0}, {0, 0}, {}, {3, 3}}), 4);
}

TEST(Intercommunicator, RootsCountOverBothParts) {
  const Group group{GroupKind::inter, {{4, 0}, {1, 3, 2}}};
  EXPECT_EQ(inter_place_at(group, 1), (InterPlace{0, 1}));
  EXPECT_EQ(inter_place_at(group, 2), (InterPlace{1, 0}));
  EXPECT_EQ(inter_place_at(group, 9), (InterPlace{1, 2}));
  for (int index = 0; index < 5; ++index) {
    EXPECT_EQ(inter_index_of(group, inter_place_at(group, index)), index);
  }
  EXPECT_EQ(remote_part(0), 1);
  EXPECT_EQ(remote_part(1), 0);
}

TEST(Intercommunicator, TheRootsOwnPartStandsBeside) {
  const Group group{GroupKind::inter, {{4, 0}, {1, 3, 2}}};
  EXPECT_EQ(inter_role_of(group, 3, {1, 1}), InterRole::root);
  EXPECT_EQ(inter_role_of(group, 3, {1, 0}), InterRole::beside_root);
  EXPECT_EQ(inter_role_of(group, 3, {0, 1}), InterRole::remote);
}

}  // namespace
}  // namespace allprove
