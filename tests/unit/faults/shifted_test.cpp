// Shifted data: outputs are made here by adding what the calls that met brought, and judged by the
// oracle as a worker would.
#include "faults/shifted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/apply.h"
#include "framework/oracle/oracle.h"

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Operation sum(std::uint64_t seed, std::int64_t count = 8, int group = 0) {
  Operation operation;
  operation.shape = {count};
  operation.group = group;
  operation.data.family = Family::free;
  operation.data.seed = seed;
  return operation;
}

Case case_of(std::vector<Operation> program) {
  Case test_case;
  test_case.ranks = 3;
  test_case.groups = {Group{}, Group{GroupKind::split, {{2, 0}, {1}}}};
  test_case.program = std::move(program);
  return test_case;
}

class Played {
 public:
  explicit Played(Case test_case) : test_case_(std::move(test_case)) {
    for (int rank = 0; rank < test_case_.ranks; ++rank) {
      orders_.push_back(order_of(test_case_, rank));
      history.ranks.emplace_back().operations.resize(test_case_.program.size());
    }
    for (int rank = 0; rank < test_case_.ranks; ++rank) run(rank);
  }

  std::vector<Shifted> shifted() const { return find_shifted(test_case_, history, orders_); }
  const Case& test_case() const { return test_case_; }
  const Orders& orders() const { return orders_; }
  Evidence& evidence(int rank, int operation) {
    return history.ranks[static_cast<std::size_t>(rank)]
        .operations[static_cast<std::size_t>(operation)]
        .evidence;
  }

  History history;

 private:
  const Operation& program(int index) const {
    return test_case_.program[static_cast<std::size_t>(index)];
  }

  // Call number `number` of the rank on the group; -1 when it made fewer.
  int met(int rank, int group, int number) const {
    for (const int index : orders_[static_cast<std::size_t>(rank)]) {
      if (program(index).group == group && number-- == 0) return index;
    }
    return -1;
  }

  void run(int rank) {
    std::vector<int> numbers(test_case_.groups.size(), 0);
    std::int64_t now = 100;
    for (const int index : orders_[static_cast<std::size_t>(rank)]) {
      const auto& operation = program(index);
      const auto membership = membership_of(test_case_, operation.group, rank);
      if (membership.part < 0) continue;
      auto& record =
          history.ranks[static_cast<std::size_t>(rank)].operations[static_cast<std::size_t>(index)];
      record.called_ns = ++now;
      const int number = numbers[static_cast<std::size_t>(operation.group)]++;
      std::vector<std::int32_t> output(static_cast<std::size_t>(count_of(operation)));
      for (const int member : membership.members) {
        const int theirs = met(member, operation.group, number);
        if (theirs < 0) return;  // it hangs here
        add_input(member, theirs, output);
      }
      record.completed_ns = ++now;
      Oracle oracle;
      oracle.begin(call_of(test_case_, operation, membership));
      oracle.judge_output(membership.position, reinterpret_cast<const std::byte*>(output.data()),
                          std::byte{0xa5}, record.evidence);
    }
  }
  void add_input(int member, int index, std::vector<std::int32_t>& output) const {
    const auto membership = membership_of(test_case_, program(index).group, member);
    std::vector<std::int32_t> input(static_cast<std::size_t>(count_of(program(index))));
    Oracle oracle;
    oracle.begin(call_of(test_case_, program(index), membership));
    oracle.fill_input(membership.position, reinterpret_cast<std::byte*>(input.data()));
    for (std::size_t i = 0; i < std::min(input.size(), output.size()); ++i) {
      output[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(output[i]) +
                                            static_cast<std::uint32_t>(input[i]));
    }
  }

  Case test_case_;
  Orders orders_;
};

Case with_fault(Case test_case, FaultKind kind, int rank, int operation) {
  test_case.faults = {Fault{kind, rank, operation, FaultPhase::before, 0}};
  return test_case;
}

TEST(Shifted, IsNothingWithoutAFault) {
  Played run(case_of({sum(1), sum(2), sum(3)}));
  EXPECT_EQ(run.evidence(0, 0).wrong, 0);
  EXPECT_THAT(run.shifted(), IsEmpty());
}

