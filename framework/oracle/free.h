// The ramp, free and special families: inputs without a closed form, which every rank can make for
// every other.
#pragma once

#include <array>
#include <limits>
#include <span>

#include "framework/oracle/hash.h"
#include "framework/oracle/input.h"

namespace allprove::oracle {

// 2*id + 1 + 10*e, wrapping in narrow integers.
template <class T>
T ramp_value(int id, std::size_t e) {
  return static_cast<T>(2 * id + 1 + 10 * static_cast<int>(e));
}

// Any integer; floats of either sign whose exponents lie in a window that the element's shared hash
// chooses, narrow (where sums cancel) to wide (where they swallow the small ones), and from which
// no order of evaluation leaves the type's range. Bits only, so that it vectorizes.
template <class T>
class Free {
 public:
  explicit Free(const Source& source) {
    if constexpr (std::floating_point<T>) {
      // Exponents are from -2^(bits-1) up to below 2^(bits-1). A product of n factors below 2^m in
      // magnitude stays below 2^(n m).
      constexpr bool kFloat = sizeof(T) == 4;
      int bits = kFloat ? 7 : 10;
      if (source.reduces && source.op == Op::prod) {
        bits = source.size == SizeClass::up_to_8    ? (kFloat ? 4 : 7)
               : source.size == SizeClass::up_to_16 ? (kFloat ? 3 : 6)
                                                    : 0;
      }
      exponents_ = static_cast<Bits<T>>((1 << bits) - 1);
      lowest_ = static_cast<Bits<T>>(Format<T>::bias - (bits == 0 ? 0 : 1 << (bits - 1)));
      mantissa_shift_ = bits == 0 ? 7 : 0;  // 4096 factors below 1 + 2^-7: less than 2^46
    }
  }

  // `hash` is this rank's, `shared` the element's.
  T value(std::uint32_t hash, std::uint32_t shared) const {
    using U = Bits<T>;
    const U bits = widen<U>(hash);
    if constexpr (std::integral<T>) {
      return from_bits<T>(bits);
    } else {
      constexpr int kFraction = Format<T>::precision - 1;
      const U fraction = (bits & ((U{1} << kFraction) - 1)) >> mantissa_shift_;
      // Each of the window's 2^k - 1 is half as likely as the one before.
      U window = shared & (shared >> 10) & exponents_;
      window |= window >> 1;
      window |= window >> 2;
      window |= window >> 4;
      if constexpr (sizeof(T) == 8) window |= window >> 8;
      const U begin = (shared >> 20) & exponents_ & ~window;
      const U exponent = lowest_ + (begin | ((bits >> kFraction) & window));
      return from_bits<T>((bits & kTopBit<T>) | (exponent << kFraction) | fraction);
    }
  }

 private:
  Bits<T> exponents_ = 0;
  Bits<T> lowest_ = 0;
  int mantissa_shift_ = 0;
};

// What `special` strews in, at one input of 16 (integers: of 4): one of a table, or a tie, a number
// that all ranks share. Without a branch, since none could be predicted.
template <class T>
class Special {
 public:
  T strewn(T value, std::uint32_t hash, std::uint32_t shared) const {
    const std::uint32_t draw = again(hash);
    const U ties = mask_if<U>((draw >> 28) % 2 == 0);
    const U strikes = mask_if<U>((draw >> 16) % kOneOf == 0);
    const U special = choose(ties, tie(shared), bits_of(values_[(draw >> 24) % kValues]));
    return from_bits<T>(choose(strikes, special, bits_of(value)));
  }

 private:
  using U = Bits<T>;
  using Limits = std::numeric_limits<T>;
  static constexpr std::uint32_t kValues = std::integral<T> ? 8 : 16;
  static constexpr std::uint32_t kOneOf = std::integral<T> ? 4 : 16;

  static constexpr U choose(U mask, U yes, U no) {
    return static_cast<U>((yes & mask) | (no & ~mask));
  }

  // A float is near 1, so that products of ties stay in range.
  static U tie(std::uint32_t shared) {
    const U bits = widen<U>(shared);
    return std::integral<T> ? bits : bits_of(T{1}) | (bits & (kTopBit<T> | 0xffff));
  }

  static constexpr std::array<T, kValues> values() {
    if constexpr (std::integral<T>) {
      return {T{0},
              T{1},
              static_cast<T>(-1),
              Limits::min(),
              Limits::max(),
              from_bits<T>(static_cast<U>(kTopBit<T> >> 1)),
              from_bits<T>(static_cast<U>(U{1} << (kWidth<T> / 2))),
              from_bits<T>(static_cast<U>(kTopBit<T> + 1))};
    } else {
      const T smallest = from_bits<T>(1);
      const T largest_subnormal = from_bits<T>(bits_of(Limits::min()) - 1);
      const U quiet = bits_of(Limits::quiet_NaN());
      return {T{0},
              T{0},
              -T{0},
              -T{0},
              smallest,
              -smallest,
              largest_subnormal,
              -largest_subnormal,
              Limits::min(),
              -Limits::min(),
              Limits::infinity(),
              Limits::infinity(),
              -Limits::infinity(),
              from_bits<T>(quiet),
              from_bits<T>(quiet | 0x155),
              from_bits<T>(quiet | kTopBit<T> | 1)};
    }
  }
  std::array<T, kValues> values_ = values();
};

}  // namespace allprove::oracle
