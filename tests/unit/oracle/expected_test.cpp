// The driver's digests: the same as a right output's, computed without a worker.
#include <gtest/gtest.h>

#include "framework/base/random.h"
#include "framework/oracle/divide.h"
#include "tests/unit/oracle/calls.h"

namespace allprove::oracle {
namespace {

TEST(ExpectedDigests, AreThoseOfARightOutput) {
  RandomStream random(3);
  for (const auto reduction : all_reductions()) {
    for_dtype(reduction.dtype, [&]<class T>() {
      for (const std::int64_t count : {1, 60, 4093, 20'000}) {
        for (const bool altered : {false, true}) {
          auto call = call_with(reduction, Family::closed, 4, count, random.next());
          call.cut = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
          call.data.altered = altered;
          call.data.scale = static_cast<int>(random.below(3));
          call.data.first = static_cast<std::int64_t>(random.below(9000));
          call.divide = reduction.op == Op::sum && random.chance(1, 2);
          auto output = reduced_in_any_order<T>(call, random);
          if (call.divide) {
            divide_by_size(call.dtype, reinterpret_cast<std::byte*>(output.data()), count, 4);
          }
          const auto evidence = judge(call, 1, output);
          ASSERT_EQ(evidence.wrong, 0);
          const auto expected = expected_digests(call, 1);
          ASSERT_TRUE(expected);
          EXPECT_EQ(*expected, evidence.digests) << reduction << " " << count;
        }
      }
    });
  }
}

TEST(ExpectedDigests, AreNotGivenWhereMoreThanOneAnswerIsRight) {
  const auto inexact = call_with({Dtype::float32, Op::sum}, Family::free, 4, 100);
  EXPECT_FALSE(expected_digests(inexact, 0));
  EXPECT_FALSE(judge(inexact, 0, std::vector<float>(100)).exact);
  EXPECT_TRUE(expected_digests(call_with({Dtype::int32, Op::sum}, Family::free, 4, 100), 0));
}

TEST(ExpectedDigests, OfCallsThatMetThoughTheyWereNotMeantTo) {
  // Ranks 0 and 2 make their first call, rank 1 its second: it holds other data.
  for (const Family family : {Family::ramp, Family::closed, Family::free}) {
    std::vector<Call> calls(3, call_with({Dtype::int32, Op::sum}, family, 3, 6000, 10));
    calls[1].data.seed = 11;
    calls[1].data.first = 5;
    calls[1].data.altered = true;
    calls[1].cut = 4500;
    std::vector<std::int32_t> met = inputs_at<std::int32_t>(calls[0], 0);
    for (const int p : {1, 2}) {
      const auto inputs = inputs_at<std::int32_t>(calls[static_cast<std::size_t>(p)], p);
      for (std::size_t i = 0; i < met.size(); ++i) met[i] = combined(Op::sum, met[i], inputs[i]);
    }
    for (const int p : {0, 1, 2}) {
      const auto expected = expected_digests(calls, p);
      ASSERT_TRUE(expected);
      const auto evidence = judge(calls[static_cast<std::size_t>(p)], p, met);
      EXPECT_GT(evidence.wrong, 0);
      EXPECT_EQ(*expected, evidence.digests) << name_of(family) << " " << p;
    }
  }
}

TEST(ExpectedDigests, OfCallsThatCannotMeetAreNothing) {
  std::vector<Call> calls(2, call_with({Dtype::int32, Op::sum}, Family::ramp, 2, 5));
  calls[1].count = 6;
  EXPECT_FALSE(expected_digests(calls, 0));
  calls[1].count = 5;
  EXPECT_TRUE(expected_digests(calls, 0));
  calls[1].op = Op::max;
  EXPECT_FALSE(expected_digests(calls, 0));
}

TEST(CallOf, TakesThePartsOwnRanks) {
  Case test_case;
  test_case.ranks = 5;
  test_case.logical = {0, 1, 2, 4, 7};
  test_case.groups.push_back({GroupKind::split, {{4, 0}, {3, 1, 2}}});
  Operation operation;
  operation.group = 1;
  operation.shape = {3, 4};
  operation.root = 5;
  const auto call = call_of(test_case, operation, membership_of(test_case, 1, 1));
  EXPECT_EQ(call.ids, (std::vector<int>{4, 1, 2}));
  EXPECT_EQ(call.count, 12);
  EXPECT_EQ(call.root, 2);
}

}  // namespace
}  // namespace allprove::oracle
