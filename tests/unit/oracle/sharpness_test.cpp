// What the families are for: mistakes of a library show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "framework/base/random.h"
#include "tests/unit/oracle/calls.h"

namespace allprove::oracle {
namespace {

constexpr std::int64_t kCount = 100;
constexpr int kSeeds = 24;

// Share of the elements at which `mistake` (from one element's inputs to the wrong result) is
// found, over many calls.
template <class T, class F>
double share_found(Reduction reduction, Family family, int ranks, F&& mistake) {
  double wrong = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto call = call_with(reduction, family, ranks, kCount, seed);
    std::vector<T> output;
    for (const auto& inputs : inputs_by_element<T>(call)) output.push_back(mistake(inputs));
    wrong += static_cast<double>(judge(call, 0, output).wrong);
  }
  return wrong / static_cast<double>(kSeeds * kCount);
}

template <class T>
T reduced(Op op, const std::vector<T>& values) {
  T result = values.front();
  for (std::size_t r = 1; r < values.size(); ++r) result = combined(op, result, values[r]);
  return result;
}

// At least so many of the elements must show one rank that is left out: what an operator forgets
// cannot show, such as all but one of the inputs of a maximum.
double share_for_missing(Reduction reduction, int ranks) {
  const double n = ranks;
  switch (traits_of(reduction.op).kind) {
    case OpClass::arithmetic:
      return 0.9;
    case OpClass::order:
      return 0.5 / n;
    case OpClass::bitwise:
      return reduction.op == Op::bxor ? 0.9 : 0.3;
    default:
      return reduction.op == Op::lxor ? 0.4 : 0.3 / n;
  }
}

class Sharpness : public testing::TestWithParam<Reduction> {};

TEST_P(Sharpness, EveryRanksContributionMatters) {
  for_dtype(GetParam().dtype, [&]<class T>() {
    for (const int ranks : {2, 3, 8}) {
      for (int missing = 0; missing < ranks; ++missing) {
        const double share =
            share_found<T>(GetParam(), Family::closed, ranks, [&](std::vector<T> inputs) {
              inputs.erase(inputs.begin() + missing);
              return reduced(GetParam().op, inputs);
            });
        EXPECT_GE(share, share_for_missing(GetParam(), ranks))
            << "rank " << missing << " of " << ranks;
      }
    }
  });
}

TEST_P(Sharpness, TheLowestBitOfAResultMatters) {
  for_dtype(GetParam().dtype, [&]<class T>() {
    const double share = share_found<T>(GetParam(), Family::closed, 4, [&](const auto& inputs) {
      const T right = reduced(GetParam().op, inputs);
      return from_bits<T>(static_cast<Bits<T>>(bits_of(right) ^ 1));
    });
    EXPECT_EQ(share, 1);
  });
}

TEST_P(Sharpness, ElementsDiffer) {
  const auto kind = traits_of(GetParam().op).kind;
  for_dtype(GetParam().dtype, [&]<class T>() {
    for (const Family family : {Family::ramp, Family::closed, Family::free}) {
      if (family == Family::ramp && kind != OpClass::arithmetic) continue;
      for (const int ranks : {2, 3, 4, 8}) {
        double wrong = 0;
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
          const auto call = call_with(GetParam(), family, ranks, kCount, seed);
          std::vector<T> output;
          for (const auto& inputs : inputs_by_element<T>(call)) {
            output.push_back(reduced(GetParam().op, inputs));
          }
          std::rotate(output.begin(), output.begin() + 1, output.end());
          wrong += static_cast<double>(judge(call, 0, output).wrong) / (kSeeds * kCount);
        }
        // 8 ranks clear all bits of 8.
        const bool all_bits = kind == OpClass::bitwise && ranks >= kWidth<T>;
        const double least = kind == OpClass::logical || all_bits ? 0.1
                             : kind == OpClass::arithmetic        ? 0.8
                                                                  : 0.6;
        // Free inputs of many ranks leave little but zeros of "and", or of a product modulo 2^8.
        if (family != Family::free || GetParam().op == Op::sum) {
          EXPECT_GE(wrong, least) << name_of(family) << ", " << ranks << " ranks";
        }
      }
    }
  });
}

