// Which collectives a group's communicator has.
#include "framework/model/use.h"

#include <gtest/gtest.h>

#include "framework/base/enum_table.h"

namespace allprove {
namespace {

const Group kSides = {GroupKind::inter, {{0, 1}, {2}}};
const Group kEqualSides = {GroupKind::inter, {{0, 1}, {3, 2}}};
const Group kRing = {GroupKind::cartesian, {}, {{2}, {1}, {}}};
const Group kGraph = {GroupKind::graph, {}, {{}, {}, {{0}}}};

bool may(const Group& group, Collective collective, bool in_place = false) {
  Operation operation;
  operation.collective = collective;
  operation.in_place = in_place;
  return may_run_on(group, operation);
}

TEST(Use, NeighborhoodCollectivesNeedATopologyAndNoOthersDo) {
  for (std::size_t i = 0; i < names_of<Collective>().size(); ++i) {
    const auto collective = static_cast<Collective>(i);
    EXPECT_TRUE(may(kRing, collective)) << names_of<Collective>()[i];
    EXPECT_TRUE(may(kGraph, collective)) << names_of<Collective>()[i];
    EXPECT_EQ(may(Group{}, collective), !needs_neighbors(collective)) << names_of<Collective>()[i];
  }
}

TEST(Use, BetweenTwoSidesThereAreNoScansNothingInPlaceAndNoMean) {
  EXPECT_TRUE(may(kSides, Collective::all_reduce));
  EXPECT_TRUE(may(kSides, Collective::gatherv));
  EXPECT_FALSE(may(kSides, Collective::scan));
  EXPECT_FALSE(may(kSides, Collective::exscan));
  EXPECT_FALSE(may(kSides, Collective::neighbor_all_gather));
  EXPECT_FALSE(may(kSides, Collective::all_reduce, true));
  Operation mean;
  mean.divide = true;
  EXPECT_FALSE(may_run_on(kSides, mean));
}

TEST(Use, AReduceScatterBetweenTwoSidesNeedsThemAlike) {
  for (const auto collective : {Collective::reduce_scatter, Collective::reduce_scatter_block}) {
    EXPECT_TRUE(may(kEqualSides, collective));
    EXPECT_FALSE(may(kSides, collective));
  }
}

}  // namespace
}  // namespace allprove
