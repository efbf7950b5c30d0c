// Closed form of min and max. Every element has a circle of 2^k places on which each rank has its
// own, turned by the element's hash: which rank comes first differs from element to element. The
// place is then written into a field of the value's key; the other bits are shared by all ranks.
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
      : turn_(static_cast<std::uint32_t>(hash_at(source.seed, 0x0de5))) {}

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

  static constexpr std::uint32_t better(std::uint32_t a, std::uint32_t b) {
    return kMaximum ? std::max(a, b) : std::min(a, b);
  }

  void results_of_few(std::span<const int> ids, std::span<const std::uint32_t> hashes,
                      T* to) const {
    constexpr std::size_t kBlock = 128;
    std::array<std::uint32_t, kBlock> best;
    std::array<std::uint32_t, 16> places;
    for (std::size_t r = 0; r < ids.size(); ++r) places[r] = place_of(ids[r]);
    for (std::size_t begin = 0; begin < hashes.size(); begin += kBlock) {
      const auto block = hashes.subspan(begin, std::min(kBlock, hashes.size() - begin));
      best.fill(kMaximum ? 0 : kPlaces);
      for (std::size_t r = 0; r < ids.size(); ++r) {
        for (std::size_t i = 0; i < block.size(); ++i) {
          best[i] = better(best[i], (places[r] + block[i]) % kPlaces);
        }
      }
      for (std::size_t i = 0; i < block.size(); ++i) to[begin + i] = value_at(block[i], best[i]);
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

  // The number with `place` in its key. Four places for the field: the highest bits (the type's
  // whole range, across zero), the middle, the lowest, and the lowest with neighbours only 1 apart
  // (and then equal to each other where there are many ranks). Four kinds of shared bits: near the
  // smallest number, the largest, zero, and any.
  static constexpr T value_at(std::uint32_t hash, std::uint32_t place) {
    constexpr int kHigh = kWidth<T> - kPlaceBits;
    constexpr int kFine = std::integral<T> ? 0 : 1;  // floats' keys are squeezed by 3/4
    constexpr auto kMask = static_cast<U>(kPlaces - 1);
    const std::uint32_t field = (hash >> kPlaceBits) & 3;
    const std::uint32_t shared = (hash >> (kPlaceBits + 2)) & 3;
    const auto at = static_cast<U>(place);
    const U any = widen<U>(again(hash));
    const auto zero = static_cast<U>(kTopBit<T> - (any & 1));
    const U rest = shared == 0   ? U{0}
                   : shared == 1 ? static_cast<U>(~U{0})
                   : shared == 2 ? zero
                                 : any;
    const auto moved = static_cast<U>(field == 0   ? at << kHigh
                                      : field == 1 ? at << (kHigh / 2)
                                      : field == 2 ? at
                                                   : (at >> (kPlaceBits - 3)) << kFine);
    const auto mask = static_cast<U>(field == 0   ? kMask << kHigh
                                     : field == 1 ? kMask << (kHigh / 2)
                                                  : kMask);
    return number_of(static_cast<U>((rest & ~mask) | moved));
  }

  static constexpr T number_of(U key) {
    if constexpr (std::integral<T>) {
      return from_key<T>(key);
    } else {
      // Away from infinity and NaN by a quarter of the keys (room for Data::scale), order kept; and
      // no -0, which would be equal to +0 without having its bits.
      key = static_cast<U>(key - (key >> 2) + (kTopBit<T> >> 2));
      return from_key<T>(key == kTopBit<T> - 1 ? static_cast<U>(key - 1) : key);
    }
  }

  std::uint32_t turn_;
};

}  // namespace allprove::oracle
