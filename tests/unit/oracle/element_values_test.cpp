// Single elements by hand: what stands in docs/semantics.md of special values, ties and padding.
#include <gtest/gtest.h>

#include "framework/oracle/divide.h"
#include "tests/unit/oracle/element_calls.h"

namespace allprove::oracle {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class E>
auto allowed_of(Op op, std::vector<E> inputs, int divisor = 1) {
  return allowed(op, std::span<const E>(inputs), divisor);
}

TEST(AllowedLongDouble, IsOneNumberWhereNoOrderRounds) {
  EXPECT_EQ(allowed_of<long double>(Op::sum, {1, 2, 4.5L}).text(), "7.5 (0xfp-1)");
  EXPECT_EQ(allowed_of<long double>(Op::sum, {0x1p63L, 0x1p62L, 1}).text(),
            allowed_of<long double>(Op::sum, {0x1.8p63L, 1}).text());
  EXPECT_FALSE(allowed_of<long double>(Op::sum, {0x1p64L, 1, 1}).exact());
  EXPECT_FALSE(allowed_of<long double>(Op::sum, {0x1p8000L, 0x1p-8000L, 1}).exact());
  EXPECT_EQ(allowed_of<long double>(Op::prod, {3, -5, 7}).text(), "-105");
  EXPECT_EQ(allowed_of<long double>(Op::max, {3, -5, 7}).text(), "7");
}

TEST(AllowedLongDouble, SpecialValues) {
  using Limits = std::numeric_limits<long double>;
  const long double infinity = Limits::infinity();
  EXPECT_EQ(allowed_of<long double>(Op::sum, {1, infinity, 2}).text(), "inf (inf)");
  EXPECT_EQ(allowed_of<long double>(Op::sum, {1, infinity, -infinity}).text(), "NaN");
  EXPECT_EQ(allowed_of<long double>(Op::sum, {-0.0L, -0.0L, -0.0L}).text(), "-0");
  EXPECT_EQ(allowed_of<long double>(Op::sum, {-1, 0.0L, 1}).text(), "0");
  EXPECT_EQ(allowed_of<long double>(Op::prod, {-2, 0.0L, 3}).text(), "-0");
  EXPECT_EQ(allowed_of<long double>(Op::prod, {0, infinity, 3}).text(), "NaN");
  const long double tiny = Limits::denorm_min();
  EXPECT_EQ(allowed_of<long double>(Op::prod, {tiny, infinity, tiny}).text(), "NaN or infinity");
  EXPECT_TRUE(allowed_of<long double>(Op::prod, {tiny, 0.6L, 1.5L}).holds(tiny));
  EXPECT_FALSE(allowed_of<long double>(Op::prod, {tiny, 0.6L, 1.5L}).holds(100 * tiny));
  EXPECT_EQ(allowed_of<long double>(Op::min, {0.0L, -0.0L, 1}).text(), "0 of either sign");
  const auto with_nan = allowed_of<long double>(Op::min, {1, Limits::quiet_NaN(), 3});
  EXPECT_TRUE(with_nan.holds(3) && with_nan.holds(1) && with_nan.holds(-Limits::quiet_NaN()));
  EXPECT_FALSE(with_nan.holds(2));
  const auto huge = allowed_of<long double>(Op::prod, {0x1p9000L, 0x1p9000L, -1});
  EXPECT_TRUE(huge.holds(-infinity) && huge.holds(-Limits::max()));
  EXPECT_FALSE(huge.holds(infinity) || huge.holds(0x1p9000L));
}

// A significand without its leading one is what a library may leave that copies 8 bytes of 10.
TEST(AllowedLongDouble, BitsThatAreNoNumberAreWrong) {
  long double odd = 1;
  std::memset(static_cast<void*>(&odd), 0, 8);
  EXPECT_FALSE(is_encoding(odd));
  EXPECT_FALSE(allowed_of<long double>(Op::min, {1, std::nanl(""), 3}).holds(odd));
  EXPECT_TRUE(is_encoding(1.5L) && is_encoding(0.0L) && is_encoding(std::nanl("1")));
  EXPECT_TRUE(is_encoding(std::numeric_limits<long double>::denorm_min()));
}

using Complex = std::complex<float>;

TEST(AllowedComplex, SumsGoByComponent) {
  const auto sum = allowed_of<Complex>(Op::sum, {{1, 2}, {3, -2}, {0.5f, kInfinity}});
  EXPECT_EQ(sum.text(), "(4.5, inf)");
  EXPECT_TRUE(sum.holds({4.5f, kInfinity}));
  EXPECT_FALSE(sum.holds({4.5f, kNan}));
  const auto mean = allowed_of<Complex>(Op::sum, {{1, 2}, {3, -2}, {0.5f, 3}}, 3);
  EXPECT_TRUE(mean.holds({1.5f, 1}));
}

TEST(AllowedComplex, ProductsOfSmallIntegersAreOneNumberButForTheSignOfZero) {
  const auto product = allowed_of<Complex>(Op::prod, {{0, 1}, {0, 2}, {3, 0}});
  EXPECT_TRUE(product.exact());
  EXPECT_TRUE(product.holds({-6, 0}) && product.holds({-6, -0.0f}));
  EXPECT_FALSE(product.holds({-6, std::numeric_limits<float>::denorm_min()}));
}

TEST(AllowedComplex, ProductsWithZerosAndWhatIsNotFinite) {
  EXPECT_EQ(allowed_of<Complex>(Op::prod, {{0.1f, 0.7f}, {0, 0}, {0.3f, 5}}).text(), "(0, 0)");
  const auto infinite = allowed_of<Complex>(Op::prod, {{1, 2}, {kInfinity, 0}, {0, 0}});
  EXPECT_TRUE(infinite.holds({kNan, 0}) && infinite.holds({1, -kInfinity}));
  EXPECT_FALSE(infinite.holds({1, 1}));
}

// Subnormal powers of two are Gaussian integers times a power that no product holds.
TEST(AllowedComplex, ProductsThatVanishAreNotExact) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const auto product = allowed_of<Complex>(Op::prod, {{tiny, tiny}, {0.5f, 0}, {2, 0}});
  EXPECT_FALSE(product.exact());
  EXPECT_TRUE(product.holds({tiny, tiny}) && product.holds({0, 0}));
  EXPECT_FALSE(product.holds({100 * tiny, 0}));
}

