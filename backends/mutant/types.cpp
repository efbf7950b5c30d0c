// Bugs in what is no plain number, and in the operators that are made for it: pairs, complex
// numbers, long doubles, truth values, operands of operators that do not commute.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>

#include "backends/mutant/bugs.h"
#include "backends/reference/messages.h"
#include "framework/oracle/elements.h"

namespace allprove::mutant {
namespace {

using oracle::Boolean;
using oracle::Pair;

// Calls f(value) on every element of the result, which it may change, where they are of type E.
template <class E, class F>
void for_elements(MutantCall& call, F f) {
  const auto result = call.result();
  for (std::size_t at = 0; at + sizeof(E) <= result.size(); at += sizeof(E)) {
    auto value = oracle::element_at<E>(result.data() + at);
    f(value);
    std::memcpy(result.data() + at, &value, sizeof value);
  }
}

// Reduces the inputs of all members element by element: a = f(a, b), b of the higher position.
template <class E, class F>
void reduce_with(MutantCall& call, F f) {
  const reference::Message mine(call.packed.given, call.element_bytes(), call.packed.input);
  const auto inputs = reference::share(call.members(), mine, [](int) { return true; });
  std::ranges::copy(inputs.front().block(0), call.result().begin());
  for (const auto& input : std::span(inputs).subspan(1)) {
    const std::byte* operand = input.block(0).data();
    for_elements<E>(call, [&](E& a) {
      a = f(a, oracle::element_at<E>(operand));
      operand += sizeof(E);
    });
  }
}

bool is(const MutantCall& call, Op op, Dtype dtype) {
  return call.arguments.op == op && call.arguments.dtype == dtype;
}

// ---- pairs

void tie_takes_higher_index(MutantCall& call) {
  if (!is(call, Op::minloc, Dtype::two_int)) return call.perform();
  using P = Pair<int>;
  reduce_with<P>(call, [](P a, P b) {
    return b.value < a.value || (b.value == a.value && b.index > a.index) ? b : a;
  });
}

void tie_takes_first_rank(MutantCall& call) {
  if (!is(call, Op::maxloc, Dtype::double_int)) return call.perform();
  using P = Pair<double>;
  reduce_with<P>(call, [](P a, P b) { return b.value > a.value ? b : a; });
}

// As a library does that copies four bytes of each long.
void compares_low_half(MutantCall& call) {
  if (call.arguments.dtype != Dtype::long_int) return call.perform();
  using P = Pair<long>;
  const int sign = call.arguments.op == Op::maxloc ? 1 : -1;
  reduce_with<P>(call, [sign](P a, P b) {
    const auto low_a = std::int64_t{static_cast<int>(a.value)} * sign;
    const auto low_b = std::int64_t{static_cast<int>(b.value)} * sign;
    return low_b > low_a || (low_b == low_a && b.index < a.index) ? b : a;
  });
}

void index_of_own_input(MutantCall& call) {
  const auto kind = traits_of(call.arguments.dtype).kind;
  const auto result = call.result();
  if (kind != DtypeClass::pair || call.packed.input.size() < result.size()) return;
  oracle::for_element(call.arguments.dtype, [&]<class E>() {
    if constexpr (requires(E e) { e.index; }) {
      const std::byte* own = call.packed.input.data();
      for_elements<E>(call, [&](E& pair) {
        pair.index = oracle::element_at<E>(own).index;
        own += sizeof(E);
      });
    }
  });
}

// ---- complex numbers, long doubles

void drops_imaginary(MutantCall& call) {
  if (!is(call, Op::prod, Dtype::complex64) || call.ranks() == 1) return;
  for_elements<std::complex<float>>(call, [](auto& value) { value.imag(0); });
}

void multiplies_parts(MutantCall& call) {
  if (!is(call, Op::prod, Dtype::complex128)) return call.perform();
  using C = std::complex<double>;
  reduce_with<C>(call, [](C a, C b) { return C(a.real() * b.real(), a.imag() * b.imag()); });
}

void rounds_to_double(MutantCall& call) {
  if (call.arguments.dtype != Dtype::long_double || call.ranks() == 1) return;
  for_elements<long double>(call, [](auto& value) { value = static_cast<double>(value); });
}

// ---- truth values, integers

// Values are compared bit by bit before they are asked for being true.
void bits_differ(MutantCall& call) {
  if (call.arguments.op != Op::lxor || !is_integer(call.arguments.dtype)) return call.perform();
  call.packed.op = Op::bxor;
  call.perform();
  if (call.ranks() == 1) return;
  for_dtype(call.arguments.dtype, [&]<class T>() {
    for_elements<T>(call, [](auto& value) { value = value != 0 ? 1 : 0; });
  });
}

void truth_is_all_bits(MutantCall& call) {
  if (call.arguments.dtype != Dtype::boolean || call.ranks() == 1) return;
  for_elements<Boolean>(call, [](auto& value) { value.byte = value.byte != 0 ? 0xff : 0; });
}

void orders_as_unsigned(MutantCall& call) {
  const bool is_address = traits_of(call.arguments.dtype).kind == DtypeClass::address;
  const bool orders = traits_of(call.arguments.op).kind == OpClass::order;
  if (is_address && orders) call.packed.dtype = Dtype::uint64;
  call.perform();
}

// ---- operators that do not commute

bool commutes(const MutantCall& call) { return traits_of(call.arguments.op).commutative; }

// As a tree does that does not look which of two partial results is the lower one's.
void swaps_pairs(MutantCall& call) {
  auto positions = positions_between(0, call.ranks());
  for (std::size_t i = 1; i < positions.size() && !commutes(call); i += 2) {
    std::swap(positions[i - 1], positions[i]);
  }
  reduce_over(call, positions);
}

// As a tree does that counts the ranks from the root on.
void begins_at_root(MutantCall& call) {
  auto positions = positions_between(0, call.ranks());
  if (!commutes(call)) {
    std::ranges::rotate(positions, positions.begin() + call.arguments.root);
  }
  reduce_over(call, positions);
}

void scans_backwards(MutantCall& call) {
  auto positions = positions_between(0, call.position() + 1);
  if (!commutes(call)) std::ranges::reverse(positions);
  reduce_over(call, positions);
}

constexpr Mutant kBugs[] = {
    row("minloc_tie_takes_higher", "matches_reference",
        "Of two minima that are equal, the higher index is taken.", {Collective::all_reduce},
        Moment::exchange, tie_takes_higher_index),
    row("maxloc_tie_takes_first", "matches_reference",
        "Of two maxima that are equal, the first rank's index is taken.",
        {Collective::all_reduce}, Moment::exchange, tie_takes_first_rank),
    row("pairs_compare_low_half", "matches_reference",
        "Longs that stand with an index are compared by their lower halves.",
        {Collective::all_reduce}, Moment::exchange, compares_low_half),
    row("pair_index_is_own", "matches_reference",
        "The index beside the least or greatest value is the rank's own.",
        {Collective::all_reduce, Collective::scan}, Moment::result, index_of_own_input),
    row("complex_drops_imaginary", "matches_reference",
        "The imaginary part of a product of complex64 is 0.", kReductions, Moment::result,
        drops_imaginary),
    row("complex_multiplies_parts", "matches_reference",
        "Products of complex128 multiply real by real and imaginary by imaginary parts.",
        {Collective::all_reduce}, Moment::exchange, multiplies_parts),
    row("long_double_rounds", "matches_reference", "Results of long_double are rounded to float64.",
        kReductions, Moment::result, rounds_to_double),
    row("lxor_of_bits", "matches_reference",
        "A logical exclusive or is whether any bits differ.", kReductions, Moment::exchange,
        bits_differ),
    row("boolean_is_all_bits", "matches_reference", "What is true has all bits set.", kReductions,
        Moment::result, truth_is_all_bits),
    row("addresses_as_unsigned", "matches_reference",
        "Minimum and maximum of aint, offset and count compare them as unsigned ones.",
        kReductions, Moment::exchange, orders_as_unsigned),
    row("operands_swapped", "matches_reference",
        "An operator that does not commute gets its operands pairwise in the wrong order.",
        {Collective::all_reduce}, Moment::exchange, swaps_pairs),
    row("operands_from_root_on", "matches_reference",
        "An operator that does not commute gets its operands from the root's on.",
        {Collective::reduce}, Moment::exchange, begins_at_root),
    row("scan_backwards", "matches_reference",
        "A scan by an operator that does not commute takes its operands from the last to the "
        "first.",
        {Collective::scan}, Moment::exchange, scans_backwards),
};

}  // namespace

std::span<const Mutant> type_bugs() { return kBugs; }

}  // namespace allprove::mutant
