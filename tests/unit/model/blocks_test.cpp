// The blocks of every collective, worked out by hand from the standard's text.
#include "framework/model/blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Blocks = std::vector<std::int64_t>;

// Three members, root 1, blocks of four elements.
Operation of(Collective collective) {
  Operation operation;
  operation.collective = collective;
  operation.shape = {2, 2};
  operation.root = 1;
  return operation;
}

Operation with_counts(Collective collective, Blocks counts) {
  auto operation = of(collective);
  operation.counts = std::move(counts);
  return operation;
}

// On a world of three.
BlockSizes sizes_of(const Operation& operation) {
  static Case test_case;
  test_case.ranks = 3;
  return block_sizes_of(test_case, operation, membership_of(test_case, 0, 0));
}

Blocks given(const Operation& operation, int position) {
  return given_blocks(sizes_of(operation), position);
}
Blocks received(const Operation& operation, int position) {
  return received_blocks(sizes_of(operation), position);
}
BufferPlan in_place(Operation operation, int position) {
  operation.in_place = true;
  return buffer_plan(sizes_of(operation), position);
}

TEST(Blocks, ABarrierMovesNothing) {
  EXPECT_THAT(given(of(Collective::barrier), 1), IsEmpty());
  EXPECT_THAT(received(of(Collective::barrier), 1), IsEmpty());
}

TEST(Blocks, OfABroadcastTheRootGivesAndAllGet) {
  EXPECT_THAT(given(of(Collective::broadcast), 1), ElementsAre(4));
  EXPECT_THAT(given(of(Collective::broadcast), 0), IsEmpty());
  EXPECT_THAT(received(of(Collective::broadcast), 1), ElementsAre(4));
  EXPECT_THAT(received(of(Collective::broadcast), 2), ElementsAre(4));
}

TEST(Blocks, OfAReductionAllGiveOneBlockAndTheRootOrAllGetOne) {
  for (const auto collective :
       {Collective::reduce, Collective::all_reduce, Collective::scan, Collective::exscan}) {
    for (int position = 0; position < 3; ++position) {
      EXPECT_THAT(given(of(collective), position), ElementsAre(4));
      if (collective != Collective::reduce || position == 1) {
        EXPECT_THAT(received(of(collective), position), ElementsAre(4));
      }
    }
  }
  EXPECT_THAT(received(of(Collective::reduce), 0), IsEmpty());
}

TEST(Blocks, OfAReduceScatterAllGiveABlockForEachAndGetTheirOwn) {
  EXPECT_THAT(given(of(Collective::reduce_scatter_block), 2), ElementsAre(4, 4, 4));
  EXPECT_THAT(received(of(Collective::reduce_scatter_block), 2), ElementsAre(4));
  const auto uneven = with_counts(Collective::reduce_scatter, {5, 0, 7});
  EXPECT_THAT(given(uneven, 0), ElementsAre(5, 0, 7));
  EXPECT_THAT(received(uneven, 0), ElementsAre(5));
  EXPECT_THAT(received(uneven, 1), ElementsAre(0)) << "a buffer, if an empty one";
  EXPECT_THAT(received(uneven, 2), ElementsAre(7));
}

TEST(Blocks, AGatherAndAScatterAreEachOthersMirror) {
  EXPECT_THAT(given(of(Collective::gather), 2), ElementsAre(4));
  EXPECT_THAT(received(of(Collective::gather), 1), ElementsAre(4, 4, 4));
  EXPECT_THAT(received(of(Collective::gather), 2), IsEmpty());
  EXPECT_THAT(given(of(Collective::scatter), 1), ElementsAre(4, 4, 4));
  EXPECT_THAT(given(of(Collective::scatter), 2), IsEmpty());
  EXPECT_THAT(received(of(Collective::scatter), 2), ElementsAre(4));
  const auto gatherv = with_counts(Collective::gatherv, {5, 0, 7});
  EXPECT_THAT(received(gatherv, 1), ElementsAre(5, 0, 7));
  EXPECT_THAT(given(gatherv, 1), ElementsAre(0));
  EXPECT_THAT(given(gatherv, 2), ElementsAre(7));
  const auto scatterv = with_counts(Collective::scatterv, {5, 0, 7});
  EXPECT_THAT(given(scatterv, 1), ElementsAre(5, 0, 7));
  EXPECT_THAT(received(scatterv, 2), ElementsAre(7));
}

TEST(Blocks, OfAnAllGatherEveryMemberGetsWhatEachGives) {
  EXPECT_THAT(given(of(Collective::all_gather), 0), ElementsAre(4));
  EXPECT_THAT(received(of(Collective::all_gather), 0), ElementsAre(4, 4, 4));
  const auto uneven = with_counts(Collective::all_gatherv, {0, 2, 1});
  EXPECT_THAT(given(uneven, 1), ElementsAre(2));
  EXPECT_THAT(received(uneven, 2), ElementsAre(0, 2, 1));
}

