// Floating-point inputs one at a time, for every format: a number from the hashes of its element
// and of its rank. What they are drawn for: docs/semantics.md, section 5.
#pragma once

#include <algorithm>
#include <bit>

#include "framework/oracle/elements.h"
#include "framework/oracle/hash.h"
#include "framework/oracle/input.h"

namespace allprove::oracle {

// What one number of an element is made from. The parts of an element (real and imaginary, value
// and index) have draws of their own.
struct Draw {
  Draw(const Source& source, std::int64_t of_tile, std::uint64_t part)
      : id(source.id),
        element(of_tile),
        seed(hash_at(source.seed, part, 0xe1e)),
        shared(hash_at(seed, static_cast<std::uint64_t>(of_tile))),
        own(hash_at(seed, static_cast<std::uint64_t>(source.id) + 1,
                    static_cast<std::uint64_t>(of_tile))) {}

  int id;
  std::int64_t element;  // of the tile
  std::uint64_t seed;
  std::uint64_t shared;  // the same on all ranks
  std::uint64_t own;
};

// Whether the rank's factor of a closed product may be any: all ranks' where there are few, else
// those of the 8 ids in a window of the element's. A window starts at small ids more often.
template <class R>
bool is_any_factor(const Source& source, const Draw& draw) {
  if (source.size == SizeClass::up_to_8) return true;
  if (std::numeric_limits<R>::digits >= 53 && source.size == SizeClass::up_to_16) return true;
  const auto begin = (draw.shared >> 16) & ((4u << ((draw.shared >> 44) % 12)) - 1);
  return static_cast<std::uint64_t>(draw.id) - begin < 8;
}

// The rank's place on a circle of 2^13, turned by the element: all ids have different ones.
inline std::uint64_t place_on_circle(const Draw& draw, std::uint64_t id) {
  return (permute(draw.seed, 13, id) + draw.shared) % 8192;
}

template <class R>
class RealInput {
 public:
  using Limits = std::numeric_limits<R>;
  static constexpr int kDigits = Limits::digits;
  static constexpr int kExponents = Limits::max_exponent;  // numbers are below 2^kExponents
  static constexpr std::uint64_t kImplicit = std::uint64_t{1} << (kDigits - 1);

  RealInput(const Source& source, const Draw& draw) : source_(source), draw_(draw) {}

  R value() const {
    const bool is_product = source_.reduces && source_.op == Op::prod;
    const bool is_sum = source_.reduces && source_.op == Op::sum;
    switch (source_.family) {
      case Family::ramp:
        return static_cast<R>(2 * draw_.id + 1 + 10 * draw_.element);
      case Family::closed:
        return is_sum ? closed_sum() : is_product ? closed_product() : closed_order(draw_.id);
      case Family::free:
        return is_product ? free_product() : free();
      case Family::special:
        return special(is_product ? free_product() : free());
    }
    throw InternalError("internal error: no such family");
  }

  // A number that is the rank's place on the circle, in high or in low bits of the fraction; all
  // else is the same for all ranks. Where the sign is the place's too, both signs meet.
  R closed_order(int id) const {
    const std::uint64_t shared = mix64(draw_.shared);
    const std::uint64_t place = place_on_circle(draw_, static_cast<std::uint64_t>(id));
    const int shift = shared % 2 == 0 ? 0 : kDigits - 1 - 13;
    const std::uint64_t field = std::uint64_t{8191} << shift;
    const std::uint64_t fraction = (shared & ~field & (kImplicit - 1)) | (place << shift);
    const bool negative = ((shared >> 62) == 0 ? place >> 12 : shared >> 61) % 2 != 0;
    return number(negative, kImplicit | fraction, exponent_in(shared >> 3, kExponents / 2));
  }

  // Of `significand` below 2^digits, whose highest bit stands for 2^exponent.
  static R number(bool negative, std::uint64_t significand, int exponent) {
    const auto magnitude =
        static_cast<R>(std::ldexp(static_cast<long double>(significand), exponent - kDigits + 1));
    return negative ? -magnitude : magnitude;
  }
  // Uniform in [-most, most).
  static int exponent_in(std::uint64_t hash, int most) {
    return static_cast<int>(hash % (2 * static_cast<std::uint64_t>(most))) - most;
  }
  std::uint64_t any_significand() const { return kImplicit | (draw_.own >> (65 - kDigits)); }
  bool any_sign() const { return mix64(draw_.own) % 2 != 0; }

