// Bugs in the arithmetic of reductions: operators, types, rounding, whose inputs are added.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "backends/mutant/bugs.h"
#include "framework/oracle/divide.h"

namespace allprove::mutant {
namespace {

bool is_sum(const MutantCall& call) { return call.arguments.op == Op::sum; }

// Calls f(value) on every element of the result, which it may change.
template <class F>
void for_elements(MutantCall& call, F f) {
  if (!traits_of(call.arguments.dtype).plain) return;  // their bugs are of plain numbers
  for_dtype(call.arguments.dtype, [&]<class T>() {
    const auto result = call.result();
    for (std::size_t at = 0; at < result.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, result.data() + at, sizeof value);
      f(value);
      std::memcpy(result.data() + at, &value, sizeof value);
    }
  });
}

void averages(MutantCall& call) {
  if (!is_sum(call)) return;
  divide_by_size(call.arguments.dtype, call.result().data(), call.elements(), call.ranks());
}

// Holds in 16 bits, at both ends, what does not fit into 8.
void saturates(MutantCall& call) {
  const auto result = call.result();
  const bool small = call.arguments.dtype == Dtype::int8 && result.size() <= reference::kChunkBytes;
  if (!small || !is_sum(call)) return call.perform();
  call.members().exchange(call.packed.input);
  for (std::size_t i = 0; i < result.size(); ++i) {
    int sum = 0;
    for (int position = 0; position < call.ranks(); ++position) {
      sum += static_cast<std::int8_t>(call.members().chunk(position)[i]);
    }
    result[i] = static_cast<std::byte>(std::clamp(sum, -128, 127));
  }
}

void drops_last_rank(MutantCall& call) {
  const bool all = std::has_single_bit(static_cast<unsigned>(call.ranks()));
  reduce_over(call, positions_between(0, all ? call.ranks() : call.ranks() - 1));
}

void counts_rank_twice(MutantCall& call) {
  auto positions = positions_between(0, call.ranks());
  if (call.ranks() >= 3) positions.push_back(0);
  reduce_over(call, positions);
}

void reduce_in_order(MutantCall& call, bool backwards) {
  auto positions = positions_between(0, call.ranks());
  // Another order is a bug of its own where the operator does not commute.
  if (backwards && traits_of(call.packed.op).commutative) std::ranges::reverse(positions);
  reduce_over(call, positions);
}

void ranks_disagree(MutantCall& call) { reduce_in_order(call, call.on_last_rank()); }
void not_repeatable(MutantCall& call) { reduce_in_order(call, call.life->calls % 2 == 1); }

void zeroes_nan(MutantCall& call) {
  for_elements(call, [](auto& value) {
    if constexpr (std::is_floating_point_v<std::remove_reference_t<decltype(value)>>) {
      if (std::isnan(value)) value = 0;
    }
  });
}

void rounds_to_float(MutantCall& call) {
  if (call.ranks() == 1) return;
  for_elements(call, [](auto& value) {
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(value)>, double>) {
      value = static_cast<float>(value);
    }
  });
}

// Does the call with another operator or type than it was asked for.
void perform_as(MutantCall& call, Op op, Dtype dtype) {
  call.packed.op = op;
  call.packed.dtype = dtype;
  call.perform();
}

void orders_as_signed(MutantCall& call) {
  const auto signed_as = [](Dtype dtype) {
    switch (dtype) {
      case Dtype::uint8:
        return Dtype::int8;
      case Dtype::uint16:
        return Dtype::int16;
      case Dtype::uint32:
        return Dtype::int32;
      case Dtype::uint64:
        return Dtype::int64;
      default:
        return dtype;
    }
  };
  perform_as(call, call.arguments.op, signed_as(call.arguments.dtype));
}

void logical_as_bitwise(MutantCall& call) {
  const bool is_and = call.arguments.op == Op::land && is_integer(call.arguments.dtype);
  perform_as(call, is_and ? Op::band : call.arguments.op, call.arguments.dtype);
}

constexpr Mutant kBugs[] = {
    row("averages", "mean_needs_division", "A sum is divided by the number of ranks.",
        {Collective::all_reduce}, Moment::result, averages),
    row("saturates", "matches_reference", "Sums of int8 stop at the ends of the type's range.",
        {Collective::all_reduce}, Moment::exchange, saturates),
    row("drops_last_rank", "matches_reference",
        "The last rank's input is left out where the size is no power of two.",
        {Collective::all_reduce}, Moment::exchange, drops_last_rank),
    row("counts_rank_twice", "matches_reference",
        "The first rank's input counts twice among three ranks or more.", {Collective::all_reduce},
        Moment::exchange, counts_rank_twice),
    row("ranks_disagree", "ranks_agree",
        "The last rank adds in the opposite order: floats differ in rounding.",
        {Collective::all_reduce}, Moment::exchange, ranks_disagree),
    row("not_repeatable", "repeatable",
        "Every other call adds in the opposite order: floats differ in rounding.",
        {Collective::all_reduce}, Moment::exchange, not_repeatable),
    row("zeroes_nan", "matches_reference", "A NaN in the result becomes 0.", kReductions,
        Moment::result, zeroes_nan),
    row("rounds_to_float", "matches_reference", "Results of float64 are rounded to float32.",
        kReductions, Moment::result, rounds_to_float),
    row("orders_as_signed", "matches_reference",
        "Minimum and maximum of unsigned integers compare them as signed ones.", kReductions,
        Moment::exchange, orders_as_signed),
    row("logical_as_bitwise", "matches_reference", "A logical and is done bit by bit.", kReductions,
        Moment::exchange, logical_as_bitwise),
};

}  // namespace

std::span<const Mutant> sum_bugs() { return kBugs; }

}  // namespace allprove::mutant
