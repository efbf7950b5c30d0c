// Closed forms of the floating-point sum and product: numbers of so few bits, within such a range,
// that no order of evaluation rounds, overflows or underflows.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "framework/oracle/hash.h"
#include "framework/oracle/input.h"

namespace allprove::oracle {

// x = (f(e) + B(e) (-1)^id + g(id)) 2^k(e), the bracket an integer so small that every
// partial sum is an integer that fits the mantissa, times 2^k. B is large or 0: where
// it is large, even and odd ranks cancel.
template <class T>
class ClosedFloatSum {
 public:
  explicit ClosedFloatSum(const Source& source)
      : seed_(hash_at(source.seed, 0xf50a)), bits_(bits_for(source.size)) {}

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    write(1, id % 2 == 0 ? 1 : -1, g_of(id), hashes, to);
  }
  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    Integer g = 0;
    Integer balance = 0;
    for (const int id : ids) {
      g += g_of(id);
      balance += id % 2 == 0 ? 1 : -1;
    }
    write(static_cast<Integer>(ids.size()), balance, g, hashes, to);
  }

 private:
  using U = Bits<T>;
  using Integer = std::make_signed_t<U>;
  static constexpr int kFraction = Format<T>::precision - 1;

  // Of the sum over all ranks. Two of a double's bits are given up for to_float().
  static constexpr int kSumBits = sizeof(T) == 4 ? 24 : 51;

  // |bracket| < 2^bits.
  static constexpr int bits_for(SizeClass size) {
    const int ranks_bits = size == SizeClass::up_to_8 ? 3 : size == SizeClass::up_to_16 ? 4 : 12;
    return kSumBits - ranks_bits;
  }

  // f and g are in [-2^(bits-2), 2^(bits-2)), B in [0, 2^(bits-1)).
  void write(Integer n, Integer balance, Integer g, std::span<const std::uint32_t> hashes,
             T* to) const {
    const int shift = kWidth<T> - (bits_ - 1);
    const Integer middle = Integer{1} << (bits_ - 2);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::uint32_t hash = hashes[i];
      const auto f = static_cast<Integer>(widen<U>(hash) >> shift) - middle;
      const U large = mask_if<U>((hash >> 8) % 2 == 0);
      const auto b = static_cast<Integer>((widen<U>(std::rotl(hash, 16)) >> shift) & large);
      to[i] = place(n * f + balance * b + g, hash);
    }
  }

  Integer g_of(int id) const {
    const auto g = permute(seed_, bits_ - 1, static_cast<std::uint64_t>(id));
    return static_cast<Integer>(g) - (Integer{1} << (bits_ - 2));
  }

  // m times 2^k(e), k around 0 with room for Data::scale; at one element of eight the smallest k of
  // all, where the encoding of m 2^k is just m. No operation makes or takes a subnormal number:
  // processors are slow at that.
  static T place(Integer m, std::uint32_t hash) {
    constexpr std::uint32_t kExponents = sizeof(T) == 4 ? 128 : 1024;
    const U exponent = hash % kExponents + (Format<T>::bias - kExponents / 2);
    const T factor = from_bits<T>(exponent << kFraction);
    const U sign = static_cast<U>(m) & kTopBit<T>;
    const U negative = mask_if<U>(sign != 0);
    const U smallest = ((static_cast<U>(m) ^ negative) - negative) | sign;
    const U chosen = mask_if<U>(((hash >> 16) & 7) == 0);
    return from_bits<T>((smallest & chosen) | (bits_of(to_float(m) * factor) & ~chosen));
  }

  // Exact, for |m| < 2^kSumBits.
  static T to_float(Integer m) {
    if constexpr (sizeof(T) == 4) {
      return static_cast<T>(m);
    } else {
      // By adding the integer to the bits of 1.5 * 2^52: vectorizes, which the conversion does not.
      constexpr double kMagic = 6755399441055744.0;
      return from_bits<double>(bits_of(kMagic) + static_cast<U>(m)) - kMagic;
    }
  }

  std::uint64_t seed_;
  int bits_;
};

// Up to 8 ranks (16 with double): x = +-(1, 1.25, 1.5 or 1.75) 2^j. The odd parts 1, 5, 3, 7 of so
// few factors fit the mantissa, and their exponents the range. With more ranks only those with an
// id in a window of 8 that the element chooses have such numbers, all others +-1.
template <class T>
class ClosedFloatProduct {
 public:
  explicit ClosedFloatProduct(const Source& source)
      : seed_(hash_at(source.seed, 0xf960d)),
        few_(source.size == SizeClass::up_to_8 ||
             (sizeof(T) == 8 && source.size == SizeClass::up_to_16)) {}

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    const auto g = g_of(id);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const U magnitude = few_ || in_window(id, hashes[i]) ? factor(g, hashes[i]) : bits_of(T{1});
      to[i] = from_bits<T>(magnitude | sign_at(g, hashes[i]));
    }
  }
  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    if (few_) {
      results_of_few(ids, hashes, to);
    } else {
      results_of_many(ids, hashes, to);
    }
  }

 private:
  using U = Bits<T>;
  static constexpr int kFraction = Format<T>::precision - 1;
  // Binades of one factor: 2^4 for 8 floats, 2^6 for 16 doubles.
  static constexpr int kBinades = sizeof(T) == 4 ? 16 : 64;
  static constexpr std::uint32_t kWindow = 8;

  std::uint32_t g_of(int id) const {
    return static_cast<std::uint32_t>(hash_at(seed_, static_cast<std::uint64_t>(id)));
  }
  static U factor(std::uint32_t g, std::uint32_t hash) {
    const U j = (g + (hash >> 5)) % (4 * kBinades);
    return (static_cast<U>(Format<T>::bias - kBinades / 2) << kFraction) + (j << (kFraction - 2));
  }
  static U sign_at(std::uint32_t g, std::uint32_t hash) {
    return static_cast<U>(static_cast<U>(g >> (hash % 32)) << (kWidth<T> - 1));
  }
  // The window starts at a small id more often than at a large one: ids are mostly small.
  static std::uint32_t window_at(std::uint32_t hash) {
    return (hash >> 16) & ((4u << ((hash >> 28) % 12)) - 1);
  }
  static bool in_window(int id, std::uint32_t hash) {
    return static_cast<std::uint32_t>(id) - window_at(hash) < kWindow;
  }

  void results_of_few(std::span<const int> ids, std::span<const std::uint32_t> hashes,
                      T* to) const {
    std::fill_n(to, hashes.size(), T{1});
    for (const int id : ids) {
      const auto g = g_of(id);
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        to[i] *= from_bits<T>(factor(g, hashes[i]) | sign_at(g, hashes[i]));
      }
    }
  }

  void results_of_many(std::span<const int> ids, std::span<const std::uint32_t> hashes,
                       T* to) const {
    const int last = *std::max_element(ids.begin(), ids.end());
    std::vector<bool> present(static_cast<std::size_t>(last) + 1, false);
    std::uint32_t signs = 0;
    for (const int id : ids) {
      present[static_cast<std::size_t>(id)] = true;
      signs ^= g_of(id);
    }
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      T product = from_bits<T>(bits_of(T{1}) | sign_at(signs, hashes[i]));
      const std::uint32_t begin = window_at(hashes[i]);
      for (std::uint32_t id = begin; id < begin + kWindow && id < present.size(); ++id) {
        if (present[id]) product *= from_bits<T>(factor(g_of(static_cast<int>(id)), hashes[i]));
      }
      to[i] = product;
    }
  }

  std::uint64_t seed_;
  bool few_;
};

}  // namespace allprove::oracle
