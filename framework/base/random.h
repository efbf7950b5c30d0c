// Counter-based pseudo-random numbers: a value is a function of its counters, so that any rank can
// make any other rank's data without a stream to keep in step.
// The mixing function is SplitMix64's finalizer (Steele, Lea and Flood, OOPSLA 2014).
#pragma once

#include <cstdint>

namespace allprove {

constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The value at (seed, a) or (seed, a, b); independent for different counters.
constexpr std::uint64_t hash_at(std::uint64_t seed, std::uint64_t a) {
  return mix64(seed ^ mix64(a));
}
constexpr std::uint64_t hash_at(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  return mix64(hash_at(seed, a) ^ mix64(b + 0x632be59bd9b4e019u));
}

// A stream for code that wants "the next number": every call to next() is one draw.
class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t seed) : seed_(seed) {}

  constexpr std::uint64_t next() { return hash_at(seed_, counter_++); }
  // Uniform in [0, bound); bound >= 1. The bias, below bound / 2^64, does not matter for testing.
  constexpr std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  // Uniform in [low, high].
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  // True in `numerator` of `denominator` draws.
  constexpr bool chance(std::uint64_t numerator, std::uint64_t denominator) {
    return below(denominator) < numerator;
  }
  // An independent stream named by a tag: drawing from one never moves the other.
  constexpr RandomStream split(std::uint64_t tag) const {
    return RandomStream(hash_at(seed_, tag, 0x5eed));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t counter_ = 0;
};

}  // namespace allprove
