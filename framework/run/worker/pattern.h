// The pattern in memory that no library may write: every byte differs from its neighbours and is
// neither 0 nor 0xff, which libraries like to write.
#pragma once

#include <array>
#include <cstddef>

namespace allprove {

inline constexpr std::size_t kPatternPeriod = 253;

constexpr std::byte pattern_at(std::size_t index) {
  return static_cast<std::byte>(1 + (index * 37 + 11) % kPatternPeriod);
}

template <std::size_t kSize>
constexpr std::array<std::byte, kSize> make_pattern() {
  std::array<std::byte, kSize> pattern{};
  for (std::size_t i = 0; i < kSize; ++i) pattern[i] = pattern_at(i);
  return pattern;
}

}  // namespace allprove
