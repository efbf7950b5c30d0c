// The closed family: its closed forms against plain evaluation in random orders.
#include <gtest/gtest.h>

#include "framework/base/random.h"
#include "tests/unit/oracle/calls.h"

namespace allprove::oracle {
namespace {

class ClosedForms : public testing::TestWithParam<Reduction> {};

TEST_P(ClosedForms, EqualEveryOrderOfEvaluationToTheBit) {
  for_dtype(GetParam().dtype, [&]<class T>() {
    RandomStream random(11);
    for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 64}) {
      for (int round = 0; round < 5; ++round) {
        auto call = call_with(GetParam(), Family::closed, ranks, 150, random.next());
        call.data.first = static_cast<std::int64_t>(random.below(6000));
        const auto evidence = judge(call, 0, reduced_in_any_order<T>(call, random));
        ASSERT_TRUE(evidence.exact);
        ASSERT_EQ(evidence.wrong, 0)
            << ranks << " ranks, seed " << call.data.seed << ": expected "
            << evidence.first_wrong->expected << " at " << evidence.first_wrong->index << ", not "
            << evidence.first_wrong->got;
      }
    }
  });
}

TEST_P(ClosedForms, HoldForAThousandRanksAndAnyIds) {
  for_dtype(GetParam().dtype, [&]<class T>() {
    RandomStream random(12);
    for (const int ranks : {5, 12, 200, 4096}) {
      auto call = call_with(GetParam(), Family::closed, ranks, 40, random.next());
      if (ranks < 4096) {
        int id = 0;
        for (int& each : call.ids) each = id += 1 + static_cast<int>(random.below(20));
      }
      const auto evidence = judge(call, 0, reduced_in_any_order<T>(call, random));
      ASSERT_TRUE(evidence.exact);
      ASSERT_EQ(evidence.wrong, 0)
          << ranks << " ranks: expected " << evidence.first_wrong->expected << " at "
          << evidence.first_wrong->index << ", not " << evidence.first_wrong->got;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, ClosedForms, testing::ValuesIn(all_reductions()));

}  // namespace
}  // namespace allprove::oracle
