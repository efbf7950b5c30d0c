// Closed forms of the integer operators. Each has inputs(id, hashes, to) and results(ids, hashes,
// to), where `hashes` are the numbers that all ranks share, one per element.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "framework/oracle/hash.h"
#include "framework/oracle/input.h"

namespace allprove::oracle {

// x = f(e) + g(id): n f(e) + sum of g.
template <class T>
class ClosedSum {
 public:
  explicit ClosedSum(const Source& source) : seed_(hash_at(source.seed, 0x50a)) {}

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    const U g = g_of(id);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      to[i] = from_bits<T>(static_cast<U>(widen<U>(hashes[i]) + g));
    }
  }
  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    Wide<T> g = 0;
    for (const int id : ids) g += g_of(id);
    const auto n = static_cast<Wide<T>>(ids.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      to[i] = from_bits<T>(static_cast<U>(n * widen<U>(hashes[i]) + g));
    }
  }

 private:
  using U = Bits<T>;
  U g_of(int id) const {
    return static_cast<U>(permute(seed_, kWidth<T>, static_cast<std::uint64_t>(id)));
  }
  std::uint64_t seed_;
};

// x = f(e) g(id), both odd, so that no product loses a bit: f(e)^n times the product of g.
template <class T>
class ClosedProduct {
 public:
  explicit ClosedProduct(const Source& source) : seed_(hash_at(source.seed, 0x960d)) {}

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    const Wide<T> g = g_of(id);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      to[i] = from_bits<T>(static_cast<U>(g * (widen<U>(hashes[i]) | 1u)));
    }
  }
  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    Wide<T> g = 1;
    for (const int id : ids) g *= g_of(id);
    constexpr std::size_t kBlock = 128;
    std::array<Wide<T>, kBlock> product;
    std::array<Wide<T>, kBlock> power;
    for (std::size_t begin = 0; begin < hashes.size(); begin += kBlock) {
      const std::size_t count = std::min(kBlock, hashes.size() - begin);
      for (std::size_t i = 0; i < count; ++i) power[i] = widen<U>(hashes[begin + i]) | 1u;
      product.fill(g);
      for (std::size_t n = ids.size();; n >>= 1) {  // by repeated squaring
        if (n & 1) {
          for (std::size_t i = 0; i < count; ++i) product[i] *= power[i];
        }
        if (n <= 1) break;
        for (std::size_t i = 0; i < count; ++i) power[i] *= power[i];
      }
      for (std::size_t i = 0; i < count; ++i) {
        to[begin + i] = from_bits<T>(static_cast<U>(product[i]));
      }
    }
  }

 private:
  using U = Bits<T>;
  Wide<T> g_of(int id) const {
    const auto g = permute(seed_, kWidth<T> - 1, static_cast<std::uint64_t>(id));
    return static_cast<Wide<T>>(2 * g + 1);
  }
  std::uint64_t seed_;
};

// x = f(e) ^ g(id) ^ (h(id) & m(e)): the last term, linear too, makes the result differ from
// element to element when the number of ranks is even and f cancels.
template <class T>
class ClosedXor {
 public:
  explicit ClosedXor(const Source& source) : seed_(hash_at(source.seed, 0xb0)) {}

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    write(static_cast<U>(~U{0}), g_of(id), h_of(id), hashes, to);
  }
  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    U g = 0;
    U h = 0;
    for (const int id : ids) {
      g ^= g_of(id);
      h ^= h_of(id);
    }
    write(static_cast<U>(ids.size() % 2 == 1 ? ~U{0} : 0), g, h, hashes, to);
  }

 private:
  using U = Bits<T>;
  static void write(U f_mask, U g, U h, std::span<const std::uint32_t> hashes, T* to) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const U f = widen<U>(hashes[i]);
      const U m = widen<U>(std::rotl(hashes[i], 16));
      to[i] = from_bits<T>(static_cast<U>((f & f_mask) ^ g ^ (h & m)));
    }
  }
  U g_of(int id) const {
    return static_cast<U>(permute(seed_, kWidth<T>, static_cast<std::uint64_t>(id)));
  }
  U h_of(int id) const { return static_cast<U>(hash_at(seed_, static_cast<std::uint64_t>(id), 1)); }
  std::uint64_t seed_;
};

