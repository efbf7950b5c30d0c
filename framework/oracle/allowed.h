// What an element of an output may be, for every kind of element: each has exact() (one value, in
// the form that is digested), `value` (it, or a representative), holds() and text().
#pragma once

#include <fmt/format.h>

#include "framework/base/check.h"
#include "framework/model/user_operator.h"
#include "framework/oracle/allowed_real.h"

namespace allprove::oracle {

template <class E>
struct AllowedOne {
  E value{};

  bool exact() const { return true; }
  bool holds(const E& got) const { return same_image(got, value); }
  std::string text() const { return element_text(value); }
};

// Sums are bounded by component, products by norm.
template <class R>
struct AllowedComplex {
  enum class Kind { components, by_value, disc, not_finite };
  Kind kind = Kind::components;
  std::complex<R> value{};
  AllowedReal<R> real, imaginary;
  std::complex<long double> centre;
  long double radius = 0;

  bool exact() const {
    return kind == Kind::by_value ||
           (kind == Kind::components && real.exact() && imaginary.exact());
  }
  bool holds(std::complex<R> got) const {
    switch (kind) {
      case Kind::components:
        return real.holds(got.real()) && imaginary.holds(got.imag());
      case Kind::by_value:  // zeros of either sign
        return got == value;
      case Kind::disc:
        return std::hypot(got.real() - centre.real(), got.imag() - centre.imag()) <= radius;
      case Kind::not_finite:
        return !std::isfinite(got.real()) || !std::isfinite(got.imag());
    }
    return false;
  }
  std::string text() const {
    switch (kind) {
      case Kind::components:
        return fmt::format("({}, {})", real.text(), imaginary.text());
      case Kind::by_value:
        return element_text(value);
      case Kind::disc:
        return fmt::format("within {} of {}", element_text(static_cast<R>(radius)),
                           element_text(value));
      case Kind::not_finite:
        return "not finite";
    }
    return {};
  }
};

// The least or greatest value with the smallest of its indices; where NaNs leave the order open,
// any of the inputs.
template <class V>
struct AllowedPair {
  Pair<V> value{};
  bool zeros = false;  // the value is a zero of either sign
  std::vector<Pair<V>> choices;