TEST(Shifted, IsFoundAfterASkippedCallWhoseSuccessorMatches) {
  Played run(with_fault(case_of({sum(1), sum(2), sum(3)}), FaultKind::skip, 1, 0));
  ASSERT_GT(run.evidence(0, 0).wrong, 0);
  // The last call of ranks 0 and 2 meets nobody.
  EXPECT_THAT(run.shifted(), ElementsAre(Shifted{0, 0}, Shifted{0, 1}, Shifted{1, 1}, Shifted{1, 2},
                                         Shifted{2, 0}, Shifted{2, 1}));
  mark_shifted(run.test_case(), run.orders(), run.history);
  EXPECT_EQ(run.evidence(1, 2).symptom, Symptom::shifted);
  EXPECT_NE(run.evidence(2, 2).symptom, Symptom::shifted);
}

TEST(Shifted, IsFoundAfterReorderedCallsThatMatch) {
  const Played run(with_fault(case_of({sum(1), sum(2), sum(3)}), FaultKind::reorder, 2, 0));
  EXPECT_THAT(run.shifted(), ElementsAre(Shifted{0, 0}, Shifted{0, 1}, Shifted{1, 0}, Shifted{1, 1},
                                         Shifted{2, 1}, Shifted{2, 0}));
}

TEST(Shifted, CountsCallsPerCommunicator) {
  // Rank 2 leaves out a call on its part {2, 0} of the split; the world's calls are not touched.
  const Played run(
      with_fault(case_of({sum(1, 8, 1), sum(2), sum(3, 8, 1)}), FaultKind::skip, 2, 0));
  EXPECT_THAT(run.shifted(), ElementsAre(Shifted{0, 0}, Shifted{2, 2}));
}

TEST(Shifted, IsNotWhatIsCorrupt) {
  Played run(with_fault(case_of({sum(1), sum(2), sum(3)}), FaultKind::skip, 1, 0));
  ++run.evidence(0, 0).digests.whole;
  EXPECT_THAT(run.shifted(), testing::Not(testing::Contains(Shifted{0, 0})));
  Played clean(case_of({sum(1)}));
  clean.evidence(0, 0).wrong = 1;
  EXPECT_THAT(clean.shifted(), IsEmpty());  // all entered the same call
}

TEST(Shifted, IsNotWhatIsRightAllTheSame) {
  const Played run(with_fault(case_of({sum(1), sum(1), sum(2)}), FaultKind::skip, 1, 0));
  EXPECT_THAT(run.shifted(), testing::Not(testing::Contains(Shifted{0, 0})));
  EXPECT_THAT(run.shifted(), testing::Contains(Shifted{0, 1}));
}

TEST(Shifted, SaysNothingOfCallsThatDoNotFit) {
  const Played run(with_fault(case_of({sum(1, 8), sum(2, 9), sum(3, 9)}), FaultKind::skip, 1, 0));
  EXPECT_THAT(run.shifted(), testing::Not(testing::Contains(Shifted{0, 0})));
  EXPECT_THAT(run.shifted(), testing::Contains(Shifted{0, 1}));
}

TEST(Orders, AreThoseInWhichTheCallsWereEntered) {
  const Played run(with_fault(case_of({sum(1), sum(2), sum(3)}), FaultKind::reorder, 2, 0));
  const auto orders = orders_of(run.test_case(), run.history);
  EXPECT_THAT(orders[0], ElementsAre(0, 1, 2));
  EXPECT_THAT(orders[2], ElementsAre(1, 0, 2));
  EXPECT_THAT(out_of_order(run.test_case(), orders), ElementsAre(2));
}

TEST(Orders, OfARankThatLeftOutACallAreOutOfOrder) {
  auto test_case = case_of({sum(1, 8, 1), sum(2), sum(3)});
  EXPECT_THAT(out_of_order(test_case, {{0, 1}, {0, 2}, {}}), ElementsAre(1));
  EXPECT_THAT(out_of_order(test_case, {{0, 1, 2}, {0, 1, 2}, {0}}), IsEmpty());
  test_case.groups[1].parts = {{2, 0}};  // rank 1 has no part in operation 0
  EXPECT_THAT(out_of_order(test_case, {{0, 1}, {1, 2}, {}}), IsEmpty());
}

TEST(Orders, SurviveAHistoryThatLacksRecords) {
  const auto test_case = case_of({sum(1)});
  EXPECT_THAT(orders_of(test_case, History{}), ElementsAre(IsEmpty(), IsEmpty(), IsEmpty()));
  EXPECT_THAT(find_shifted(test_case, History{}, {{0}, {0}, {0}}), IsEmpty());
}

}  // namespace
}  // namespace allprove
