// The generic reference: no order of evaluation is called wrong, and little else is let through.
#include "framework/oracle/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/base/random.h"
#include "framework/oracle/compare.h"
#include "framework/oracle/reference_float.h"
#include "framework/oracle/text.h"
#include "tests/unit/oracle/calls.h"

namespace allprove::oracle {
namespace {

Question question_of(const Call& call) {
  std::vector<Piece> pieces;
  find_pieces(call, 0, pieces);
  return pieces.front().question;
}

// The call's expectation as the generic reference has it.
template <class T>
Expectation<T> reference_of(const Call& call) {
  const Question question = question_of(call);
  Workspace workspace;
  Expectation<T> expectation;
  Reference<T>().reduce(call.op, question.sources, 0, call.count, false, workspace, expectation);
  if (question.divisor > 1) divide(expectation, question.divisor);
  return expectation;
}

class References : public testing::TestWithParam<std::tuple<Reduction, Family>> {
 protected:
  Reduction reduction() const { return std::get<0>(GetParam()); }
  Family family() const { return std::get<1>(GetParam()); }
};

TEST_P(References, AllowEveryOrderOfEvaluation) {
  for_dtype(reduction().dtype, [&]<class T>() {
    RandomStream random(21);
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 300}) {
      for (int round = 0; round < (ranks < 10 ? 8 : 1); ++round) {
        const auto call = call_with(reduction(), family(), ranks, 100, random.next());
        const auto evidence = judge(call, 0, reduced_in_any_order<T>(call, random));
        ASSERT_EQ(evidence.wrong, 0)
            << ranks << " ranks, seed " << call.data.seed << ": expected "
            << evidence.first_wrong->expected << " at " << evidence.first_wrong->index << ", not "
            << evidence.first_wrong->got;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, References,
                         testing::Combine(testing::ValuesIn(all_reductions()),
                                          testing::Values(Family::ramp, Family::free,
                                                          Family::special)));

class FloatBounds : public testing::TestWithParam<Reduction> {};

TEST_P(FloatBounds, RefuseTheNumbersJustOutside) {
  for_dtype(GetParam().dtype, [&]<class T>() {
    const auto call = call_with(GetParam(), Family::free, 5, 300);
    const auto expectation = reference_of<T>(call);
    std::vector<T> low;
    std::vector<T> high;
    for (std::size_t i = 0; i < 300; ++i) {
      const auto range = expectation.range(i);
      low.push_back(from_key<T>(static_cast<Bits<T>>(range.low - 1)));
      high.push_back(from_key<T>(static_cast<Bits<T>>(range.low + range.span + 1)));
    }
    EXPECT_EQ(judge(call, 0, low).wrong, 300);
    EXPECT_EQ(judge(call, 0, high).wrong, 300);
  });
}

TEST_P(FloatBounds, ArePointsForTwoRanks) {
  for_dtype(GetParam().dtype, [&]<class T>() {
    EXPECT_TRUE(reference_of<T>(call_with(GetParam(), Family::free, 2, 300)).exact);
    EXPECT_TRUE(reference_of<T>(call_with(GetParam(), Family::free, 1, 300)).exact);
  });
}

INSTANTIATE_TEST_SUITE_P(All, FloatBounds,
                         testing::Values(Reduction{Dtype::float32, Op::sum},
                                         Reduction{Dtype::float32, Op::prod},
                                         Reduction{Dtype::float64, Op::sum},
                                         Reduction{Dtype::float64, Op::prod}));

class SumBounds : public testing::TestWithParam<Dtype> {};

TEST_P(SumBounds, AreOfTheSizeThatTheTheoremSays) {
  for_dtype(GetParam(), [&]<class T>() {
    constexpr int kRanks = 6;
    const auto call = call_with({GetParam(), Op::sum}, Family::free, kRanks, 500);
    const auto expectation = reference_of<T>(call);
    const auto inputs = inputs_by_element<T>(call);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      long double sum = 0;
      long double magnitudes = 0;
      for (const T x : inputs[i]) {
        sum += x;
        magnitudes += std::fabs(x);
      }
      const long double radius =
          (kRanks - 1) * (std::numeric_limits<T>::epsilon() / 2) * magnitudes;
      const auto range = expectation.range(i);
      const long double low = from_key<T>(range.low);
      const long double high = from_key<T>(static_cast<Bits<T>>(range.low + range.span));
      // The range is the numbers of T within [sum - radius, sum + radius]: the next ones are
      // outside.
      const long double slack = 1e-3L * radius;  // the precision of this sum
      EXPECT_GE(low, sum - radius - slack);
      EXPECT_LE(high, sum + radius + slack);
      const T below = from_key<T>(static_cast<Bits<T>>(range.low - 1));
      const T above = from_key<T>(static_cast<Bits<T>>(range.low + range.span + 1));
      EXPECT_TRUE(low == 0 || below < sum - radius + slack);
      EXPECT_TRUE(high == 0 || above > sum + radius - slack);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, SumBounds, testing::Values(Dtype::float32, Dtype::float64));

TEST(Reference, RampSumsAreExact) {
  EXPECT_TRUE(
      reference_of<float>(call_with({Dtype::float32, Op::sum}, Family::ramp, 8, 4000)).exact);
  // 8 numbers up to 40,000 have a product that no float holds.
  EXPECT_FALSE(
      reference_of<float>(call_with({Dtype::float32, Op::prod}, Family::ramp, 8, 4000)).exact);
}

TEST(Reference, ClosedAndGenericAnswersAreTheSame) {
  for (const auto reduction : all_reductions()) {
    for_dtype(reduction.dtype, [&]<class T>() {
      for (const int ranks : {2, 3, 8, 13}) {
        const auto call = call_with(reduction, Family::closed, ranks, 400);
        const Question question = question_of(call);
        Expecter<T> expecter;
        Expectation<T> closed;
        expecter.expect_tile(question, call.count, closed);
        const auto generic = reference_of<T>(call);
        for (std::size_t i = 0; i < closed.value.size(); ++i) {
          ASSERT_TRUE(generic.range(i).holds(closed.value[i])) << reduction << " at " << i;
        }
      }
    });
  }
}

// ---- special values, with inputs given by hand

class Specials : public testing::Test {
 protected:
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float kTiny = std::numeric_limits<float>::denorm_min();

  static std::string allowed(Op op, std::vector<float> inputs) {
    Expectation<float> expectation;
    expectation.reset(1);
    expectation.allow_ranges(1);
    reduce_floats(op, Inputs<float>{inputs.data(), inputs.size(), 1}, Nature{}, 0, expectation);
    expectation.exact = false;
    return range_text(expectation, 0);
  }
};

TEST_F(Specials, InfinitiesAndNansDecideSums) {
  EXPECT_EQ(allowed(Op::sum, {1, kInfinity, 2}), "inf");
  EXPECT_EQ(allowed(Op::sum, {1, -kInfinity, -kInfinity}), "-inf");
  EXPECT_EQ(allowed(Op::sum, {kInfinity, 1, -kInfinity}), "NaN");
  EXPECT_EQ(allowed(Op::sum, {kInfinity, 1, kNan}), "NaN");
  EXPECT_EQ(allowed(Op::sum, {kNan, -kNan}), "NaN");
}

TEST_F(Specials, ZerosOfSums) {
  EXPECT_EQ(allowed(Op::sum, {-0.0f, -0.0f, -0.0f}), "-0");
  EXPECT_EQ(allowed(Op::sum, {-0.0f, 0.0f, -0.0f}), "0");
  EXPECT_EQ(allowed(Op::sum, {1, -0.0f, -1}), "0");
}

TEST_F(Specials, SubnormalSumsAreExact) {
  EXPECT_EQ(allowed(Op::sum, {kTiny, kTiny, kTiny}), number_text(3 * kTiny));
}

TEST_F(Specials, ProductsWithZerosAndInfinities) {
  EXPECT_EQ(allowed(Op::prod, {2, -0.0f, 3}), "-0");
  EXPECT_EQ(allowed(Op::prod, {-2, -0.0f, 3}), "0");
  EXPECT_EQ(allowed(Op::prod, {-2, kInfinity, 3}), "-inf");
  EXPECT_EQ(allowed(Op::prod, {0, kInfinity, 3}), "NaN");
  EXPECT_EQ(allowed(Op::prod, {kTiny, kInfinity, kTiny}), "NaN or infinity");
}

TEST_F(Specials, ProductsThatVanishMayKeepASmallestNumber) {
  const std::vector<float> inputs = {kTiny, 0.6f, 1.5f};
  Expectation<float> expectation;
  expectation.reset(1);
  expectation.allow_ranges(1);
  reduce_floats(Op::prod, Inputs<float>{inputs.data(), 3, 1}, Nature{}, 0, expectation);
  expectation.exact = false;
  EXPECT_TRUE(expectation.range(0).holds(kTiny * 0.6f * 1.5f));
  EXPECT_TRUE(expectation.range(0).holds(kTiny * (0.6f * 1.5f)));
  EXPECT_TRUE(expectation.range(0).holds(kTiny * 1.5f * 0.6f));
  EXPECT_FALSE(expectation.range(0).holds(100 * kTiny));
}

TEST_F(Specials, MinAndMaxOfZerosAndNans) {
  EXPECT_EQ(allowed(Op::min, {0.0f, -0.0f, 3}), "between -0 and 0");
  EXPECT_EQ(allowed(Op::max, {0.0f, -0.0f, -3}), "between -0 and 0");
  EXPECT_EQ(allowed(Op::max, {0.0f, -0.0f, 3}), "3");
  EXPECT_EQ(allowed(Op::min, {-0.0f, 3}), "-0");
  EXPECT_EQ(allowed(Op::min, {1, kInfinity, -kInfinity}), "-inf");
  EXPECT_EQ(allowed(Op::max, {1, kNan, 3}), "NaN or one of the inputs");
}

TEST_F(Specials, ANanAllowsTheInputsAndNothingElse) {
  const std::vector<float> inputs = {1, kNan, 3};
  Expectation<float> expectation;
  expectation.reset(1);
  expectation.allow_ranges(1);
  reduce_floats(Op::min, Inputs<float>{inputs.data(), 3, 1}, Nature{}, 0, expectation);
  expectation.exact = false;
  for (const auto& [got, wrong] : std::vector<std::pair<float, int>>{
           {1, 0}, {3, 0}, {kNan, 0}, {-kNan, 0}, {2, 1}, {kInfinity, 1}}) {
    Wrong found;
    compare(expectation, 0, reinterpret_cast<const std::byte*>(&got), 0, 1, found);
    EXPECT_EQ(found.count, wrong) << got;
  }
}

TEST_F(Specials, AreDrawn) {
  bool nan = false;
  bool infinity = false;
  bool minus_zero = false;
  bool subnormal = false;
  for (const float x :
       inputs_at<float>(call_with({Dtype::float32, Op::sum}, Family::special, 2, 4000), 1)) {
    nan |= std::isnan(x);
    infinity |= std::isinf(x);
    minus_zero |= x == 0 && std::signbit(x);
    subnormal |= std::fpclassify(x) == FP_SUBNORMAL;
  }
  EXPECT_TRUE(nan && infinity && minus_zero && subnormal);
}

}  // namespace
}  // namespace allprove::oracle
