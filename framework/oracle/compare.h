// Compares buffers with what the oracle allows.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/oracle/expectation.h"

namespace allprove::oracle {

// Elements that are wrong: how many, the first ones, and the last one.
struct Wrong {
  static constexpr std::size_t kFirstMax = 63;
  std::int64_t count = 0;
  std::vector<std::int64_t> some;  // ascending

  void reset() {
    count = 0;
    some.clear();
  }
  void add(std::int64_t index) {
    ++count;
    if (some.size() <= kFirstMax) {
      some.push_back(index);
    } else {
      some.back() = index;
    }
  }
};

// `got`, elements [index, index + count) of a buffer, against elements [at, at + count) of the
// expectation.
template <class T>
void compare(const Expectation<T>& expectation, std::size_t at, const std::byte* got,
             std::int64_t index, std::int64_t count, Wrong& wrong);

// The same against one sequence of numbers, to the bit.
template <class T>
void compare_bits(const T* expected, const std::byte* got, std::int64_t index, std::int64_t count,
                  Wrong& wrong);

}  // namespace allprove::oracle
