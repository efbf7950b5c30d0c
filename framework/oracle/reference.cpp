#include "framework/oracle/reference.h"

#include <algorithm>

#include "framework/base/check.h"
#include "framework/oracle/divide.h"
#include "framework/oracle/reference_float.h"
#include "framework/oracle/types.h"

namespace allprove::oracle {
namespace {

// Bounds the memory of a block by 4096 ranks times this many elements.
constexpr std::int64_t kBlock = 256;

Nature nature_of(std::span<const Source> sources) {
  const auto some = [&](Family family) {
    return std::ranges::any_of(sources, [&](auto& source) { return source.family == family; });
  };
  Nature nature;
  nature.integers = some(Family::ramp);
  nature.finite = !some(Family::special) && !some(Family::closed);  // closed sums have zeros
  nature.inexact = nature.finite && !nature.integers;
  return nature;
}

template <class T, class F>
void accumulate(const Inputs<T>& inputs, T* to, F&& combine) {
  std::copy_n(inputs.row(0), inputs.count, to);
  for (std::size_t r = 1; r < inputs.ranks; ++r) {
    const T* row = inputs.row(r);
    for (std::size_t i = 0; i < inputs.count; ++i) to[i] = combine(to[i], row[i]);
  }
}

// Integers wrap modulo 2^w; the logical operators give 1 or 0.
template <class T>
void reduce_integers(Op op, const Inputs<T>& in, T* to) {
  using W = Wide<T>;
  const auto wrap = [](W value) { return from_bits<T>(static_cast<Bits<T>>(value)); };
  switch (op) {
    case Op::sum:
      return accumulate(in, to, [&](T a, T b) { return wrap(W{bits_of(a)} + bits_of(b)); });
    case Op::prod:
      return accumulate(in, to, [&](T a, T b) { return wrap(W{bits_of(a)} * bits_of(b)); });
    case Op::min:
      return accumulate(in, to, [](T a, T b) { return std::min(a, b); });
    case Op::max:
      return accumulate(in, to, [](T a, T b) { return std::max(a, b); });
    case Op::band:
      return accumulate(in, to, [](T a, T b) { return static_cast<T>(a & b); });
    case Op::bor:
      return accumulate(in, to, [](T a, T b) { return static_cast<T>(a | b); });
    case Op::bxor:
      return accumulate(in, to, [](T a, T b) { return static_cast<T>(a ^ b); });
    case Op::land:
      return accumulate(in, to, [](T a, T b) { return static_cast<T>(a != 0 && b != 0); });
    case Op::lor:
      return accumulate(in, to, [](T a, T b) { return static_cast<T>(a != 0 || b != 0); });
    case Op::lxor:
      return accumulate(in, to, [](T a, T b) { return static_cast<T>((a != 0) != (b != 0)); });
    default:
      throw InternalError("internal error: the reference does not know the operator");
  }
}

}  // namespace

template <class T>
void Reference<T>::reduce(Op op, std::span<const Source> sources, std::int64_t begin,
                          std::int64_t count, bool altered, Workspace& workspace,
                          Expectation<T>& to) {
  ALLPROVE_CHECK(!sources.empty() && (!altered || count == 1));
  to.reset(count);
  if constexpr (std::floating_point<T>) to.allow_ranges(count);
  const Nature nature = nature_of(sources);
  for (std::int64_t done = 0; done < count; done += kBlock) {
    const std::int64_t here = std::min(kBlock, count - done);
    const Inputs<T> inputs{nullptr, sources.size(), static_cast<std::size_t>(here)};
    block_.resize(inputs.ranks * inputs.count);
    for (std::size_t r = 0; r < inputs.ranks; ++r) {
      T* row = block_.data() + r * inputs.count;
      if (altered) {
        *row = make_input<T>(sources[r], begin, workspace);
      } else {
        make_inputs(sources[r], begin + done, here, workspace, row);
      }
    }
    const Inputs<T> block{block_.data(), inputs.ranks, inputs.count};
    if constexpr (std::floating_point<T>) {
      reduce_floats(op, block, nature, done, to);
    } else {
      reduce_integers(op, block, to.value.data() + done);
    }
  }
  if constexpr (std::floating_point<T>) {
    to.exact =
        to.loose.empty() && std::ranges::all_of(to.span, [](auto span) { return span == 0; });
  }
}

template <class T>
void divide(Expectation<T>& expectation, int ranks) {
  if (expectation.exact) {
    for (T& value : expectation.value) value = divided(value, ranks);
    return;
  }
  // Rounding keeps the order, so the ends of a range stay its ends. Ranges of NaNs stay as they
  // are.
  if constexpr (std::floating_point<T>) {
    for (std::size_t i = 0; i < expectation.value.size(); ++i) {
      const T low = from_key<T>(expectation.low[i]);
      const T high = from_key<T>(static_cast<Bits<T>>(expectation.low[i] + expectation.span[i]));
      expectation.value[i] = divided(expectation.value[i], ranks);
      if (!(low <= high)) continue;
      expectation.low[i] = key_of(divided(low, ranks));
      expectation.span[i] = static_cast<Bits<T>>(key_of(divided(high, ranks)) - expectation.low[i]);
    }
  }
}

#define ALLPROVE_INSTANTIATE(T) \
  template class Reference<T>;  \
  template void divide<T>(Expectation<T>&, int);
ALLPROVE_FOR_TYPES(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

}  // namespace allprove::oracle
