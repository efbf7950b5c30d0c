// Closed form of min and max. Every element has a circle of 2^k places on which each rank has its
// own, turned by the element's hash: which rank comes first differs from element to element. The
// place is written into a field of the value's key; the other bits are shared by all ranks.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "framework/oracle/hash.h"
#include "framework/oracle/input.h"

namespace allprove::oracle {

template <class T, bool kMaximum>
class ClosedOrder {
 public:
  using U = Bits<T>;
  // Room for all ids to be different, where the type has it.
  static constexpr int kPlaceBits = sizeof(T) == 1 ? 6 : 13;
  static constexpr std::uint32_t kPlaces = 1u << kPlaceBits;

  explicit ClosedOrder(const Source& source)
      : turn_(static_cast<std::uint32_t>(hash_at(source.seed, 0x0de5))) {
    choose_key(hash_at(source.seed, 0x0de6));
  }

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    const std::uint32_t place = place_of(id);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      to[i] = value_at(hashes[i], (place + hashes[i]) % kPlaces);
    }
  }

  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    if (ids.size() <= 16) {
      results_of_few(ids, hashes, to);
    } else {
      const auto winner = winners(ids);
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        to[i] = value_at(hashes[i], winner[hashes[i] % kPlaces]);
      }
    }
  }

 private:
  // Bit-reversed ids lie far from each other on the circle: each rank wins its share.
  std::uint32_t place_of(int id) const {
    std::uint32_t place = 0;
    for (int bit = 0; bit < kPlaceBits; ++bit) {
      place |= ((static_cast<std::uint32_t>(id) >> bit) & 1u) << (kPlaceBits - 1 - bit);
    }
    return (place + turn_) % kPlaces;
  }

  static constexpr std::int16_t better(std::int16_t a, std::int16_t b) {
    return kMaximum ? std::max(a, b) : std::min(a, b);
  }

  void results_of_few(std::span<const int> ids, std::span<const std::uint32_t> hashes,
                      T* to) const {
    constexpr std::size_t kBlock = 256;
    std::array<std::int16_t, kBlock> turn;  // 16 bits: twice as many at a time
    std::array<std::int16_t, kBlock> best;
    for (std::size_t begin = 0; begin < hashes.size(); begin += kBlock) {
      const auto block = hashes.subspan(begin, std::min(kBlock, hashes.size() - begin));
      for (std::size_t i = 0; i < block.size(); ++i) {
        turn[i] = static_cast<std::int16_t>(block[i] % kPlaces);
        best[i] = kMaximum ? 0 : kPlaces - 1;
      }
      for (const int id : ids) {
        const auto place = static_cast<std::int16_t>(place_of(id));
        for (std::size_t i = 0; i < block.size(); ++i) {
          best[i] = better(best[i], static_cast<std::int16_t>((place + turn[i]) & (kPlaces - 1)));
        }
      }
      for (std::size_t i = 0; i < block.size(); ++i) {
        to[begin + i] = value_at(block[i], static_cast<std::uint32_t>(best[i]));
      }
    }
  }

  // For every turn of the circle the place that wins: walked once around, from the place that the
  // turn brings to the end of the order.
  std::vector<std::uint16_t> winners(std::span<const int> ids) const {
    std::vector<bool> taken(kPlaces, false);
    for (const int id : ids) taken[place_of(id)] = true;
    std::vector<std::uint16_t> winner(kPlaces);
    // A turn by t moves place p to (p + t) mod kPlaces, so the best place for t + 1 is the best for
    // t moved on by one, unless that one leaves the circle's end or another enters there.
    for (std::uint32_t turn = 0; turn < kPlaces; ++turn) {
      const std::uint32_t end = (kMaximum ? 2 * kPlaces - 1 - turn : kPlaces - turn) % kPlaces;
      if (taken[end]) {
        winner[turn] = static_cast<std::uint16_t>(kMaximum ? kPlaces - 1 : 0);
      } else if (turn > 0 && !leaves(winner[turn - 1])) {
        winner[turn] = static_cast<std::uint16_t>(winner[turn - 1] + 1);
      } else {
        winner[turn] = first_from(taken, turn);
      }
    }
    return winner;
  }

  static bool leaves(std::uint16_t place) { return place == kPlaces - 1; }

  static std::uint16_t first_from(const std::vector<bool>& taken, std::uint32_t turn) {
    for (std::uint32_t k = 0; k < kPlaces; ++k) {
      const std::uint32_t place = kMaximum ? kPlaces - 1 - k : k;
      if (taken[(place + kPlaces - turn) % kPlaces]) return static_cast<std::uint16_t>(place);
    }
    return 0;
  }

  // The number with `place` in its key.
  T value_at(std::uint32_t hash, std::uint32_t place) const {
    const U shared = static_cast<U>((widen<U>(hash) & any_) ^ fixed_);
    const U key = static_cast<U>(shared | static_cast<U>(static_cast<U>(place >> drop_) << shift_));
    if constexpr (std::integral<T>) {
      return from_key<T>(key);
    } else {
      // Away from infinity and NaN by a quarter of the keys (room for Data::scale), order kept; and
      // no -0, which would be equal to +0 without having its bits.
      const U squeezed = static_cast<U>(key - (key >> 2) + (kTopBit<T> >> 2));
      return from_key<T>(static_cast<U>(squeezed - (squeezed == kTopBit<T> - 1 ? 1 : 0)));
    }
  }

  // One of four fields for a call: the highest bits (the type's whole range, across zero), the
  // middle, the lowest, and three of the lowest only (neighbours 1 apart; with many ranks, ties).
  // And one of four kinds of shared bits: near the smallest number, the largest, zero, and any.
  void choose_key(std::uint64_t random) {
    constexpr int kHigh = kWidth<T> - kPlaceBits;
    constexpr int kFine = std::integral<T> ? 0 : 1;  // floats' keys are squeezed by 3/4
    constexpr std::array<int, 4> shifts = {kHigh, kHigh / 2, 0, kFine};
    const auto field = random & 3;
    shift_ = shifts[field];
    drop_ = field == 3 ? kPlaceBits - 3 : 0;
    const auto zero = static_cast<U>(kTopBit<T> - ((random >> 2) & 1));
    const std::array<U, 4> fixed = {U{0}, static_cast<U>(~U{0}), zero, U{0}};
    const auto shared = (random >> 3) & 3;
    const auto outside =
        static_cast<U>(~static_cast<U>(static_cast<U>((kPlaces - 1) >> drop_) << shift_));
    fixed_ = fixed[shared] & outside;
    any_ = shared == 3 ? outside : U{0};
  }

  std::uint32_t turn_;
  int drop_ = 0;   // low bits of the place that are left out
  int shift_ = 0;  // of the field in the key
  U any_ = 0;      // bits of the key that are any
  U fixed_ = 0;    // and those that are the same for all elements
};

}  // namespace allprove::oracle