TEST_P(Sharpness, RanksGiveDifferentInputs) {
  for_dtype(GetParam().dtype, [&]<class T>() {
    for (const Family family : {Family::ramp, Family::closed, Family::free}) {
      if (traits_of(GetParam().op).kind == OpClass::logical && family == Family::closed) continue;
      double same = 0;
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const auto call = call_with(GetParam(), family, 4, kCount, seed);
        const auto a = inputs_at<T>(call, 1);
        const auto b = inputs_at<T>(call, 2);
        for (std::size_t i = 0; i < a.size(); ++i) same += bits_of(a[i]) == bits_of(b[i]) ? 1 : 0;
      }
      EXPECT_LE(same / (kSeeds * kCount), 0.3) << name_of(family);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Sharpness, testing::ValuesIn(all_reductions()));

// Operators that tell whether an input counts twice.
class SharpnessForRepetition : public Sharpness {};

TEST_P(SharpnessForRepetition, NoRankCountsTwice) {
  const auto op = GetParam().op;
  for_dtype(GetParam().dtype, [&]<class T>() {
    for (const int doubled : {0, 2, 4}) {
      const double share =
          share_found<T>(GetParam(), Family::closed, 5, [&](std::vector<T> inputs) {
            inputs.push_back(inputs[static_cast<std::size_t>(doubled)]);
            return reduced(op, inputs);
          });
      EXPECT_GE(share, op == Op::lxor ? 0.4 : 0.9) << "rank " << doubled;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, SharpnessForRepetition,
                         testing::ValuesIn(reductions_where([](Reduction reduction) {
                           return reduction.op == Op::sum || reduction.op == Op::prod ||
                                  reduction.op == Op::bxor || reduction.op == Op::lxor;
                         })));

class IntegerValues : public Sharpness {};

TEST_P(IntegerValues, UseTheWholeRangeOfTheType) {
  for_dtype(GetParam().dtype, [&]<class T>() {
    Bits<T> any = 0;
    auto all = static_cast<Bits<T>>(~Bits<T>{0});
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      for (const T x : inputs_at<T>(call_with(GetParam(), Family::closed, 4, kCount, seed), 2)) {
        any |= bits_of(x);
        all &= bits_of(x);
      }
    }
    EXPECT_EQ(any, static_cast<Bits<T>>(~Bits<T>{0}));
    EXPECT_EQ(all, GetParam().op == Op::prod ? 1 : 0);
  });
}

INSTANTIATE_TEST_SUITE_P(All, IntegerValues,
                         testing::ValuesIn(reductions_where([](Reduction reduction) {
                           return is_integer(reduction.dtype);
                         })));

TEST(ClosedFloats, SumsReachSubnormalsBothSignsAndCancel) {
  int subnormal = 0;
  int negative = 0;
  int cancelling = 0;
  const auto call = call_with({Dtype::float32, Op::sum}, Family::closed, 4, 4000);
  for (const auto& inputs : inputs_by_element<float>(call)) {
    double sum = 0;
    double magnitudes = 0;
    for (const float x : inputs) {
      subnormal += std::fpclassify(x) == FP_SUBNORMAL ? 1 : 0;
      sum += x;
      magnitudes += std::abs(x);
    }
    negative += sum < 0 ? 1 : 0;
    cancelling += std::abs(sum) < magnitudes / 50 ? 1 : 0;
  }
  EXPECT_GT(subnormal, 100);
  EXPECT_GT(negative, 1000);
  EXPECT_LT(negative, 3000);
  EXPECT_GT(cancelling, 50);
}

TEST(ClosedOrder, HasNoNegativeZeroToTieWith) {
  int zeros = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto call = call_with({Dtype::float32, Op::min}, Family::closed, 2, kTilePeriod, seed);
    for (const float x : inputs_at<float>(call, 1)) {
      zeros += x == 0 ? 1 : 0;
      ASSERT_FALSE(x == 0 && std::signbit(x)) << seed;
    }
  }
  EXPECT_GT(zeros, 0);  // zero is drawn, though
}

TEST(ClosedOrder, EveryRankWinsSomewhere) {
  for (const Op op : {Op::min, Op::max}) {
    for (const int ranks : {2, 5, 8}) {
      const auto call = call_with({Dtype::int32, op}, Family::closed, ranks, 1000, 3);
      std::vector<int> wins(static_cast<std::size_t>(ranks), 0);
      for (const auto& inputs : inputs_by_element<std::int32_t>(call)) {
        const auto best =
            op == Op::min ? std::ranges::min_element(inputs) : std::ranges::max_element(inputs);
        ++wins[static_cast<std::size_t>(best - inputs.begin())];
      }
      EXPECT_GT(*std::ranges::min_element(wins), 1000 / ranks / 3) << name_of(op) << " " << ranks;
    }
  }
}

}  // namespace
}  // namespace allprove::oracle
