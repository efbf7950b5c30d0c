#include "backends/reference/reduce.h"

#include <cstring>
#include <type_traits>

#include "framework/base/check.h"

namespace allprove::reference {
namespace {

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

}  // namespace

bool can_combine(Op op, Dtype dtype) {
  if (!traits_of(dtype).plain) return false;
  return for_dtype(dtype, [&]<class T>() { return with_operator<T>(op, [](auto) {}); });
}

void combine(Op op, Dtype dtype, std::byte* accumulator, const std::byte* operand,
             std::size_t count) {
  const bool known = for_dtype(dtype, [&]<class T>() {
    return with_operator<T>(op, [&](auto f) { each<T>(accumulator, operand, count, f); });
  });
  ALLPROVE_CHECK(known);
}

}  // namespace allprove::reference
