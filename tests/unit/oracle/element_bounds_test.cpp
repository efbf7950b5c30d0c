// The bounds of inexact results against exact rational arithmetic.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include "tests/unit/oracle/element_calls.h"

namespace allprove::oracle {
namespace {

mpq_class exact(long double value) {
  int exponent = 0;
  const long double significand = std::ldexp(std::frexp(std::fabs(value), &exponent), 64);
  mpq_class number(mpz_class(static_cast<unsigned long>(significand)));
  const int shift = exponent - 64;
  if (shift >= 0) {
    mpq_mul_2exp(number.get_mpq_t(), number.get_mpq_t(), static_cast<unsigned long>(shift));
  } else {
    mpq_div_2exp(number.get_mpq_t(), number.get_mpq_t(), static_cast<unsigned long>(-shift));
  }
  return value < 0 ? mpq_class(-number) : number;
}

// The theorem's words: whether `got` is within `bound` of `right`. Just outside, by a thousandth
// (a product: by the bound itself, which the oracle takes twice), either answer will do.
void expect_agreement(bool held, const mpq_class& distance, const mpq_class& bound, double room,
                      int& inside, int& outside) {
  if (distance <= bound) {
    EXPECT_TRUE(held);
    ++inside;
  } else if (distance > bound * mpq_class(room)) {
    EXPECT_FALSE(held);
    ++outside;
  }
}

template <class R>
mpq_class roundoff() {
  return exact(kRoundoff<R>);
}

// Numbers around the allowed ones: within some bounds of the right result.
template <class R>
R somewhere(long double centre, long double radius, RandomStream& random) {
  const auto part = static_cast<long double>(random.between(-3000, 3000)) / 1000;
  return static_cast<R>(centre + part * radius);
}

template <class R>
void check_sums(const Call& call, const std::vector<std::vector<R>>& all, RandomStream& random) {
  int inside = 0;
  int outside = 0;
  for (const auto& inputs : all) {
    mpq_class sum = 0;
    mpq_class magnitude = 0;
    for (const R x : inputs) {
      sum += exact(x);
      magnitude += abs(exact(x));
    }
    const mpq_class bound =
        mpq_class(static_cast<long>(inputs.size()) - 1) * roundoff<R>() * magnitude;
    const auto allowed = allowed_sum(std::span<const R>(inputs), 1);
    if (allowed.exact()) continue;
    for (int i = 0; i < 20; ++i) {
      const R got = somewhere<R>(allowed.high, allowed.radius, random);
      expect_agreement(allowed.holds(got), abs(exact(got) - sum), bound, 1.001, inside, outside);
    }
  }
  EXPECT_GT(inside, 100) << call.ids.size();
  EXPECT_GT(outside, 100) << call.ids.size();
}

class SumBounds : public testing::TestWithParam<int> {};

TEST_P(SumBounds, AreTheTheorems) {
  RandomStream random(41);
  const auto reals = element_call({Dtype::long_double, Op::sum}, Family::free, GetParam(), 200, 1);
  check_sums(reals, inputs_of_elements<long double>(reals), random);
  const auto part_of = [&]<class R>(Dtype dtype, R) {
    const auto call = element_call({dtype, Op::sum}, Family::free, GetParam(), 200, 2);
    std::vector<std::vector<R>> parts;
    for (const auto& inputs : inputs_of_elements<std::complex<R>>(call)) {
      auto& part = parts.emplace_back();
      for (const auto& input : inputs) part.push_back(input.imag());
    }
    check_sums(call, parts, random);
  };
  part_of(Dtype::complex64, 0.0f);
  part_of(Dtype::complex128, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, SumBounds, testing::Values(3, 6, 16, 100));

class ProductBounds : public testing::TestWithParam<int> {};

TEST_P(ProductBounds, OfRealsAreTheTheorem) {
  RandomStream random(42);
  int inside = 0;
  int outside = 0;
  const auto call = element_call({Dtype::long_double, Op::prod}, Family::free, GetParam(), 200, 3);
  for (const auto& inputs : inputs_of_elements<long double>(call)) {
    mpq_class product = 1;
    for (const long double x : inputs) product *= exact(x);
    const mpq_class steps =
        mpq_class(static_cast<long>(inputs.size()) - 1) * roundoff<long double>();
    const mpq_class bound = abs(product) * steps / (1 - steps);
    const auto allowed = allowed_product(std::span<const long double>(inputs), 1);
    for (int i = 0; i < 20; ++i) {
      const auto got = somewhere<long double>(allowed.high, allowed.radius, random);
      expect_agreement(allowed.holds(got), abs(exact(got) - product), bound, 3.002, inside,
                       outside);
    }
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(outside, 100);
}

template <class R>
void check_complex_products(Dtype dtype, int ranks) {
  RandomStream random(43);
  int inside = 0;
  int outside = 0;
  const auto call = element_call({dtype, Op::prod}, Family::free, ranks, 200, 4);
  for (const auto& inputs : inputs_of_elements<std::complex<R>>(call)) {
    mpq_class real = 1;
    mpq_class imaginary = 0;
    for (const auto& x : inputs) {
      const mpq_class a = exact(x.real());
      const mpq_class b = exact(x.imag());
      const mpq_class next = real * a - imaginary * b;
      imaginary = real * b + imaginary * a;
      real = next;
    }
    // By squares: (sqrt(5) (n-1) u / (1 - ...))^2, where sqrt(5) is below 2.2361 in the quotient.
    const mpq_class steps = mpq_class(static_cast<long>(inputs.size()) - 1) * roundoff<R>();
    const mpq_class rest = 1 - mpq_class(22361, 10000) * steps;
    const mpq_class bound =
        5 * steps * steps / (rest * rest) * (real * real + imaginary * imaginary);
    const auto allowed = allowed_complex_product(std::span<const std::complex<R>>(inputs), 1);
    ASSERT_FALSE(allowed.exact());
    for (int i = 0; i < 20; ++i) {
      const std::complex<R> got(somewhere<R>(allowed.centre.real(), allowed.radius, random),
                                somewhere<R>(allowed.centre.imag(), allowed.radius, random));
      const mpq_class off_real = exact(got.real()) - real;
      const mpq_class off_imaginary = exact(got.imag()) - imaginary;
      expect_agreement(allowed.holds(got), off_real * off_real + off_imaginary * off_imaginary,
                       bound, 1.01, inside, outside);
    }
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(outside, 100);
}

TEST_P(ProductBounds, OfComplexNumbersAreTheTheoremByNorm) {
  check_complex_products<float>(Dtype::complex64, GetParam());
  check_complex_products<double>(Dtype::complex128, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Ranks, ProductBounds, testing::Values(3, 8, 16, 100));

// What is called exact is what rational arithmetic says, and needs no rounding to hold.
TEST(ExactResults, AreTheRationalOnes) {
  for (const int ranks : {3, 8, 16, 40}) {
    const auto sums = element_call({Dtype::long_double, Op::sum}, Family::closed, ranks, 300, 5);
    for (const auto& inputs : inputs_of_elements<long double>(sums)) {
      mpq_class sum = 0;
      for (const long double x : inputs) sum += exact(x);
      const auto allowed = allowed_sum(std::span<const long double>(inputs), 1);
      ASSERT_TRUE(allowed.exact());
      ASSERT_EQ(exact(allowed.value), sum);
    }
    const auto products =
        element_call({Dtype::long_double, Op::prod}, Family::closed, ranks, 300, 6);
    for (const auto& inputs : inputs_of_elements<long double>(products)) {
      mpq_class product = 1;
      for (const long double x : inputs) product *= exact(x);
      const auto allowed = allowed_product(std::span<const long double>(inputs), 1);
      ASSERT_EQ(exact(allowed.value), product);
    }
  }
}

}  // namespace
}  // namespace allprove::oracle