TEST(Blocks, OfAnAllToAllEachPairHasABlockOfItsOwn) {
  EXPECT_THAT(given(of(Collective::all_to_all), 0), ElementsAre(4, 4, 4));
  EXPECT_THAT(received(of(Collective::all_to_all), 0), ElementsAre(4, 4, 4));
  for (const auto collective : {Collective::all_to_allv, Collective::all_to_allw}) {
    const auto uneven = with_counts(collective, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_THAT(given(uneven, 1), ElementsAre(4, 5, 6));
    EXPECT_THAT(received(uneven, 1), ElementsAre(2, 5, 8));
  }
}

TEST(Blocks, AListThatIsTooShortBeginsAgain) {
  EXPECT_THAT(received(with_counts(Collective::gatherv, {5, 1}), 1), ElementsAre(5, 1, 5));
  EXPECT_THAT(given(with_counts(Collective::all_to_allv, {0, 9}), 1), ElementsAre(9, 0, 9));
}

TEST(Blocks, TheRootIsAPositionModuloTheMembers) {
  auto operation = of(Collective::gather);
  operation.root = 5;
  EXPECT_THAT(received(operation, 2), ElementsAre(4, 4, 4));
}

TEST(BufferPlan, OutOfPlaceBuffersHoldWhatIsGivenAndGot) {
  const auto plan = buffer_plan(sizes_of(with_counts(Collective::gatherv, {5, 0, 7})), 1);
  EXPECT_THAT(plan.send, ElementsAre(0));
  EXPECT_THAT(plan.receive, ElementsAre(5, 0, 7));
  EXPECT_EQ(plan.input_at, -1);
}

TEST(BufferPlan, ABroadcastHasOneBufferWhichHoldsTheRootsInput) {
  const auto sizes = sizes_of(of(Collective::broadcast));
  const auto root = buffer_plan(sizes, 1);
  EXPECT_THAT(root.send, IsEmpty());
  EXPECT_THAT(root.receive, ElementsAre(4));
  EXPECT_EQ(root.input_at, 0);
  EXPECT_EQ(buffer_plan(sizes, 0).input_at, -1);
}

TEST(BufferPlan, InPlaceTheInputLiesWhereTheResultWill) {
  for (const auto collective : {Collective::all_reduce, Collective::scan, Collective::exscan}) {
    const auto plan = in_place(of(collective), 2);
    EXPECT_THAT(plan.send, IsEmpty());
    EXPECT_THAT(plan.receive, ElementsAre(4));
    EXPECT_EQ(plan.input_at, 0);
  }
}

TEST(BufferPlan, InPlaceAMembersOwnBlockLiesAtItsPlaceInTheGatheredOnes) {
  EXPECT_EQ(in_place(of(Collective::all_gather), 2).input_at, 8);
  EXPECT_EQ(in_place(with_counts(Collective::all_gatherv, {5, 0, 7}), 2).input_at, 5);
  EXPECT_EQ(in_place(with_counts(Collective::gatherv, {5, 3, 7}), 1).input_at, 5);
}

TEST(BufferPlan, InPlaceTheRootAloneLacksABuffer) {
  EXPECT_THAT(in_place(of(Collective::gather), 1).send, IsEmpty());
  EXPECT_THAT(in_place(of(Collective::gather), 0).send, ElementsAre(4));
  EXPECT_EQ(in_place(of(Collective::gather), 0).input_at, -1);
  EXPECT_THAT(in_place(of(Collective::reduce), 1).send, IsEmpty());
  EXPECT_THAT(in_place(of(Collective::reduce), 0).send, ElementsAre(4));
  const auto scatter = in_place(with_counts(Collective::scatterv, {5, 0, 7}), 1);
  EXPECT_THAT(scatter.send, ElementsAre(5, 0, 7));
  EXPECT_THAT(scatter.receive, IsEmpty()) << "its own block stays where it is";
  EXPECT_THAT(in_place(of(Collective::scatter), 2).receive, ElementsAre(4));
}

TEST(BufferPlan, InPlaceAReduceScatterHasAllOfItsInputInTheReceiveBuffer) {
  const auto plan = in_place(with_counts(Collective::reduce_scatter, {5, 0, 7}), 2);
  EXPECT_THAT(plan.send, IsEmpty());
  EXPECT_THAT(plan.receive, ElementsAre(5, 0, 7));
  EXPECT_EQ(plan.input_at, 0);
}

TEST(BufferPlan, InPlaceBlocksOfAPairAreEqualBothWays) {
  for (int a = 0; a < 3; ++a) {
    const auto plan =
        in_place(with_counts(Collective::all_to_allv, {1, 2, 3, 4, 5, 6, 7, 8, 9}), a);
    EXPECT_THAT(plan.send, IsEmpty());
    EXPECT_EQ(plan.input_at, 0);
    EXPECT_EQ(plan.receive, (std::vector<Blocks>{{1, 2, 3}, {2, 5, 6}, {3, 6, 9}}[std::size_t(a)]));
  }
}

TEST(Blocks, ElementsAreThoseOfTheLargerBuffer) {
  const auto gather = of(Collective::gather);
  EXPECT_EQ(elements_of(sizes_of(gather), 1), 12);
  EXPECT_EQ(elements_of(sizes_of(gather), 0), 4);
  const auto exchange = with_counts(Collective::all_to_allv, {0, 0, 0, 0, 0, 0, 0, 0, 9});
  EXPECT_EQ(elements_of(sizes_of(exchange), 2), 9);
  EXPECT_EQ(elements_of(sizes_of(of(Collective::barrier)), 0), 0);
}

}  // namespace
}  // namespace allprove
