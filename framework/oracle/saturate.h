// Sums of narrow integers as vector instructions make them that stop at the ends of the range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "framework/oracle/divide.h"

namespace allprove::oracle {

// More inputs than this are not combined in every order: what is asked of them is less.
inline constexpr std::size_t kOrdersTried = 5;

// Every sum of `inputs` (at most kOrdersTried) that some order of additions leaves, each of which
// either wraps or saturates: a library may take the vector instruction in one and not in the next.
template <class T>
std::set<std::int32_t> saturating_sums(const std::vector<T>& inputs) {
  using Limits = std::numeric_limits<T>;
  const auto subsets = std::size_t{1} << inputs.size();
  std::vector<std::set<std::int32_t>> sums(subsets);
  for (std::size_t i = 0; i < inputs.size(); ++i) sums[std::size_t{1} << i] = {inputs[i]};
  for (std::size_t set = 1; set < subsets; ++set) {
    for (std::size_t part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set) {
      for (const auto a : sums[part]) {
        for (const auto b : sums[set ^ part]) {
          sums[set].insert(static_cast<T>(a + b));
          sums[set].insert(std::clamp<std::int32_t>(a + b, Limits::min(), Limits::max()));
        }
      }
    }
  }
  return sums.back();
}

// Whether `got` can be their sum, divided by `divisor`, where additions may saturate. Of more than
// kOrdersTried inputs, whether any of their additions can reach an end of the range at all.
template <class T>
bool may_saturate_to(const std::vector<T>& inputs, int divisor, T got) {
  if (inputs.size() <= kOrdersTried) {
    const auto sums = saturating_sums(inputs);
    return std::ranges::any_of(
        sums, [&](std::int32_t sum) { return divided(static_cast<T>(sum), divisor) == got; });
  }
  using Limits = std::numeric_limits<T>;
  std::int64_t highest = 0;
  std::int64_t lowest = 0;
  for (const T input : inputs) (input > 0 ? highest : lowest) += input;
  return highest > Limits::max() || lowest < Limits::min();
}

}  // namespace allprove::oracle
