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
T ramp_value(int id, std::uint32_t e) {
  return static_cast<T>(2 * static_cast<std::int64_t>(id) + 1 + 10 * static_cast<std::int64_t>(e));
}

// Any integer; floats of either sign whose exponents lie in a window that the element's shared hash
// chooses, narrow (where sums cancel) to wide (where they swallow the small ones), and from which
// no order of evaluation leaves the type's range.
template <class T>
class Free {
 public:
  explicit Free(const Source& source) {
    if constexpr (std::floating_point<T>) {
      if (!source.reduces || source.op != Op::prod) {
        low_ = sizeof(T) == 4 ? -100 : -900;
        span_ = sizeof(T) == 4 ? 160 : 1800;
      } else {
        // A product of n factors below 2^(m+1) in magnitude stays below 2^(n(m+1)).
        const int m = source.size == SizeClass::up_to_8    ? (sizeof(T) == 4 ? 12 : 100)
                      : source.size == SizeClass::up_to_16 ? (sizeof(T) == 4 ? 6 : 50)
                                                           : 0;
        low_ = -m;
        span_ = m == 0 ? 1 : 2 * m;
        mantissa_shift_ = m == 0 ? 7 : 0;  // 4096 factors below 1 + 2^-7: less than 2^46
      }
    }
  }

  // `hash` is this rank's, `shared` the element's.
  T value(std::uint32_t hash, std::uint32_t shared) const {
    if constexpr (std::integral<T>) {
      return from_bits<T>(widen<Bits<T>>(hash));
    } else {
      using U = Bits<T>;
      constexpr int kFraction = Format<T>::precision - 1;
      const U bits = widen<U>(hash);
      const U sign = bits & kTopBit<T>;
      const U fraction = (bits & ((U{1} << kFraction) - 1)) >> mantissa_shift_;
      // span, span/4, span/16 or 1 binades, somewhere in the whole span.
      const std::uint32_t choice = shared & 3;
      const auto whole = static_cast<std::uint32_t>(span_);
      const std::uint32_t width = choice == 3 ? 1 : (whole >> (2 * choice)) | 1;
      const std::uint32_t usable = width > whole ? whole : width;
      const std::uint32_t begin = ((shared >> 16) * (whole - usable + 1)) >> 16;
      const std::uint32_t offset = (((again(hash) >> 16) * usable) >> 16) + begin;
      const auto exponent = static_cast<U>(low_ + Format<T>::bias + static_cast<int>(offset));
      return from_bits<T>(sign | (exponent << kFraction) | fraction);
    }
  }

 private:
  int low_ = 0;
  int span_ = 1;
  int mantissa_shift_ = 0;
};

// What `special` strews in, at one input of 16 (integers: of 4).
template <class T>
class Special {
 public:
  static bool strikes(std::uint32_t hash) {
    constexpr std::uint32_t kOneOf = std::integral<T> ? 4 : 16;
    return again(hash) % kOneOf == 0;
  }
  // `tie` is the number that all ranks would share.
  T value(std::uint32_t hash, T tie) const {
    const auto choice = (again(hash) >> 8) % (values_.size() + 4);
    return choice < values_.size() ? values_[choice] : tie;
  }

 private:
  using U = Bits<T>;
  using Limits = std::numeric_limits<T>;

  static constexpr auto special_values() {
    if constexpr (std::integral<T>) {
      return std::array<T, 8>{T{0},
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
      return std::array<T, 16>{T{0},
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
                               -Limits::infinity(),
                               Limits::infinity(),
                               from_bits<T>(quiet),
                               from_bits<T>(quiet | 0x155),
                               from_bits<T>(quiet | kTopBit<T> | 1)};
    }
  }
  decltype(special_values()) values_ = special_values();
};

}  // namespace allprove::oracle
