#include "framework/oracle/reference_float.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "framework/base/check.h"

namespace allprove::oracle {
namespace {

constexpr std::size_t kLanes = 64;  // elements handled at a time, in arrays that stay in the cache

template <class T>
using Limits = std::numeric_limits<T>;

// Unit roundoff.
template <class T>
constexpr double kUnit = 0.5 * static_cast<double>(Limits<T>::epsilon());

// The numbers of T within [low, high], by a conversion that rounds to nearest and a step inward.
// Both ends are conservative: `high` beyond the largest number allows infinity.
template <class T, class W>
KeyRange<T> numbers_within(W low, W high) {
  const T low_near = static_cast<T>(low);
  const T high_near = static_cast<T>(high);
  Bits<T> low_key = key_of(low_near);
  Bits<T> high_key = key_of(high_near);
  low_key = static_cast<Bits<T>>(low_key + (static_cast<W>(low_near) < low ? 1 : 0));
  high_key = static_cast<Bits<T>>(
      high_key - (static_cast<W>(high_near) > high && std::isfinite(high_near) ? 1 : 0));
  // An end that is zero admits both zeros.
  constexpr Bits<T> kPlusZero = kTopBit<T>;
  if (low_key == kPlusZero) low_key = kPlusZero - 1;
  if (high_key == kPlusZero - 1) high_key = kPlusZero;
  return {low_key, static_cast<Bits<T>>(high_key - low_key)};
}

template <class T>
KeyRange<T> either_zero() {
  return KeyRange<T>::between(-T{0}, T{0});
}

// ---- special values, one element at a time

template <class T>
struct Census {
  bool nan = false, plus_infinity = false, minus_infinity = false, zero = false;
  bool negative = false;  // sign of the product

