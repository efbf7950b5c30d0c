// Numbers as bits and as keys. A key is an unsigned integer in the order of the values, so that
// "between" is one integer comparison for every type, signed zeros and infinities included.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace allprove::oracle {

template <std::size_t kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};

// The unsigned integer of the same size.
template <class T>
using Bits = typename UnsignedOf<sizeof(T)>::type;

// The unsigned integer to compute in: narrower ones would be promoted to a signed int.
template <class T>
using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, Bits<T>>;

template <class T>
inline constexpr int kWidth = static_cast<int>(8 * sizeof(T));

template <class T>
inline constexpr auto kTopBit = static_cast<Bits<T>>(Bits<T>{1} << (kWidth<T> - 1));

template <class T>
constexpr Bits<T> bits_of(T value) {
  return std::bit_cast<Bits<T>>(value);
}
template <class T>
constexpr T from_bits(Bits<T> bits) {
  return std::bit_cast<T>(bits);
}

// For floats -0 comes right before +0; positive NaNs follow +infinity, negative ones precede
// -infinity.
template <class T>
constexpr Bits<T> key_of(T value) {
  const Bits<T> bits = bits_of(value);
  if constexpr (std::unsigned_integral<T>) {
    return bits;
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<Bits<T>>(bits ^ kTopBit<T>);
  } else {
    const auto sign = static_cast<std::make_signed_t<Bits<T>>>(bits) >> (kWidth<T> - 1);
    return bits ^ (static_cast<Bits<T>>(sign) | kTopBit<T>);
  }
}
template <class T>
constexpr T from_key(Bits<T> key) {
  if constexpr (std::unsigned_integral<T>) {
    return key;
  } else if constexpr (std::signed_integral<T>) {
    return from_bits<T>(static_cast<Bits<T>>(key ^ kTopBit<T>));
  } else {
    const auto sign = static_cast<std::make_signed_t<Bits<T>>>(key) >> (kWidth<T> - 1);
    return from_bits<T>(key ^ (~static_cast<Bits<T>>(sign) | kTopBit<T>));
  }
}

// Element i of a buffer that need not be aligned.
template <class T>
T load(const std::byte* from, std::int64_t i) {
  T value;
  std::memcpy(&value, from + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

// Mantissa bits with the implicit one, and the sizes of floating-point formats.
template <class T>
struct Format;
template <>
struct Format<float> {
  static constexpr int precision = 24, bias = 127;
};
template <>
struct Format<double> {
  static constexpr int precision = 53, bias = 1023;
};

// 2^exponent as a T, for exponents of normal numbers.
template <class T>
constexpr T power_of_two(int exponent) {
  return from_bits<T>(static_cast<Bits<T>>(exponent + Format<T>::bias)
                      << (Format<T>::precision - 1));
}

// Digests take every NaN for the same one, where its payload does not count.
template <std::floating_point T>
void unify_nans(T* data, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isnan(data[i])) data[i] = std::numeric_limits<T>::quiet_NaN();
  }
}

}  // namespace allprove::oracle
