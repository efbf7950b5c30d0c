// What min and max of floating-point numbers may be.
#pragma once

#include <algorithm>

#include "framework/oracle/float_ranges.h"

namespace allprove::oracle {

template <class T, bool kMaximum>
class OrderReference {
 public:
  void reduce(const Inputs<T>& inputs, Nature nature, std::size_t offset, Expectation<T>& to) {
    for (std::size_t begin = 0; begin < inputs.count; begin += kLanes) {
      const std::size_t lanes = std::min(kLanes, inputs.count - begin);
      accumulate(inputs, begin, lanes);
      for (std::size_t k = 0; k < lanes; ++k) {
        allow_only(to, offset + begin + k, from_key<T>(best_[k]));
      }
      if (nature.finite) continue;
      for (std::size_t k = 0; k < lanes; ++k) {
        if (nan_[k] || from_key<T>(best_[k]) == 0) {
          allow_special(inputs, begin + k, offset + begin + k, to);
        }
      }
    }
  }

 private:
  using U = Bits<T>;

  void accumulate(const Inputs<T>& inputs, std::size_t begin, std::size_t lanes) {
    best_.fill(kMaximum ? U{0} : static_cast<U>(~U{0}));
    nan_.fill(0);
    for (std::size_t r = 0; r < inputs.ranks; ++r) {
      const T* row = inputs.row(r) + begin;
      for (std::size_t k = 0; k < lanes; ++k) {
        const U key = key_of(row[k]);
        best_[k] = kMaximum ? std::max(best_[k], key) : std::min(best_[k], key);
        nan_[k] |= static_cast<U>(row[k] != row[k]);
      }
    }
  }

  // Where both zeros are the least (or greatest), either may stand. Where there is a NaN, libraries
  // differ even with the order: NaN or any of the inputs may be left.
  static void allow_special(const Inputs<T>& inputs, std::size_t i, std::size_t at,
                            Expectation<T>& to) {
    bool nan = false;
    bool plus_zero = false;
    bool minus_zero = false;
    for (std::size_t r = 0; r < inputs.ranks; ++r) {
      const T x = inputs.at(r, i);
      nan |= std::isnan(x);
      plus_zero |= bits_of(x) == bits_of(T{0});
      minus_zero |= bits_of(x) == bits_of(-T{0});
    }
    if (nan && inputs.ranks == 1) return allow_nan(to, at);
    if (nan) {
      to.set(at, to.value[at], KeyRange<T>::everything());
      to.loose.push_back(static_cast<std::int32_t>(at));
      for (std::size_t r = 0; r < inputs.ranks; ++r) to.choices.push_back(inputs.at(r, i));
    } else if (plus_zero && minus_zero) {
      to.set(at, T{0}, KeyRange<T>::between(-T{0}, T{0}));
    }
  }

  Lanes<U> best_;
  Lanes<U> nan_;  // 1 where an input is NaN
};

}  // namespace allprove::oracle
