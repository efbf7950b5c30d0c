// What a floating-point sum may be, whatever the order of its additions.
#pragma once

#include <algorithm>

#include "framework/base/check.h"
#include "framework/oracle/float_ranges.h"

namespace allprove::oracle {

template <class T>
class SumReference {
 public:
  void reduce(const Inputs<T>& inputs, Nature nature, std::size_t offset, Expectation<T>& to) {
    for (std::size_t begin = 0; begin < inputs.count; begin += kLanes) {
      const std::size_t lanes = std::min(kLanes, inputs.count - begin);
      accumulate(inputs, begin, lanes);
      if (inputs.ranks <= 2) {  // one addition is rounded correctly
        for (std::size_t k = 0; k < lanes; ++k) allow_only(to, offset + begin + k, plain_[k]);
      } else {
        allow_around(inputs.ranks, lanes, offset + begin, to);
        if (!nature.inexact) allow_exact(inputs, begin, lanes, offset + begin, to);
      }
      if (nature.finite) continue;
      for (std::size_t k = 0; k < lanes; ++k) {
        if (!std::isfinite(magnitude_[k])) allow_special(inputs, begin + k, offset + begin + k, to);
      }
    }
  }

 private:
  // The sum without rounding that matters, as high + low, by TwoSum (Knuth): the rounding errors of
  // the additions are collected in `low`, so that |high + low - sum| <= (n-1)^2 2^-106 sum|x|
  // (Ogita, Rump and Oishi 2005). For float the double additions alone are fine enough: 2^29 times
  // finer than the bound.
  void accumulate(const Inputs<T>& inputs, std::size_t begin, std::size_t lanes) {
    const T* first = inputs.row(0) + begin;
    for (std::size_t k = 0; k < lanes; ++k) {
      plain_[k] = first[k];
      high_[k] = static_cast<double>(first[k]);
      low_[k] = 0;
      magnitude_[k] = std::fabs(high_[k]);
    }
    for (std::size_t r = 1; r < inputs.ranks; ++r) {
      const T* row = inputs.row(r) + begin;
      for (std::size_t k = 0; k < lanes; ++k) {
        const auto x = static_cast<double>(row[k]);
        const double a = high_[k];
        const double s = a + x;
        plain_[k] += row[k];
        if constexpr (sizeof(T) == 8) {
          const double part = s - a;
          low_[k] += (a - (s - part)) + (x - part);
        }
        high_[k] = s;
        magnitude_[k] += std::fabs(x);
      }
    }
  }

  // Jeannerod and Rump 2013: in any order, |got - sum| <= (n-1) u sum|x|. The last factor covers
  // the rounding of the magnitudes and of the bound itself.
  void allow_around(std::size_t ranks, std::size_t lanes, std::size_t at, Expectation<T>& to) {
    const auto n = static_cast<double>(ranks);
    const double factor = (n - 1) * kUnit<T> * (1 + n * 0x1p-50);
    T* value = to.value.data() + at;
    Bits<T>* low = to.low.data() + at;
    Bits<T>* span = to.span.data() + at;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double radius = factor * magnitude_[k];
      const auto range = sizeof(T) == 8 ? within(high_[k], low_[k] - radius, low_[k] + radius)
                                        : numbers_within<T>(high_[k] - radius, high_[k] + radius);
      value[k] = static_cast<T>(high_[k]);
      low[k] = range.low;
      span[k] = range.span;
    }
  }

  // The doubles within [high + below, high + above], sums that no double need be equal to.
  static KeyRange<T> within(double high, double below, double above) {
    const double low_near = high + below;
    const double high_near = high + above;
    auto range = numbers_within<T>(low_near, high_near);
    const Bits<T> up = rest_of(high, below, low_near) > 0 ? 1 : 0;
    const Bits<T> down = rest_of(high, above, high_near) < 0 ? 1 : 0;
    return {range.low + up, range.span - up - down};
  }
  // a + b == s + rest, exactly, where s is the rounded sum.
  static double rest_of(double a, double b, double s) {
    const double part = s - a;
    return (a - (s - part)) + (b - part);
  }

  // No order rounds where all inputs are multiples of one power of two q and the sum of their
  // magnitudes is at most 2^precision q. Such elements must match to the bit.
  void allow_exact(const Inputs<T>& inputs, std::size_t begin, std::size_t lanes, std::size_t at,
                   Expectation<T>& to) {
    Lanes<double> grid;
    Lanes<double> off;
    // P/2 <= magnitude < P, q = 2^-precision P. Adding and subtracting `grid`, whose last bit is q,
    // rounds a number up to P to a multiple of q or, of large numbers, 2q.
    constexpr double kGrid =
        1.5 * static_cast<double>(std::uint64_t{1} << (53 - Format<T>::precision));
    constexpr std::uint64_t kExponent = 0x7ff0000000000000u;
    for (std::size_t k = 0; k < lanes; ++k) {
      grid[k] = from_bits<double>(bits_of(magnitude_[k]) & kExponent) * kGrid;
      off[k] = 0;
    }
    for (std::size_t r = 0; r < inputs.ranks; ++r) {
      const T* row = inputs.row(r) + begin;
      for (std::size_t k = 0; k < lanes; ++k) {
        const double x = std::fabs(static_cast<double>(row[k]));
        off[k] += std::fabs(((x + grid[k]) - grid[k]) - x);
      }
    }
    for (std::size_t k = 0; k < lanes; ++k) {
      if (off[k] == 0) allow_only(to, at + k, plain_[k]);
    }
  }

  // With a NaN or an infinity among the inputs the finite ones do not matter.
  static void allow_special(const Inputs<T>& inputs, std::size_t i, std::size_t at,
                            Expectation<T>& to) {
    const Census<T> census(inputs, i);
    ALLPROVE_CHECK(census.nan || census.infinity());  // finite inputs are drawn not to overflow
    if (census.nan || (census.plus_infinity && census.minus_infinity)) return allow_nan(to, at);
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    allow_only(to, at, census.plus_infinity ? kInfinity : -kInfinity);
  }

  Lanes<double> high_, low_, magnitude_;
  Lanes<T> plain_;  // the sum in rank order, as T rounds it
};

}  // namespace allprove::oracle
