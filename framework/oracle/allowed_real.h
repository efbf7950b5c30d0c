// What a floating-point number of an output may be, worked out from the inputs of one element.
// Rules and sources: docs/semantics.md, section 3. All is computed in the x87 format, whose sums
// and products of narrower numbers are finer than their bounds by 2^11 or more.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "framework/oracle/elements.h"
#include "framework/oracle/text.h"

namespace allprove::oracle {

template <class R>
struct AllowedReal {
  enum class Kind {
    only,           // `value`, to the bit
    equal,          // equal to it: a zero of either sign
    near,           // within `radius` of high + low
    huge,           // of `value`'s sign, and `high` or more
    nan,            // any NaN
    beyond_finite,  // NaN or an infinity
    choice          // NaN, or equal to one of `choices`
  };
  Kind kind = Kind::only;
  R value{};
  long double high = 0, low = 0, radius = 0;
  std::vector<R> choices;

  static AllowedReal only(R one) {
    return std::isnan(one) ? of(Kind::nan, one) : of(Kind::only, one);
  }
  static AllowedReal of(Kind kind, R representative) {
    AllowedReal allowed;
    allowed.kind = kind;
    allowed.value = representative;
    return allowed;
  }
  static AllowedReal around(long double high, long double low, long double radius) {
    auto allowed = of(Kind::near, static_cast<R>(high));
    allowed.high = high;
    allowed.low = low;
    // What this bound, and the distance to it, are rounded by themselves.
    allowed.radius = radius * (1 + 0x1p-40L);
    return allowed;
  }

  bool exact() const { return kind == Kind::only; }
  bool holds(R got) const {
    if (!is_encoding(got)) return false;
    switch (kind) {
      case Kind::only:
        return same_image(got, value);
      case Kind::equal:
        return got == value;
      case Kind::near:
        return std::fabs((static_cast<long double>(got) - high) - low) <= radius;
      case Kind::huge:
        return std::fabs(got) >= high && std::signbit(got) == std::signbit(value);
      case Kind::nan:
        return std::isnan(got);
      case Kind::beyond_finite:
        return !std::isfinite(got);
      case Kind::choice:
        return std::isnan(got) || std::ranges::find(choices, got) != choices.end();
    }
    return false;
  }
  std::string text() const {
    switch (kind) {
      case Kind::only:
        return element_text(value);
      case Kind::equal:
        return fmt::format("{} of either sign", element_text(value));
      case Kind::near:
        return fmt::format("between {} and {}", element_text(static_cast<R>(high - radius)),
                           element_text(static_cast<R>(high + radius)));
      case Kind::huge:
        return fmt::format("{} or as large as {}", element_text(value),
                           element_text(static_cast<R>(high)));
      case Kind::nan:
        return "NaN";
      case Kind::beyond_finite:
        return "NaN or infinity";
      case Kind::choice:
        return "NaN or one of the inputs";
    }
    return {};
  }
};

template <class R>
inline constexpr long double kRoundoff = 0.5L * std::numeric_limits<R>::epsilon();

// The caller's division rounds once more, and by the smallest number where it underflows.
template <class R>
AllowedReal<R> divided(AllowedReal<R> allowed, int divisor) {
  if (divisor == 1) return allowed;
  const long double n = divisor;
  if (allowed.kind != AllowedReal<R>::Kind::near) {
    allowed.value /= static_cast<R>(divisor);
    for (R& choice : allowed.choices) choice /= static_cast<R>(divisor);
    allowed.high /= n;  // of `huge`
    return allowed;
  }
  const long double most = std::fabs(allowed.high) + allowed.radius;
  return AllowedReal<R>::around(
      allowed.high / n, allowed.low / n,
      allowed.radius / n + 2.001L * kRoundoff<R> * most / n + std::numeric_limits<R>::denorm_min());
}

// The inputs of one element, as far as infinities, NaNs and zeros decide.
template <class R>
struct RealCensus {
  bool nan = false, plus_infinity = false, minus_infinity = false, zero = false;
  bool negative = false;  // the sign of the product

