#include "framework/oracle/element_inputs.h"

#include <climits>

#include "framework/oracle/real_input.h"
#include "framework/oracle/types.h"

namespace allprove::oracle {
namespace {

constexpr std::uint64_t kFirstPart = 0;
constexpr std::uint64_t kSecondPart = 1;

// By overload on the last argument: one for each kind of element.
long double input_of(const Source& source, std::int64_t element, long double /*kind*/) {
  const Draw draw(source, element, kFirstPart);
  return RealInput<long double>(source, draw).value();
}

// A Gaussian integer of odd and even part times 2^j, from few ranks: no order rounds a product of
// such. From all others a unit.
template <class R>
std::complex<R> closed_factor(const Source& source, const Draw& draw) {
  const auto sign = [&](int bit) { return (draw.own >> bit) % 2 != 0 ? R{-1} : R{1}; };
  R odd = sign(0);
  R even = 0;
  if (is_any_factor<R>(source, draw)) {
    constexpr int kMost = std::numeric_limits<R>::max_exponent / 32;
    const int exponent = static_cast<int>((draw.own >> 8) % (2 * kMost)) - kMost;
    odd = std::ldexp(odd * static_cast<R>(1 + draw.own / 2 % 2 * 2), exponent);
    even = std::ldexp(sign(2) * 2, exponent);
  }
  return (draw.own >> 3) % 2 != 0 ? std::complex(odd, even) : std::complex(even, odd);
}

// Of 4096 factors: one part near 1, the other small, so that no product leaves the range.
template <class R>
std::complex<R> factor_near_one(const RealInput<R>& first, const Draw& second) {
  const R large = first.free_product();
  const R fraction = static_cast<R>(65536 + second.own % 65536);
  const R small = std::ldexp((second.own >> 16) % 2 != 0 ? -fraction : fraction, -9 - 16);
  return (second.own >> 17) % 2 != 0 ? std::complex(large, small) : std::complex(small, large);
}

// Small Gaussian integers from the first 8 ids, 1 and -1 from all others.
template <class R>
std::complex<R> ramp_factor(const Draw& draw) {
  if (draw.id >= 8) return {static_cast<R>(1 - 2 * (draw.id % 2)), R{0}};
  return {static_cast<R>(1 + (draw.id + draw.element) % 3),
          static_cast<R>((draw.id + 2 * draw.element) % 3 - 1)};
}

template <class R>
std::complex<R> complex_factor(const Source& source, const Draw& first, const Draw& second) {
  const RealInput<R> real(source, first);
  const RealInput<R> imaginary(source, second);
  if (source.family == Family::ramp) return ramp_factor<R>(first);
  if (source.family == Family::closed) return closed_factor<R>(source, first);
  const auto free = source.size == SizeClass::larger
                        ? factor_near_one(real, second)
                        : std::complex(real.free_product(), imaginary.free_product());
  if (source.family == Family::free) return free;
  return {real.special(free.real()), imaginary.special(free.imag())};
}

template <class R>
std::complex<R> input_of(const Source& source, std::int64_t element, std::complex<R> /*kind*/) {
  const Draw first(source, element, kFirstPart);
  const Draw second(source, element, kSecondPart);
  if (source.reduces && source.op == Op::prod) return complex_factor<R>(source, first, second);
  const R real = RealInput<R>(source, first).value();
  if (source.family == Family::ramp) return {real, static_cast<R>(source.id + 2 - 3 * element)};
  return {real, RealInput<R>(source, second).value()};
}

Boolean input_of(const Source& source, std::int64_t element, Boolean /*kind*/) {
  const Draw draw(source, element, kFirstPart);
  const bool any = draw.own % 2 != 0;
  if (source.family == Family::ramp) return {static_cast<std::uint8_t>((source.id + element) % 2)};
  if (!source.reduces || source.op == Op::lxor) return {static_cast<std::uint8_t>(any)};
  // Few ranks dissent from the others.
  const std::uint64_t among = std::uint64_t{2} << (draw.shared % 5);
  const auto turn = source.family == Family::closed
                        ? static_cast<std::uint64_t>(source.id) + (draw.shared >> 8)
                        : draw.own;
  const bool dissents = turn % among == 0;
  return {static_cast<std::uint8_t>(dissents != (source.op == Op::land))};
}

template <class V>
V special_integer(const Draw& draw) {
  using Limits = std::numeric_limits<V>;
  const std::array<V, 8> values = {
      0, 1, Limits::min(), Limits::max(), static_cast<V>(-1), -2, 3, static_cast<V>(draw.shared)};
  return values[(draw.own >> 32) % 8];
}

template <class V>
V pair_value(const Source& source, const Draw& draw) {
  // At two elements of three values tie: between every other rank, or all.
  const std::array<int, 3> ties = {draw.id, draw.id % 2, 0};
  const int id = ties[(draw.shared >> 40) % 3];
  if constexpr (std::is_floating_point_v<V>) {
    const RealInput<V> real(source, draw);
    return source.family == Family::closed ? real.closed_order(id) : real.value();
  } else {
    switch (source.family) {
      case Family::ramp:
        return static_cast<V>(2 * draw.id + 1 + 10 * draw.element);
      case Family::closed: {
        constexpr auto kRoom = static_cast<std::uint64_t>(std::numeric_limits<V>::max()) - 8191;
        const auto base = static_cast<std::int64_t>(mix64(draw.shared) % kRoom);
        const auto place =
            static_cast<std::int64_t>(place_on_circle(draw, static_cast<std::uint64_t>(id)));
        return static_cast<V>((draw.shared >> 50) % 2 == 0 ? base + place : -base - place);
      }
      case Family::free:
        return static_cast<V>(draw.own);
      case Family::special:
        return draw.own % 4 == 0 ? special_integer<V>(draw) : static_cast<V>(draw.own >> 8);
    }
    throw InternalError("internal error: no such family");
  }
}

int pair_index(const Source& source, const Draw& draw) {
  switch (source.family) {
    case Family::ramp:
      return draw.id;
    case Family::closed:
      return static_cast<int>(place_on_circle(draw, static_cast<std::uint64_t>(draw.id))) -
             ((draw.shared >> 40) % 2 == 0 ? 0 : 4096);
    default:
      if (draw.own % 8 == 0) return draw.own % 16 == 0 ? INT_MIN : INT_MAX;
      return static_cast<int>(draw.own >> 32);
  }
}

template <class V>
Pair<V> input_of(const Source& source, std::int64_t element, Pair<V> /*kind*/) {
  return {pair_value<V>(source, Draw(source, element, kFirstPart)),
          pair_index(source, Draw(source, element, kSecondPart))};
}

// What may be undone modulo 2^w keeps every operand's part in the result: odd factors, and matrices
// of odd determinant.
template <class T>
T fit_for(Op op, int place, T any) {
  const bool diagonal = place == 0 || place == 3;
  if (op == Op::user_affine && place == 0) return static_cast<T>(any | 1);
  if (op == Op::user_matrix && diagonal) return static_cast<T>(any | 1);
  if (op == Op::user_matrix && place == 1) return static_cast<T>(any & ~T{1});
  return any;
}

}  // namespace

template <class T, int kElements>
void make_operand(const Source& source, std::int64_t index, Workspace& workspace,
                  Operand<T, kElements>& to) {
  make_inputs(source, index * kElements, kElements, workspace, to.elements.data());
  for (int i = 0; i < kElements; ++i) {
    T& element = to.elements[static_cast<std::size_t>(i)];
    element = fit_for(source.op, i, element);
  }
}

template <class E>
E scaled_by(E element, int exponent) {
  if constexpr (std::is_floating_point_v<E>) {
    return std::ldexp(element, exponent);
  } else if constexpr (requires { element.real(); }) {
    return {std::ldexp(element.real(), exponent), std::ldexp(element.imag(), exponent)};
  } else {
    return element;
  }
}

template <class E>
E element_input(const Source& source, std::int64_t element) {
  const auto of_tile = family_element(source, element) % kTilePeriod;
  return scaled_by(input_of(source, of_tile, E{}), source.scale);
}

#define ALLPROVE_INSTANTIATE(E)                             \
  template E element_input<E>(const Source&, std::int64_t); \
  template E scaled_by<E>(E, int);
ALLPROVE_FOR_ELEMENTS(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

#define ALLPROVE_INSTANTIATE(T)                                                              \
  template void make_operand<T, 1>(const Source&, std::int64_t, Workspace&, Operand<T, 1>&); \
  template void make_operand<T, 2>(const Source&, std::int64_t, Workspace&, Operand<T, 2>&); \
  template void make_operand<T, 4>(const Source&, std::int64_t, Workspace&, Operand<T, 4>&);
ALLPROVE_FOR_INTEGERS(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

}  // namespace allprove::oracle