  bool exact() const { return !zeros && choices.empty(); }
  bool holds(const Pair<V>& got) const {
    if (!is_encoding(got.value)) return false;
    if (exact()) return same_image(got, value);
    if (zeros) return got.value == value.value && got.index == value.index;
    return std::ranges::any_of(choices, [&](const Pair<V>& input) {
      const bool same = got.value == input.value || (is_nan(got.value) && is_nan(input.value));
      return same && got.index == input.index;
    });
  }
  std::string text() const {
    return choices.empty() ? element_text(value) : "one of the inputs, some of which are NaN";
  }
};

// What `op` over one element's inputs, by position, may give; by overload on their type.

inline AllowedReal<long double> allowed(Op op, std::span<const long double> inputs, int divisor) {
  if (op == Op::sum) return allowed_sum(inputs, divisor);
  if (op == Op::prod) return allowed_product(inputs, divisor);
  return allowed_extreme(op, inputs, divisor);
}

inline AllowedOne<Boolean> allowed(Op op, std::span<const Boolean> inputs, int /*divisor*/) {
  bool result = inputs.front().byte != 0;
  for (const Boolean input : inputs.subspan(1)) {
    const bool next = input.byte != 0;
    result = op == Op::land ? result && next : op == Op::lor ? result || next : result != next;
  }
  return {{static_cast<std::uint8_t>(result)}};
}

template <class T, int kElements>
AllowedOne<Operand<T, kElements>> allowed(Op /*op*/, std::span<const Operand<T, kElements>> inputs,
                                          int /*divisor*/) {
  auto result = inputs.front();
  for (auto next : inputs.subspan(1)) {
    combine_operands(result.elements, next.elements);
    result = next;
  }
  return {result};
}

template <class V>
AllowedPair<V> allowed(Op op, std::span<const Pair<V>> inputs, int /*divisor*/) {
  AllowedPair<V> allowed;
  allowed.value = inputs.front();
  if (inputs.size() > 1 &&
      std::ranges::any_of(inputs, [](const auto& input) { return is_nan(input.value); })) {
    allowed.choices.assign(inputs.begin(), inputs.end());
    return allowed;
  }
  for (const auto& input : inputs.subspan(1)) {
    auto& best = allowed.value;
    if (input.value == best.value) {
      best.index = std::min(best.index, input.index);
    } else if (op == Op::minloc ? input.value < best.value : input.value > best.value) {
      best = input;
    }
  }
  if constexpr (std::is_floating_point_v<V>) {
    const V best = allowed.value.value;
    allowed.zeros = best == V{0} && std::ranges::any_of(inputs, [&](const auto& input) {
                      return input.value == best && std::signbit(input.value) != std::signbit(best);
                    });
  }
  return allowed;
}

template <class R>
AllowedComplex<R> allowed_complex_sum(std::span<const std::complex<R>> inputs, int divisor) {
  std::vector<R> reals, imaginaries;
  for (const auto& input : inputs) {
    reals.push_back(input.real());
    imaginaries.push_back(input.imag());
  }
  AllowedComplex<R> allowed;
  allowed.real = allowed_sum(std::span<const R>(reals), divisor);
  allowed.imaginary = allowed_sum(std::span<const R>(imaginaries), divisor);
  allowed.value = {allowed.real.value, allowed.imaginary.value};
  return allowed;
}

// Whether no order of multiplications rounds: the factors are Gaussian integers times powers of
// two, the product of whose norms fits, and so do all products of the powers; or one is zero.
template <class R>
bool multiplies_exactly(std::span<const std::complex<R>> inputs) {
  ExactProduct<R> product;
  for (const auto& input : inputs) {
    const long double real = input.real();
    const long double imaginary = input.imag();
    if (real == 0 && imaginary == 0) return true;
    const int unit = real == 0        ? last_bit(imaginary)
                     : imaginary == 0 ? last_bit(real)
                                      : std::min(last_bit(real), last_bit(imaginary));
    product.add(unit, std::hypot(std::ldexp(real, -unit), std::ldexp(imaginary, -unit)));
  }
  return product.is_exact();
}

// By norm: sqrt(5) u for each multiplication, whether fused or not, and the smallest number where
// it underflows, which the factors above 1 carry on.
template <class R>
AllowedComplex<R> allowed_complex_product(std::span<const std::complex<R>> inputs, int divisor) {
  using Kind = typename AllowedComplex<R>::Kind;
  using Wide = std::complex<long double>;
  AllowedComplex<R> allowed;
  Wide product = 1;
  long double above = 1;
  for (const auto& input : inputs) {
    if (!std::isfinite(input.real()) || !std::isfinite(input.imag())) {
      allowed.kind = Kind::not_finite;
      return allowed;
    }
    const Wide x(input.real(), input.imag());
    product = {product.real() * x.real() - product.imag() * x.imag(),
               product.real() * x.imag() + product.imag() * x.real()};
    above *= std::max(1.0L, std::abs(x));
  }
  const auto n = static_cast<long double>(divisor);
  const Wide centre = product / n;
  const auto as_divided = [&](long double x) { return static_cast<R>(x) / static_cast<R>(n); };
  allowed.value = {as_divided(product.real()), as_divided(product.imag())};
  if (multiplies_exactly(inputs)) {
    allowed.kind = Kind::by_value;
    return allowed;
  }
  const auto count = static_cast<long double>(inputs.size());
  const long double smallest = std::numeric_limits<R>::denorm_min();
  const long double steps = (count - 1) * std::sqrt(5.0L) * kRoundoff<R>;
  const long double radius =
      std::abs(product) * steps / (1 - steps) + 2 * (count - 1) * smallest * above;
  const long double division =
      divisor == 1 ? 0 : 2 * (kRoundoff<R> * (std::abs(centre) + radius / n) + smallest);
  allowed.kind = Kind::disc;
  allowed.centre = centre;
  // The product in the x87 format is 2^11 times finer.
  allowed.radius = (radius / n + division) * (1 + 0x1p-9L);
  return allowed;
}

template <class R>
AllowedComplex<R> allowed(Op op, std::span<const std::complex<R>> inputs, int divisor) {
  // A product of one is the input itself, as a sum of one is.
  return op == Op::sum || inputs.size() == 1 ? allowed_complex_sum(inputs, divisor)
                                             : allowed_complex_product(inputs, divisor);
}

// An element that is only moved: to the bit.
template <class E>
AllowedOne<E> unchanged(const E& element) {
  return {element};
}
inline AllowedReal<long double> unchanged(long double element) {
  return AllowedReal<long double>::of(AllowedReal<long double>::Kind::only, element);
}
template <class V>
AllowedPair<V> unchanged(const Pair<V>& element) {
  return {element, false, {}};
}
template <class R>
AllowedComplex<R> unchanged(std::complex<R> element) {
  AllowedComplex<R> same;
  same.value = element;
  same.real = AllowedReal<R>::of(AllowedReal<R>::Kind::only, element.real());
  same.imaginary = AllowedReal<R>::of(AllowedReal<R>::Kind::only, element.imag());
  return same;
}

}  // namespace allprove::oracle
