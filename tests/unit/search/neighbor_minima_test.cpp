// Shrinking of cases with topologies and intercommunicators: they stay where the failure needs
// them, as small as it lets them be, and are gone elsewhere.
#include <gtest/gtest.h>

#include <algorithm>

#include "framework/model/intercomm.h"
#include "tests/unit/search/planted.h"

namespace allprove {
namespace {

const Group& group_of(const Case& c, const Operation& o) {
  return c.groups[static_cast<std::size_t>(o.group)];
}

Case on_group(int ranks, Group group, Collective collective) {
  Case expected = plain_case(ranks, [=](Operation& o) {
    o.collective = collective;
    o.group = 1;
  });
  expected.groups.push_back(std::move(group));
  return expected;
}

TEST(NeighborMinima, ARingOfTwoEndsWithNothingElse) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [&](auto& o) {
          const auto& [dims, periods, edges, reorder] = group_of(c, o).topology;
          if (o.collective != Collective::neighbor_all_to_all) return false;
          for (std::size_t d = 0; d < dims.size(); ++d) {
            if (dims[d] == 2 && periods[d] == 1) return true;
          }
          return false;
        });
      },
      on_group(2, {GroupKind::cartesian, {}, {{2}, {1}, {}}}, Collective::neighbor_all_to_all));
}

TEST(NeighborMinima, ARepeatedEdgeEndsWithTheTwoEdgesAlone) {
  const auto repeated = [](const Case& c) {
    return on_some_operation(c, [&](auto& o) {
      const auto& edges = group_of(c, o).topology.edges;
      return needs_neighbors(o.collective) && std::ranges::any_of(edges, [](const auto& sent) {
               return sent.size() > 1 && sent[0] == sent[1];
             });
    });
  };
  for (const auto& minimum : minima(repeated)) {
    EXPECT_LE(minimum.ranks, 2);
    ASSERT_EQ(minimum.program.size(), 1u);
    std::size_t edges = 0;
    for (const auto& sent : group_of(minimum, minimum.program[0]).topology.edges) {
      edges += sent.size();
    }
    EXPECT_EQ(edges, 2u);
  }
}

TEST(NeighborMinima, ACallThatNeedsNoNeighborsLosesThem) {
  expect_minimum(
      [](const Case& c) {
        return on_some_operation(c, [](auto& o) {
          return o.collective == Collective::all_to_all ||
                 o.collective == Collective::neighbor_all_to_all;
        });
      },
      plain_case(1, [](Operation& o) { o.collective = Collective::all_to_all; }));
}

TEST(NeighborMinima, TwoSidesEndWithOneRankEach) {
  const auto between = [](const Case& c) {
    return on_some_operation(c, [&](auto& o) {
      return o.collective == Collective::reduce_scatter_block &&
             group_of(c, o).kind == GroupKind::inter;
    });
  };
  for (const auto& minimum : minima(between)) {
    EXPECT_EQ(minimum.ranks, 2);
    EXPECT_EQ(minimum.program.size(), 1u);
  }
}

}  // namespace
}  // namespace allprove
