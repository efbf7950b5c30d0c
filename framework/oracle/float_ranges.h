// Ranges of floating-point numbers, for the reference of each operator.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "framework/oracle/reference_float.h"

namespace allprove::oracle {

// Elements are handled so many at a time, in arrays that stay in the cache.
inline constexpr std::size_t kLanes = 128;
template <class N>
using Lanes = std::array<N, kLanes>;

// Unit roundoff.
template <class T>
inline constexpr double kUnit = 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon());

// The numbers of T within [low, high], by a conversion that rounds to nearest and a step inward.
// Without a branch.
template <class T>
KeyRange<T> numbers_within(double low, double high) {
  using U = Bits<T>;
  const T low_near = static_cast<T>(low);
  const T high_near = static_cast<T>(high);
  const U low_key = key_of(low_near) + static_cast<U>(static_cast<double>(low_near) < low);
  const U high_key = key_of(high_near) - static_cast<U>(static_cast<double>(high_near) > high);
  return {low_key, high_key - low_key};
}

template <class T>
void allow_only(Expectation<T>& to, std::size_t at, T value) {
  to.set(at, value, KeyRange<T>::only(value));
}
template <class T>
void allow_nan(Expectation<T>& to, std::size_t at) {
  to.set(at, std::numeric_limits<T>::quiet_NaN(), KeyRange<T>::nan());
}

// What one element's inputs hold.
template <class T>
struct Census {
  bool nan = false, plus_infinity = false, minus_infinity = false, zero = false;
  bool negative = false;  // the sign of the product

  Census(const Inputs<T>& inputs, std::size_t i) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    for (std::size_t r = 0; r < inputs.ranks; ++r) {
      const T x = inputs.at(r, i);
      nan |= std::isnan(x);
      plus_infinity |= x == kInfinity;
      minus_infinity |= x == -kInfinity;
      zero |= x == T{0};
      negative ^= std::signbit(x);
    }
  }
  bool infinity() const { return plus_infinity || minus_infinity; }
};

}  // namespace allprove::oracle
