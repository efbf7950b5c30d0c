// What the oracle allows each element of an output to be: one value, or a range of keys.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "framework/oracle/numbers.h"

namespace allprove::oracle {

// Keys low, low + 1, ..., low + span, modulo 2^w. The NaNs of a float are such a range, from the
// one after +infinity around to the one before -infinity.
template <class T>
struct KeyRange {
  Bits<T> low = 0;
  Bits<T> span = 0;

  bool holds(T value) const { return static_cast<Bits<T>>(key_of(value) - low) <= span; }
  static KeyRange only(T value) { return {key_of(value), 0}; }
  static KeyRange between(T low, T high) {
    return {key_of(low), static_cast<Bits<T>>(key_of(high) - key_of(low))};
  }
  static KeyRange everything() { return {0, static_cast<Bits<T>>(~Bits<T>{0})}; }
  // +infinity, every NaN, -infinity; and the NaNs alone.
  static KeyRange beyond_finite() {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    return between(kInfinity, -kInfinity);
  }
  static KeyRange nan() {
    const auto all = beyond_finite();
    return {static_cast<Bits<T>>(all.low + 1), static_cast<Bits<T>>(all.span - 2)};
  }
};

// Of consecutive elements. Where `exact`, `value` is all there is to say; else `low` and `span` say
// what each element may be. A `loose` element may be anything by its range, but must be NaN or
// equal to one of its `choices`.
template <class T>
struct Expectation {
  bool exact = true;
  std::vector<T> value;
  std::vector<Bits<T>> low;
  std::vector<Bits<T>> span;
  std::vector<std::int32_t> loose;  // ascending
  std::vector<T> choices;           // as many for each loose element as there are inputs

  void reset(std::int64_t count) {
    exact = true;
    value.resize(static_cast<std::size_t>(count));
    loose.clear();
    choices.clear();
  }
  // Before ranges are set for all elements.
  void allow_ranges(std::int64_t count) {
    low.resize(static_cast<std::size_t>(count));
    span.resize(static_cast<std::size_t>(count));
  }
  void set(std::size_t i, T representative, KeyRange<T> range) {
    value[i] = representative;
    low[i] = range.low;
    span[i] = range.span;
  }
  KeyRange<T> range(std::size_t i) const {
    return exact ? KeyRange<T>::only(value[i]) : KeyRange<T>{low[i], span[i]};
  }
};

}  // namespace allprove::oracle
