// What a floating-point product may be, whatever the order of its multiplications.
#pragma once

#include <algorithm>

#include "framework/oracle/float_ranges.h"

namespace allprove::oracle {

template <class T>
class ProductReference {
 public:
  void reduce(const Inputs<T>& inputs, Nature nature, std::size_t offset, Expectation<T>& to) {
    for (std::size_t begin = 0; begin < inputs.count; begin += kLanes) {
      const std::size_t lanes = std::min(kLanes, inputs.count - begin);
      accumulate(inputs, begin, lanes);
      if (inputs.ranks <= 2) {  // one multiplication is rounded correctly
        for (std::size_t k = 0; k < lanes; ++k) allow_only(to, offset + begin + k, plain_[k]);
      } else {
        allow_around(inputs.ranks, lanes, offset + begin, to);
      }
      if (nature.finite && !nature.integers) continue;
      for (std::size_t k = 0; k < lanes; ++k) {
        const bool ordinary = product_[k] != 0 && std::isfinite(above_[k]);
        if (ordinary && !nature.integers) continue;
        allow_special(inputs, begin + k, k, offset + begin + k, to);
      }
    }
  }

 private:
  using Limits = std::numeric_limits<T>;

  void accumulate(const Inputs<T>& inputs, std::size_t begin, std::size_t lanes) {
    plain_.fill(1);
    product_.fill(1);
    above_.fill(1);
    below_.fill(1);
    for (std::size_t r = 0; r < inputs.ranks; ++r) {
      const T* row = inputs.row(r) + begin;
      for (std::size_t k = 0; k < lanes; ++k) {
        const auto x = static_cast<double>(row[k]);
        const double magnitude = std::fabs(x);
        const double over = magnitude < 1 ? 1 : magnitude;  // a NaN is kept
        const double under = magnitude < 1 ? magnitude : 1;
        plain_[k] *= row[k];
        product_[k] *= x;
        above_[k] *= over;
        below_[k] *= under;
      }
    }
  }

  // n-1 roundings make a relative error of at most g = (n-1) u / (1 - (n-1) u). Where some order
  // may underflow, each operation may besides be off by the smallest subnormal number, carried on
  // by the factors above 1 that come after. The centre is a product in double: for double it may be
  // off as far itself.
  void allow_around(std::size_t ranks, std::size_t lanes, std::size_t at, Expectation<T>& to) {
    const auto n = static_cast<double>(ranks);
    const double offs = sizeof(T) == 8 ? 2.001 : 1.001;
    const double relative = offs * (n - 1) * kUnit<T> / (1 - (n - 1) * kUnit<T>);
    const double absolute = offs * (n - 1) * static_cast<double>(Limits::denorm_min());
    T* value = to.value.data() + at;
    Bits<T>* low = to.low.data() + at;
    Bits<T>* span = to.span.data() + at;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double vanishing = below_[k] < 2 * static_cast<double>(Limits::min()) ? above_[k] : 0;
      const double radius = std::fabs(product_[k]) * relative + absolute * vanishing;
      const auto range = numbers_within<T>(product_[k] - radius, product_[k] + radius);
      value[k] = static_cast<T>(product_[k]);
      low[k] = range.low;
      span[k] = range.span;
    }
  }

  // Special values, and small integers (the ramp family).
  void allow_special(const Inputs<T>& inputs, std::size_t i, std::size_t k, std::size_t at,
                     Expectation<T>& to) const {
    const Census<T> census(inputs, i);
    const T sign = census.negative ? T{-1} : T{1};
    if (census.nan || (census.infinity() && census.zero)) return allow_nan(to, at);
    if (census.infinity()) {
      allow_only(to, at, sign * Limits::infinity());
      // Where factors may underflow to zero first, infinity times zero is NaN.
      if (below_[k] < static_cast<double>(Limits::min())) {
        to.set(at, sign * Limits::infinity(), KeyRange<T>::beyond_finite());
      }
    } else if (census.zero) {
      allow_only(to, at, sign * T{0});
    } else if (all_integers(inputs, i) && product_[k] > 0) {
      allow_integer(k, at, to);
    }
  }

  static bool all_integers(const Inputs<T>& inputs, std::size_t i) {
    for (std::size_t r = 0; r < inputs.ranks; ++r) {
      if (inputs.at(r, i) != std::trunc(inputs.at(r, i))) return false;
    }
    return true;
  }
  // Integers never underflow: partial products are exact as long as the whole is below 2^precision,
  // and where the whole overflows every order ends at infinity or next to it.
  void allow_integer(std::size_t k, std::size_t at, Expectation<T>& to) const {
    if (product_[k] <= static_cast<double>(2 / Limits::epsilon())) {
      allow_only(to, at, plain_[k]);
    } else if (product_[k] > static_cast<double>(Limits::max()) * (1 - 0x1p-8)) {
      to.set(at, Limits::infinity(),
             KeyRange<T>::between(Limits::max() * T(1 - 0x1p-6), Limits::infinity()));
    }
  }

  Lanes<double> product_, above_, below_;  // above, below: of the magnitudes above and below 1
  Lanes<T> plain_;                         // the product in rank order, as T rounds it
};

}  // namespace allprove::oracle