  Census(const Inputs<T>& inputs, std::size_t i) {
    for (std::size_t r = 0; r < inputs.ranks; ++r) {
      const T x = inputs.at(r, i);
      nan |= std::isnan(x);
      plus_infinity |= x == Limits<T>::infinity();
      minus_infinity |= x == -Limits<T>::infinity();
      zero |= x == T{0};
      negative ^= std::signbit(x);
    }
  }
  bool infinity() const { return plus_infinity || minus_infinity; }
};

template <class T>
void allow_nan(Expectation<T>& to, std::size_t at) {
  to.set(at, Limits<T>::quiet_NaN(), KeyRange<T>::nan());
}

// A sum with a NaN or an infinity among its inputs: the finite ones do not matter.
template <class T>
void sum_special(const Inputs<T>& inputs, std::size_t i, std::size_t at, Expectation<T>& to) {
  const Census<T> census(inputs, i);
  ALLPROVE_CHECK(census.nan || census.infinity());  // finite inputs are drawn not to overflow
  if (census.nan || (census.plus_infinity && census.minus_infinity)) return allow_nan(to, at);
  const T infinity = census.plus_infinity ? Limits<T>::infinity() : -Limits<T>::infinity();
  to.set(at, infinity, KeyRange<T>::only(infinity));
}

// ---- sum

// Whether no order of evaluation rounds: all inputs are multiples of one power of two q, and the
// sum of their magnitudes is at most 2^precision q. Says no where it cannot tell.
template <class T>
bool sums_exactly(const Inputs<T>& inputs, std::size_t i, double magnitudes) {
  if (magnitudes == 0) return true;
  if (!(magnitudes < 0x1p+1000) || magnitudes < 0x1p-960) return false;
  int exponent = 0;
  std::frexp(magnitudes, &exponent);  // magnitudes < 2^exponent
  // Adding and subtracting `grid` rounds a number up to 2^exponent to multiples of q or of 2q.
  const double grid = std::ldexp(0.75, exponent + 53 - Format<T>::precision);
  for (std::size_t r = 0; r < inputs.ranks; ++r) {
    const double x = std::fabs(static_cast<double>(inputs.at(r, i)));
    if ((x + grid) - grid != x) return false;
  }
  return true;
}

// The sum of block elements [begin, begin + lanes) without rounding that matters, as high + low,
// and the sum of magnitudes.
struct SumLanes {
  std::array<double, kLanes> high, low, magnitude;
};

// TwoSum (Knuth): the rounding errors of the additions are collected in `low`. For float the
// double additions are so much finer than the bound that the errors would not matter; they cost
// little. |high + low - sum| <= (n-1)^2 2^-106 sum|x| (Ogita, Rump and Oishi 2005).
template <class T>
void sum_lanes(const Inputs<T>& inputs, std::size_t begin, std::size_t lanes, SumLanes& sum) {
  const T* first = inputs.row(0) + begin;
  for (std::size_t i = 0; i < lanes; ++i) {
    const auto x = static_cast<double>(first[i]);
    sum.high[i] = x;
    sum.low[i] = 0;
    sum.magnitude[i] = std::fabs(x);
  }
  for (std::size_t r = 1; r < inputs.ranks; ++r) {
    const T* row = inputs.row(r) + begin;
    for (std::size_t i = 0; i < lanes; ++i) {
      const auto x = static_cast<double>(row[i]);
      const double a = sum.high[i];
      const double s = a + x;
      const double part = s - a;
      sum.low[i] += (a - (s - part)) + (x - part);
      sum.high[i] = s;
      sum.magnitude[i] += std::fabs(x);
    }
  }
}

// Jeannerod and Rump 2013: in any order, |got - sum| <= (n-1) u sum|x|. The factor covers the
// rounding of the magnitudes and of the bound itself.
template <class T>
double sum_radius(std::size_t ranks, double magnitudes) {
  const auto n = static_cast<double>(ranks);
  return (n - 1) * kUnit<T> * magnitudes * (1 + n * 0x1p-50);
}

// The doubles within [high + low - radius, high + low + radius], |low| and radius far below |high|
// or not.
KeyRange<double> doubles_around(double high, double low, double radius) {
  const auto end = [](double a, double b, double inward) {
    const double s = a + b;
    const double part = s - a;
    const double rest = (a - (s - part)) + (b - part);  // a + b == s + rest, exactly
    return rest * inward > 0 ? from_key<double>(key_of(s) + (inward > 0 ? 1u : ~0ull)) : s;
  };
  return numbers_within<double>(end(high, low - radius, 1), end(high, low + radius, -1));
}

template <class T>
void sum_block(const Inputs<T>& inputs, std::size_t offset, Expectation<T>& to) {
  SumLanes sum;
  for (std::size_t begin = 0; begin < inputs.count; begin += kLanes) {
    const std::size_t lanes = std::min(kLanes, inputs.count - begin);
    sum_lanes(inputs, begin, lanes, sum);
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::size_t i = begin + k;
      const std::size_t at = offset + i;
      if (!std::isfinite(sum.magnitude[k])) {
        sum_special(inputs, i, at, to);
      } else if (inputs.ranks <= 2 || sums_exactly(inputs, i, sum.magnitude[k])) {
        // One addition is rounded correctly; exact ones are the same in every order.
        T exact = inputs.at(0, i);
        for (std::size_t r = 1; r < inputs.ranks; ++r) exact += inputs.at(r, i);
        to.set(at, exact, KeyRange<T>::only(exact));
      } else {
        const double radius = sum_radius<T>(inputs.ranks, sum.magnitude[k]);
        if constexpr (sizeof(T) == 8) {
          to.set(at, sum.high[k], doubles_around(sum.high[k], sum.low[k], radius));
        } else {
          to.set(at, static_cast<T>(sum.high[k]),
                 numbers_within<T>(sum.high[k] - radius, sum.high[k] + radius));
        }
      }
    }
  }
}

// ---- product

// Relative error of n-1 roundings, and an absolute one for every operation that may underflow,
// carried on by the factors above 1 that may follow it.
template <class T>
void product(const Inputs<T>& inputs, std::size_t i, std::size_t at, Expectation<T>& to) {
  using W = std::conditional_t<sizeof(T) == 4, double, long double>;
  W exact = 1;
  W above = 1;
  W below = 1;
  bool integers = true;
  for (std::size_t r = 0; r < inputs.ranks; ++r) {
    const W x = inputs.at(r, i);
    const W magnitude = std::fabs(x);
    exact *= x;
    above *= std::max(magnitude, W{1});
    below *= std::min(magnitude, W{1});
    integers &= x == std::trunc(x);
  }
  if (!std::isfinite(above) || exact == 0) {
    const Census<T> census(inputs, i);
    const T sign = census.negative ? T{-1} : T{1};
    if (census.nan || (census.infinity() && census.zero)) return allow_nan(to, at);
    if (census.infinity()) {
      const T infinity = sign * Limits<T>::infinity();
      // Where factors may underflow to zero first, infinity times zero is NaN.
      const bool may_vanish = below < W{Limits<T>::min()};
      to.set(at, infinity, may_vanish ? KeyRange<T>::beyond_finite() : KeyRange<T>::only(infinity));
      return;
    }
    if (census.zero) return to.set(at, sign * T{0}, KeyRange<T>::only(sign * T{0}));
  }
  if (inputs.ranks <= 2 ||
      (integers && std::fabs(exact) <= static_cast<W>(2 / Limits<T>::epsilon()))) {
    T value = inputs.at(0, i);
    for (std::size_t r = 1; r < inputs.ranks; ++r) value *= inputs.at(r, i);
    return to.set(at, value, KeyRange<T>::only(value));
  }
  const auto n = static_cast<W>(inputs.ranks);
  const W gamma = (n - 1) * kUnit<T> / (1 - (n - 1) * kUnit<T>);
  W radius = std::fabs(exact) * gamma * (1 + n * W{0x1p-10});
  if (below < 2 * W{Limits<T>::min()}) radius += (n - 1) * W{Limits<T>::denorm_min()} * above;
  if (!std::isfinite(exact) || !std::isfinite(radius)) {
    // Only integers above 1 (ramp) get here: every order ends in infinity, or close to it.
    ALLPROVE_CHECK(integers);
    return to.set(at, Limits<T>::infinity(),
                  KeyRange<T>::between(Limits<T>::max(), Limits<T>::infinity()));
  }
  to.set(at, static_cast<T>(exact), numbers_within<T>(exact - radius, exact + radius));
}

// ---- min and max

template <class T, bool kMaximum>
void order(const Inputs<T>& inputs, std::size_t i, std::size_t at, Expectation<T>& to) {
  Bits<T> best = key_of(inputs.at(0, i));
  bool nan = false;
  bool plus_zero = false;
  bool minus_zero = false;
  for (std::size_t r = 0; r < inputs.ranks; ++r) {
    const T x = inputs.at(r, i);
    best = kMaximum ? std::max(best, key_of(x)) : std::min(best, key_of(x));
    nan |= std::isnan(x);
    plus_zero |= key_of(x) == key_of(T{0});
    minus_zero |= key_of(x) == key_of(-T{0});
  }
  const T value = from_key<T>(best);
  if (nan && inputs.ranks == 1) return allow_nan(to, at);
  if (nan) {
    to.set(at, value, KeyRange<T>::everything());
    to.loose.push_back(static_cast<std::int32_t>(at));
    for (std::size_t r = 0; r < inputs.ranks; ++r) to.choices.push_back(inputs.at(r, i));
  } else if (value == 0 && plus_zero && minus_zero) {
    to.set(at, value, either_zero<T>());
  } else {
    to.set(at, value, KeyRange<T>::only(value));
  }
}

}  // namespace

template <class T>
void reduce_floats(Op op, const Inputs<T>& inputs, std::int64_t offset, Expectation<T>& to) {
  const auto from = static_cast<std::size_t>(offset);
  if (op == Op::sum) return sum_block(inputs, from, to);
  for (std::size_t i = 0; i < inputs.count; ++i) {
    if (op == Op::prod) {
      product(inputs, i, from + i, to);
    } else if (op == Op::min) {
      order<T, false>(inputs, i, from + i, to);
    } else if (op == Op::max) {
      order<T, true>(inputs, i, from + i, to);
    } else {
      throw InternalError("internal error: the reference does not know the operator on floats");
    }
  }
}

template void reduce_floats<float>(Op, const Inputs<float>&, std::int64_t, Expectation<float>&);
template void reduce_floats<double>(Op, const Inputs<double>&, std::int64_t, Expectation<double>&);

}  // namespace allprove::oracle