  // Few factors of any size, or many near 1: 4096 below 1 + 2^-7 stay below 2^46.
  R free_product() const {
    if (source_.size == SizeClass::larger) {
      return number(any_sign(), kImplicit | ((any_significand() & (kImplicit - 1)) >> 7), 0);
    }
    const int most = kExponents / (source_.size == SizeClass::up_to_8 ? 16 : 32);
    return number(any_sign(), any_significand(), exponent_in(mix64(draw_.own + 1), most));
  }

  // One number of 16 is special, or one that all ranks share: near 1, for products to stay in
  // range.
  R special(R ordinary) const {
    const std::uint64_t draw = hash_at(draw_.own, 2);
    if (draw % 16 != 0) return ordinary;
    const bool negative = (draw >> 8) % 2 != 0;
    const auto with_sign = [&](R magnitude) { return negative ? -magnitude : magnitude; };
    switch ((draw >> 16) % 12) {
      case 0:
        return with_sign(R{0});
      case 1:
        return with_sign(Limits::denorm_min());
      case 2:
        return with_sign(Limits::min() - Limits::denorm_min());
      case 3:
        return with_sign(Limits::min());
      case 4:
        return with_sign(Limits::infinity());
      case 5:
        return with_sign(Limits::quiet_NaN());
      case 6:
        return with_sign(nan_with_payload());
      default:
        return number((draw_.shared >> 20) % 2 != 0,
                      kImplicit | ((draw_.shared % 256) << (kDigits - 17)), 0);
    }
  }

 private:
  // As ClosedFloatSum: an integer times 2^k of the element's, so small that no order rounds; large
  // parts of even and odd ranks cancel; one element of eight lies among the smallest numbers.
  R closed_sum() const {
    const int ranks_bits = source_.size == SizeClass::up_to_8    ? 3
                           : source_.size == SizeClass::up_to_16 ? 4
                                                                 : 12;
    const int bits = std::min(kDigits, 62) - ranks_bits;
    const auto middle = std::int64_t{1} << (bits - 2);
    const auto f = static_cast<std::int64_t>(draw_.shared >> (65 - bits)) - middle;
    const auto large = static_cast<std::int64_t>(mix64(draw_.shared) >> (65 - bits));
    const auto g = static_cast<std::int64_t>(
        permute(draw_.seed, bits - 1, static_cast<std::uint64_t>(draw_.id)));
    const std::uint64_t choice = hash_at(draw_.shared, 1);
    const std::int64_t balance = choice % 2 == 0 ? 0 : draw_.id % 2 == 0 ? large : -large;
    const int exponent = (choice >> 1) % 8 == 0 ? Limits::min_exponent - kDigits
                                                : exponent_in(choice >> 8, kExponents / 2);
    return static_cast<R>(std::ldexp(static_cast<long double>(f + balance + g - middle), exponent));
  }

  // As ClosedFloatProduct: +-(1, 1.25, 1.5, 1.75) 2^j from few ranks, +-1 from all others.
  R closed_product() const {
    if (!is_any_factor<R>(source_, draw_)) return any_sign() ? R{-1} : R{1};
    return number(any_sign(), kImplicit | ((draw_.own % 4) << (kDigits - 3)),
                  exponent_in(draw_.own >> 8, kExponents / 32));
  }

  // Exponents lie in a window that the element chooses, narrow to wide.
  R free() const {
    const int windows = std::bit_width(static_cast<unsigned>(kExponents));
    const int width = 1 << ((draw_.shared & (draw_.shared >> 8) & 0xff) % windows);
    const auto begins = static_cast<unsigned>(kExponents - width + 1);
    const int begin = static_cast<int>((draw_.shared >> 16) % begins) - kExponents / 2;
    const auto within = static_cast<int>(mix64(draw_.own + 1) % static_cast<unsigned>(width));
    return number(any_sign(), any_significand(), begin + within);
  }
  static R nan_with_payload() {
    if constexpr (std::is_same_v<R, float>) return std::nanf("0x155");
    if constexpr (std::is_same_v<R, double>) return std::nan("0x155");
    return static_cast<R>(std::nanl("0x155"));
  }

  const Source& source_;
  const Draw& draw_;
};

}  // namespace allprove::oracle
