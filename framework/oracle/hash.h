// Cheap counter-based numbers for the families: 32-bit arithmetic that compilers vectorize.
// What needs one number per call or per rank uses base/random.h instead.
#pragma once

#include <cstdint>

#include "framework/base/random.h"
#include "framework/oracle/numbers.h"

namespace allprove::oracle {

// A bijective mixer (Wellons, "Prospecting for hash functions", 2018: lowbias32).
constexpr std::uint32_t mix32(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// The same for numbers that are mixed already, told apart by a key.
constexpr std::uint32_t mix32(std::uint32_t x, std::uint32_t key) {
  x = (x ^ key) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// All bits set where the condition holds: choosing by a mask keeps compilers from branching on what
// no processor could predict, or from giving up on vectors.
template <class U>
constexpr U mask_if(bool condition) {
  return static_cast<U>(U{0} - static_cast<U>(condition));
}

// The hash spread over the whole width of a type; different hashes stay different where they fit.
template <class U>
constexpr U widen(std::uint32_t hash) {
  if constexpr (sizeof(U) < 4) {
    return static_cast<U>(hash >> (32 - 8 * sizeof(U)));
  } else if constexpr (sizeof(U) == 4) {
    return hash;
  } else {
    const std::uint64_t x = hash * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 32);
  }
}

// A second number out of the same hash.
constexpr std::uint32_t again(std::uint32_t hash) { return (hash ^ (hash >> 15)) * 0x2c1b3c6du; }

// A permutation of the numbers below 2^bits, one for each seed.
constexpr std::uint64_t permute(std::uint64_t seed, int bits, std::uint64_t x) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t odd = mix64(seed) | 1;
  x = ((x ^ seed) & mask) * odd & mask;
  x ^= x >> (bits / 2 + 1);
  x = x * (odd * 0xd6e8feb86659fd93u) & mask;
  return x ^ (x >> (bits / 2 + 1));
}

}  // namespace allprove::oracle