// "and": rank id clears bit (id + s(e)) mod w of numbers that have it set, so that each of up to w
// ranks decides a bit alone. In most calls all ranks act so; in others at each element only the
// even or the odd ones, or only a layer of w ids: with more ranks than bits they would hide each
// other. "or" is the same with all bits turned over.
template <class T, bool kOr>
class ClosedBits {
 public:
  explicit ClosedBits(const Source& source) {
    const auto random = hash_at(source.seed, 0xb1);
    acts_ = random % 8 == 0 ? Acts::layer : random % 4 == 1 ? Acts::half : Acts::all;
    noise_ = (random >> 3) % 2 == 0 ? static_cast<U>(~U{0}) : U{0};
  }

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    results(std::span(&id, 1), hashes, to);
  }

  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    if (acts_ == Acts::all) {
      write(hashes, to, turned(ids, [](int) { return true; }), [](std::uint32_t) { return 0; });
    } else if (acts_ == Acts::half) {
      auto bits = turned(ids, [](int id) { return id % 2 == 0; });
      for (const U odd : turned(ids, [](int id) { return id % 2 == 1; })) bits.push_back(odd);
      write(hashes, to, bits, [](std::uint32_t hash) { return (hash >> 8) % 2 * kWidth<T>; });
    } else {
      write_layers(ids, hashes, to);
    }
  }

 private:
  using U = Bits<T>;
  enum class Acts { all, half, layer };

  static U bit_of(int id) { return static_cast<U>(U{1} << (id % kWidth<T>)); }

  // For every s what the chosen ids clear.
  template <class F>
  static std::vector<U> turned(std::span<const int> ids, F&& chosen) {
    U bits = 0;
    for (const int id : ids) bits |= chosen(id) ? bit_of(id) : U{0};
    std::vector<U> turned;
    for (int s = 0; s < kWidth<T>; ++s) turned.push_back(std::rotl(bits, s));
    return turned;
  }

  template <class F>
  void write(std::span<const std::uint32_t> hashes, T* to, const std::vector<U>& bits,
             F&& offset) const {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::uint32_t hash = hashes[i];
      to[i] = with_noise(bits[hash % kWidth<T> + offset(hash)], hash);
    }
  }

  void write_layers(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    const int last = *std::max_element(ids.begin(), ids.end());
    std::vector<U> layers(static_cast<std::size_t>(last / kWidth<T> + 1), 0);
    for (const int id : ids) layers[static_cast<std::size_t>(id / kWidth<T>)] |= bit_of(id);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::uint32_t hash = hashes[i];
      // Low layers are likelier: ids are mostly small.
      const std::uint32_t layer = (hash >> 13) & ((4u << ((hash >> 10) & 7)) - 1);
      const U bits = layer < layers.size() ? layers[layer] : U{0};
      to[i] = with_noise(std::rotl(bits, static_cast<int>(hash % kWidth<T>)), hash);
    }
  }

  // Besides, zeros that all ranks share.
  T with_noise(U cleared, std::uint32_t hash) const {
    const U zeros = static_cast<U>(widen<U>(hash) & widen<U>(std::rotl(hash, 16)) & noise_);
    const U value = static_cast<U>(cleared | zeros);
    return from_bits<T>(kOr ? value : static_cast<U>(~value));
  }

  Acts acts_;
  U noise_;
};

// What the logical operators take for true: numbers of which a library might drop the part that
// matters.
template <class T>
class Truth {
 public:
  T value(bool is_true, std::uint32_t hash, int id) const {
    return is_true ? values_[((hash >> 20) + static_cast<std::uint32_t>(id)) % values_.size()]
                   : T{0};
  }

 private:
  using U = Bits<T>;
  static constexpr int kHalf = kWidth<T> / 2;
  std::array<T, 8> values_ = {
      T{1},
      T{2},
      from_bits<T>(kTopBit<T>),
      from_bits<T>(static_cast<U>(~U{0})),
      from_bits<T>(static_cast<U>(U{1} << kHalf)),
      from_bits<T>(static_cast<U>(kTopBit<T> >> 1)),
      from_bits<T>(static_cast<U>(~U{0} << kHalf)),
      from_bits<T>(static_cast<U>(U{0x6a} << (kHalf / 2))),
  };
};

// "and": rank id dissents where (id + s(e)) mod 2^c(e) is 0: one rank of a few often decides alone.
// "or" is the same with true and false exchanged.
template <class T, bool kOr>
class ClosedDissent {
 public:
  explicit ClosedDissent(const Source&) {}

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const bool dissents =
          ((static_cast<std::uint32_t>(id) + (hashes[i] >> 4)) & mask_at(hashes[i])) == 0;
      to[i] = truth_.value(dissents == kOr, hashes[i], id);
    }
  }
  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    const auto last = static_cast<std::uint32_t>(*std::max_element(ids.begin(), ids.end()));
    const std::uint32_t mask_max = std::bit_ceil(last + 1) - 1;
    // taken[mask + r]: an id is r modulo mask + 1.
    std::vector<bool> taken(2 * std::size_t{mask_max} + 1, false);
    for (std::uint32_t mask = mask_max; mask > 0; mask >>= 1) {
      for (const int id : ids) taken[mask + (static_cast<std::uint32_t>(id) & mask)] = true;
    }
    taken[0] = true;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::uint32_t mask = mask_at(hashes[i]);
      const std::uint32_t dissenter = (0u - (hashes[i] >> 4)) & mask;
      const bool any = dissenter <= mask_max && taken[std::min(mask, mask_max) + dissenter];
      to[i] = static_cast<T>(any == kOr ? 1 : 0);
    }
  }

 private:
  // 2^c - 1 for the element's c.
  static constexpr std::uint32_t mask_at(std::uint32_t hash) {
    constexpr std::array<std::uint32_t, 16> masks = {1, 3, 3, 3,  3,  7,   7,   7,
                                                     7, 7, 7, 15, 15, 255, 255, 4095};
    return masks[hash & 15];
  }
  Truth<T> truth_;
};

// "xor": the truth at an element is one bit of g(id), chosen by the element: the parity over the
// ranks is the same bit of the xor of g.
template <class T>
class ClosedParity {
 public:
  explicit ClosedParity(const Source& source) : seed_(hash_at(source.seed, 0x9a)) {}

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    const std::uint64_t g = g_of(id);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      to[i] = truth_.value(((g >> (hashes[i] % 64)) & 1) != 0, hashes[i], id);
    }
  }
  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    std::uint64_t g = 0;
    for (const int id : ids) g ^= g_of(id);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      to[i] = static_cast<T>((g >> (hashes[i] % 64)) & 1);
    }
  }

 private:
  std::uint64_t g_of(int id) const { return hash_at(seed_, static_cast<std::uint64_t>(id)); }
  std::uint64_t seed_;
  Truth<T> truth_;
};

}  // namespace allprove::oracle