  explicit RealCensus(std::span<const R> inputs) {
    for (const R x : inputs) {
      nan |= std::isnan(x);
      plus_infinity |= std::isinf(x) && !std::signbit(x);
      minus_infinity |= std::isinf(x) && std::signbit(x);
      zero |= x == R{0};
      negative ^= std::signbit(x);
    }
  }
  bool infinity() const { return plus_infinity || minus_infinity; }
};

// Whether no order of additions rounds: all are multiples of one power of two q, and the sum of
// their magnitudes is below 2^digits q.
template <class R>
bool sums_exactly(std::span<const R> inputs, long double magnitude) {
  if (magnitude == 0) return true;
  const int exponent = std::ilogb(magnitude) + 1 - std::numeric_limits<R>::digits;
  return std::ranges::all_of(inputs, [&](R x) {
    const long double units = std::ldexp(static_cast<long double>(x), -exponent);
    return units == std::trunc(units) && (units != 0 || x == R{0});  // 0: it underflowed
  });
}

// Centred on high + low by TwoSum, which collects the roundings of the additions: off by at most
// (n-1)^2 2^-128 sum|x|, which is 2^-52 of the bound even for the x87 format and 4096 ranks.
template <class R>
AllowedReal<R> allowed_sum(std::span<const R> inputs, int divisor) {
  R plain = inputs.front();
  long double high = plain, low = 0, magnitude = std::fabs(static_cast<long double>(plain));
  for (const R input : inputs.subspan(1)) {
    plain += input;
    const long double x = input;
    const long double sum = high + x;
    const long double part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
    magnitude += std::fabs(x);
  }
  const bool is_special = !std::isfinite(magnitude);
  if (inputs.size() <= 2 || is_special || sums_exactly(inputs, magnitude)) {
    return divided(AllowedReal<R>::only(plain), divisor);
  }
  const long double radius = static_cast<long double>(inputs.size() - 1) * kRoundoff<R> * magnitude;
  return divided(AllowedReal<R>::around(high, low, radius), divisor);
}

// The exponent of a number's last bit that is set.
inline int last_bit(long double x) {
  int exponent = 0;
  const long double significand = std::ldexp(std::frexp(std::fabs(x), &exponent), 64);
  return exponent - 64 + std::countr_zero(static_cast<std::uint64_t>(significand));
}

// Factors that are integers times powers of two: whether the product of the integers fits the
// significand, and every product of some of the powers the exponent.
template <class R>
class ExactProduct {
 public:
  void add(int unit, long double integer) {
    integers_ *= integer;
    (unit < 0 ? lowest_ : highest_) += unit;
  }
  bool is_exact() const {
    using Limits = std::numeric_limits<R>;
    return integers_ < 0.5L / kRoundoff<R> && lowest_ >= Limits::min_exponent - Limits::digits &&
           highest_ < Limits::max_exponent - Limits::digits;
  }

 private:
  long double integers_ = 1;
  int lowest_ = 0;
  int highest_ = 0;
};

// Whether no order of multiplications rounds. No factor is zero or infinite.
template <class R>
bool multiplies_exactly(std::span<const R> inputs) {
  ExactProduct<R> product;
  for (const R x : inputs) {
    const int unit = last_bit(x);
    product.add(unit, std::ldexp(std::fabs(static_cast<long double>(x)), -unit));
  }
  return product.is_exact();
}

// The centre is a product in the x87 format: of its own numbers the bound is taken twice.
template <class R>
AllowedReal<R> allowed_product(std::span<const R> inputs, int divisor) {
  using Limits = std::numeric_limits<R>;
  using Kind = typename AllowedReal<R>::Kind;
  const RealCensus<R> census(inputs);
  R plain = inputs.front();
  long double product = plain, above = 1, below = 1;
  const auto weigh = [&](long double x) { (std::fabs(x) < 1 ? below : above) *= std::fabs(x); };
  weigh(plain);
  for (const R x : inputs.subspan(1)) {
    plain *= x;
    product *= x;
    weigh(x);
  }
  if (inputs.size() <= 2) return divided(AllowedReal<R>::only(plain), divisor);
  const R sign = census.negative ? R{-1} : R{1};
  if (census.nan || (census.infinity() && census.zero)) {
    return AllowedReal<R>::only(Limits::quiet_NaN());
  }
  if (census.infinity()) {
    // Where factors may underflow to zero first, infinity times zero is NaN.
    if (below < Limits::min()) {
      return AllowedReal<R>::of(Kind::beyond_finite, sign * Limits::infinity());
    }
    return AllowedReal<R>::only(sign * Limits::infinity());
  }
  if (census.zero) return AllowedReal<R>::only(sign * R{0});
  if (multiplies_exactly(inputs)) return divided(AllowedReal<R>::only(plain), divisor);
  if (std::fabs(product) > Limits::max() * (1 - R{0x1p-8})) {  // of integers: so ends every order
    auto huge = AllowedReal<R>::of(Kind::huge, sign * Limits::infinity());
    huge.high = Limits::max() * (1 - R{0x1p-6});
    return divided(huge, divisor);
  }
  const auto n = static_cast<long double>(inputs.size());
  const long double offs = Limits::digits == 64 ? 2.001L : 1.001L;
  const long double steps = (n - 1) * kRoundoff<R>;
  const long double vanishing = below < 2 * static_cast<long double>(Limits::min()) ? above : 0;
  const long double radius = offs * (std::fabs(product) * steps / (1 - steps) +
                                     (n - 1) * Limits::denorm_min() * vanishing);
  return divided(AllowedReal<R>::around(product, 0, radius), divisor);
}

template <class R>
AllowedReal<R> allowed_extreme(Op op, std::span<const R> inputs, int divisor) {
  using Kind = typename AllowedReal<R>::Kind;
  if (RealCensus<R>(inputs).nan && inputs.size() > 1) {
    auto allowed = AllowedReal<R>::of(Kind::choice, inputs.front());
    allowed.choices.assign(inputs.begin(), inputs.end());
    return divided(allowed, divisor);
  }
  const auto best =
      op == Op::min ? std::ranges::min_element(inputs) : std::ranges::max_element(inputs);
  const bool zeros = *best == R{0} && std::ranges::any_of(inputs, [&](R x) {
    return x == *best && std::signbit(x) != std::signbit(*best);
  });
  return divided(zeros ? AllowedReal<R>::of(Kind::equal, *best) : AllowedReal<R>::only(*best),
                 divisor);
}

}  // namespace allprove::oracle
