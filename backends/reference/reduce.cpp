#include "backends/reference/reduce.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>
#include <vector>

#include "framework/base/check.h"
#include "framework/model/user_operator.h"
#include "framework/oracle/elements.h"

namespace allprove::reference {
namespace {

using oracle::Boolean;
using oracle::for_element;
using oracle::Pair;

// Integers are added and multiplied modulo 2^64, of which modulo 2^w is what remains.
template <class T>
using Arithmetic = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;

template <class T, class F>
void each(std::byte* accumulator, const std::byte* operand, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i) {
    T a;
    T b;
    std::memcpy(&a, accumulator + i * sizeof(T), sizeof(T));
    std::memcpy(&b, operand + i * sizeof(T), sizeof(T));
    a = static_cast<T>(f(a, b));
    std::memcpy(accumulator + i * sizeof(T), &a, sizeof(T));
  }
}

// Calls visit(f) with the operator as a function of two values; false when T has no such operator.
template <class T, class Visit>
bool with_operator(Op op, Visit visit) {
  using A = Arithmetic<T>;
  const auto visit_integral = [&](auto f) {
    if constexpr (std::is_integral_v<T>) visit(f);
    return std::is_integral_v<T>;
  };
  switch (op) {
    case Op::sum:
      visit([](T a, T b) { return static_cast<A>(a) + static_cast<A>(b); });
      return true;
    case Op::prod:
      visit([](T a, T b) { return static_cast<A>(a) * static_cast<A>(b); });
      return true;
    case Op::min:
      visit([](T a, T b) { return b < a ? b : a; });
      return true;
    case Op::max:
      visit([](T a, T b) { return b > a ? b : a; });
      return true;
    case Op::band:
      return visit_integral([](auto a, auto b) { return a & b; });
    case Op::bor:
      return visit_integral([](auto a, auto b) { return a | b; });
    case Op::bxor:
      return visit_integral([](auto a, auto b) { return a ^ b; });
    case Op::land:
      return visit_integral([](auto a, auto b) { return a != 0 && b != 0; });
    case Op::lor:
      return visit_integral([](auto a, auto b) { return a != 0 || b != 0; });
    case Op::lxor:
      return visit_integral([](auto a, auto b) { return (a != 0) != (b != 0); });
    default:
      return false;
  }
}

// As above, for what is no plain number.
template <class R, class Visit>
bool with_operator(std::type_identity<std::complex<R>> /*type*/, Op op, Visit visit) {
  using C = std::complex<R>;
  if (op == Op::sum) visit([](C a, C b) { return a + b; });
  if (op == Op::prod) visit([](C a, C b) { return a * b; });
  return op == Op::sum || op == Op::prod;
}
template <class Visit>
bool with_operator(std::type_identity<long double> /*type*/, Op op, Visit visit) {
  return with_operator<long double>(op, visit);
}
template <class Visit>
bool with_operator(std::type_identity<Boolean> /*type*/, Op op, Visit visit) {
  if (traits_of(op).kind != OpClass::logical) return false;
  return with_operator<std::uint8_t>(op, [&](auto f) {
    visit([f](Boolean a, Boolean b) {
      return Boolean{static_cast<std::uint8_t>(f(a.byte, b.byte))};
    });
  });
}
template <class V, class Visit>
bool with_operator(std::type_identity<Pair<V>> /*type*/, Op op, Visit visit) {
  using P = Pair<V>;
  const auto tie = [](P a, P b) { return a.value == b.value && b.index < a.index; };
  if (op == Op::minloc) visit([=](P a, P b) { return b.value < a.value || tie(a, b) ? b : a; });
  if (op == Op::maxloc) visit([=](P a, P b) { return b.value > a.value || tie(a, b) ? b : a; });
  return op == Op::minloc || op == Op::maxloc;
}

// Calls visit(type, f) with the C++ type of an element and the operator; false when there is none.
template <class Visit>
bool with_typed_operator(Op op, Dtype dtype, Visit visit) {
  if (traits_of(dtype).plain) {
    return for_dtype(dtype, [&]<class T>() {
      return with_operator<T>(op, [&](auto f) { visit(std::type_identity<T>{}, f); });
    });
  }
  return for_element(dtype, [&]<class E>() {
    constexpr std::type_identity<E> kType;
    return with_operator(kType, op, [&](auto f) { visit(kType, f); });
  });
}

// The lower position's operand is the first: what comes out becomes the accumulator.
void combine_whole_operands(Op op, Dtype dtype, std::byte* accumulator, const std::byte* operand,
                            std::size_t count) {
  count -= count % static_cast<std::size_t>(width_of(op));
  std::vector<std::byte> second(operand, operand + count * size_of(dtype));
  combine_operands(op, dtype, accumulator, second.data(), static_cast<std::int64_t>(count));
  std::ranges::copy(second, accumulator);
}

}  // namespace

bool can_combine(Op op, Dtype dtype) {
  if (!traits_of(dtype).runs || !is_legal(op, dtype)) return false;
  if (traits_of(op).kind == OpClass::user) return true;
  return with_typed_operator(op, dtype, [](auto, auto) {});
}

void combine(Op op, Dtype dtype, std::byte* accumulator, const std::byte* operand,
             std::size_t count) {
  if (traits_of(op).kind == OpClass::user) {
    return combine_whole_operands(op, dtype, accumulator, operand, count);
  }
  const bool known = with_typed_operator(op, dtype, [&]<class E>(std::type_identity<E>, auto f) {
    each<E>(accumulator, operand, count, f);
  });
  ALLPROVE_CHECK(known);
}

}  // namespace allprove::reference