TEST(AllowedPair, TiesGiveTheSmallestIndex) {
  const std::vector<Pair<short>> inputs = {{3, 7}, {1, 9}, {1, -4}, {2, -9}, {3, 1}};
  EXPECT_EQ(allowed_of(Op::minloc, inputs).text(), "(1, index -4)");
  EXPECT_EQ(allowed_of(Op::maxloc, inputs).text(), "(3, index 1)");
}

TEST(AllowedPair, ZerosTieAndTheirSignIsOpen) {
  const auto pair = allowed_of<Pair<float>>(Op::minloc, {{0.0f, 5}, {-0.0f, 8}, {1, 0}});
  EXPECT_TRUE(pair.holds({0.0f, 5}) && pair.holds({-0.0f, 5}));
  EXPECT_FALSE(pair.holds({-0.0f, 8}));
  EXPECT_FALSE(pair.exact());
}

TEST(AllowedPair, ANanLeavesAnyOfTheInputs) {
  const auto pair = allowed_of<Pair<float>>(Op::maxloc, {{2, 5}, {kNan, 8}, {1, 0}});
  EXPECT_TRUE(pair.holds({2, 5}) && pair.holds({1, 0}) && pair.holds({-kNan, 8}));
  EXPECT_FALSE(pair.holds({2, 8}) || pair.holds({kNan, 5}) || pair.holds({3, 5}));
}

TEST(Inputs, OfPairsTie) {
  const auto call = element_call({Dtype::double_int, Op::minloc}, Family::closed, 4, 300, 1);
  int ties = 0;
  for (const auto& inputs : inputs_of_elements<Pair<double>>(call)) {
    const auto best = allowed_of(call.op, inputs).value.value;
    ties += std::ranges::count(inputs, best, &Pair<double>::value) > 1 ? 1 : 0;
  }
  EXPECT_GT(ties, 100);
  EXPECT_LT(ties, 280);
}

TEST(Inputs, AreTrueOrFalseOfBooleans) {
  for (const Op op : {Op::land, Op::lor, Op::lxor}) {
    for (const Family family : {Family::ramp, Family::closed, Family::free, Family::special}) {
      std::array<int, 2> results{};
      for (const int ranks : {2, 3, 8}) {
        const auto call = element_call({Dtype::boolean, op}, family, ranks, 200, 1);
        for (const auto& inputs : inputs_of_elements<Boolean>(call)) {
          for (const auto input : inputs) ASSERT_LE(input.byte, 1);
          ++results[allowed_of(op, inputs).value.byte];
        }
      }
      // Of the ramp a person must be able to tell the inputs: every other rank's is true.
      if (family != Family::ramp) {
        EXPECT_GT(std::ranges::min(results), 30) << name_of(family);
      }
    }
  }
}

TEST(Inputs, SpecialRealsAreDrawn) {
  bool nan = false, infinity = false, minus_zero = false, subnormal = false;
  const auto call = element_call({Dtype::complex64, Op::sum}, Family::special, 2, 3000, 1);
  for (const auto& x : element_inputs<Complex>(call, 1)) {
    nan |= std::isnan(x.imag());
    infinity |= std::isinf(x.real());
    minus_zero |= x.real() == 0 && std::signbit(x.real());
    subnormal |= std::fpclassify(x.imag()) == FP_SUBNORMAL;
  }
  EXPECT_TRUE(nan && infinity && minus_zero && subnormal);
}

TEST(Divide, RoundsEachPartOnce) {
  std::vector<Complex> numbers = {{1, -2}};
  divide_by_size(Dtype::complex64, reinterpret_cast<std::byte*>(numbers.data()), 1, 3);
  EXPECT_EQ(numbers.front(), Complex(1.0f / 3, -2.0f / 3));
  long double wide = 1;
  divide_by_size(Dtype::long_double, reinterpret_cast<std::byte*>(&wide), 1, 3);
  EXPECT_EQ(wide, 1.0L / 3);
}

TEST(ElementText, ShowsEveryKind) {
  const auto text = [](Dtype dtype, const auto& element) {
    return element_text(dtype, reinterpret_cast<const std::byte*>(&element));
  };
  EXPECT_EQ(text(Dtype::long_double, 2.0L), "2");
  EXPECT_EQ(text(Dtype::long_double, 0.1L), "0.1 (0xc.ccccccccccccccdp-7)");
  EXPECT_EQ(text(Dtype::complex64, Complex(1, -0.0f)), "(1, -0)");
  EXPECT_EQ(text(Dtype::boolean, Boolean{7}), "7");
  EXPECT_EQ(text(Dtype::short_int, Pair<short>{-3, 4}), "(-3, index 4)");
}

}  // namespace
}  // namespace allprove::oracle
