// What is got from others than the members of one's own group: over an intercommunicator, and from
// neighbors. Expected values are worked out by hand from the ramp: 2 * id + 1 + 10 * element.
#include <gtest/gtest.h>

#include <cstring>

#include "framework/oracle/oracle.h"

namespace allprove::oracle {
namespace {

using Numbers = std::vector<std::int32_t>;

// One operation of two elements on one group of five ranks.
struct Staged {
  Staged(Group group, Collective collective) {
    test_case.ranks = 5;
    test_case.groups.push_back(std::move(group));
    auto& operation = test_case.program.emplace_back();
    operation.group = 1;
    operation.collective = collective;
    operation.shape = {2};
  }
  Operation& operation() { return test_case.program[0]; }

  // Empty where the rank holds no output; none of it right where `output` is not what it must be.
  bool holds(int rank) const { return begun(rank).has_output(position_of(rank)); }
  std::int64_t wrong(int rank, const Numbers& output) const {
    auto oracle = begun(rank);
    EXPECT_EQ(oracle.output_count(position_of(rank)), std::ssize(output));
    Evidence evidence;
    oracle.judge_output(position_of(rank), reinterpret_cast<const std::byte*>(output.data()),
                        std::byte{0xa5}, evidence);
    return evidence.wrong;
  }

  int position_of(int rank) const { return membership_of(test_case, 1, rank).position; }
  Oracle begun(int rank) const {
    Oracle oracle;
    oracle.begin(call_of(test_case, test_case.program[0], membership_of(test_case, 1, rank)));
    return oracle;
  }

  Case test_case;
};

const Group kSides{GroupKind::inter, {{0, 2}, {1, 3, 4}}, {}};

TEST(Sides, AReductionIsOfTheOtherSide) {
  const Staged sum(kSides, Collective::all_reduce);
  EXPECT_EQ(sum.wrong(0, {3 + 7 + 9, 3 + 7 + 9 + 30}), 0);
  EXPECT_EQ(sum.wrong(4, {1 + 5, 1 + 5 + 20}), 0);
  EXPECT_EQ(sum.wrong(0, {1 + 5, 1 + 5 + 20}), 2) << "its own side's";
}

TEST(Sides, AGatherBringsTheOtherSidesBlocks) {
  const Staged gather(kSides, Collective::all_gather);
  EXPECT_EQ(gather.wrong(2, {3, 13, 7, 17, 9, 19}), 0);
  EXPECT_EQ(gather.wrong(1, {1, 11, 5, 15}), 0);
}

TEST(Sides, OfARootedCallOnlyTheRootAndTheOtherSideTakePart) {
  Staged broadcast(kSides, Collective::broadcast);
  broadcast.operation().root = 1;  // over both sides: rank 2
  EXPECT_EQ(broadcast.wrong(3, {5, 15}), 0);
  EXPECT_FALSE(broadcast.holds(0)) << "beside the root";
  EXPECT_FALSE(broadcast.holds(2)) << "the root";

  Staged reduce(kSides, Collective::reduce);
  reduce.operation().root = 3;  // rank 3
  EXPECT_EQ(reduce.wrong(3, {1 + 5, 1 + 5 + 20}), 0);
  for (const int rank : {0, 1, 2, 4}) EXPECT_FALSE(reduce.holds(rank)) << rank;
}

TEST(Sides, AnExchangeTakesTheBlockThatIsMeantForOne) {
  const Staged exchange(kSides, Collective::all_to_all);
  // Position 1 of its side: the second block, elements 2 and 3, of each rank of the other.
  EXPECT_EQ(exchange.wrong(3, {21, 31, 25, 35}), 0);
  EXPECT_EQ(exchange.wrong(2, {23, 33, 27, 37, 29, 39}), 0);
}

TEST(Neighbors, ALineHasNothingPastItsEnds) {
  Group line{GroupKind::cartesian, {}, {}};
  line.topology.dims = {5};
  line.topology.periods = {0};
  const Staged gather(line, Collective::neighbor_all_gather);
  EXPECT_EQ(gather.wrong(0, {3, 13}), 0);
  EXPECT_EQ(gather.wrong(2, {3, 13, 7, 17}), 0);
  const Staged exchange(line, Collective::neighbor_all_to_all);
  // What goes to the right lies behind what goes to the left, which an end has not.
  EXPECT_EQ(exchange.wrong(1, {1, 11, 5, 15}), 0);
  EXPECT_EQ(exchange.wrong(2, {23, 33, 7, 17}), 0);
}

TEST(Neighbors, AGraphGivesEachSourceItsBlock) {
  Group graph{GroupKind::graph, {}, {}};
  graph.topology.edges = {{1, 2}, {0}, {1}, {}, {1}};
  const Staged exchange(graph, Collective::neighbor_all_to_all);
  EXPECT_EQ(exchange.wrong(1, {1, 11, 5, 15, 9, 19}), 0);
  EXPECT_EQ(exchange.wrong(2, {21, 31}), 0) << "the second block of rank 0";
}

}  // namespace
}  // namespace allprove::oracle
