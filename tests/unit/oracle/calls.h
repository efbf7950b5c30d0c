// Calls to test with: every operator and type that runs, and helpers to speak of their inputs.
#pragma once

#include <cstring>
#include <numeric>
#include <ostream>
#include <vector>

#include "framework/base/enum_table.h"
#include "framework/oracle/expect.h"
#include "framework/oracle/oracle.h"

namespace allprove::oracle {

struct Reduction {
  Dtype dtype;
  Op op;
};
inline std::ostream& operator<<(std::ostream& out, const Reduction& reduction) {
  return out << name_of(reduction.dtype) << " " << name_of(reduction.op);
}

inline std::vector<Reduction> all_reductions() {
  std::vector<Reduction> all;
  for (std::size_t d = 0; d < names_of<Dtype>().size(); ++d) {
    for (const Op op : {Op::sum, Op::prod, Op::min, Op::max, Op::band, Op::bor, Op::bxor, Op::land,
                        Op::lor, Op::lxor}) {
      const auto dtype = static_cast<Dtype>(d);
      if (traits_of(dtype).plain && is_legal(op, dtype)) all.push_back({dtype, op});
    }
  }
  return all;
}

template <class F>
std::vector<Reduction> reductions_where(F&& holds) {
  auto all = all_reductions();
  std::erase_if(all, [&](Reduction reduction) { return !holds(reduction); });
  return all;
}

inline std::vector<int> first_ids(int ranks) {
  std::vector<int> ids(static_cast<std::size_t>(ranks));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

inline Call call_with(Reduction reduction, Family family, int ranks, std::int64_t count,
                      std::uint64_t seed = 1) {
  Call call;
  call.dtype = reduction.dtype;
  call.op = reduction.op;
  call.count = count;
  call.data.family = family;
  call.data.seed = seed;
  call.ids = first_ids(ranks);
  return call;
}

template <class T>
std::vector<T> inputs_at(const Call& call, int position) {
  Oracle oracle;
  oracle.begin(call);
  std::vector<T> inputs(static_cast<std::size_t>(call.count));
  oracle.fill_input(position, reinterpret_cast<std::byte*>(inputs.data()));
  return inputs;
}

template <class T>
Evidence judge(const Call& call, int position, const std::vector<T>& output,
               std::byte before = std::byte{0xa5}) {
  Oracle oracle;
  oracle.begin(call);
  Evidence evidence;
  oracle.judge_output(position, reinterpret_cast<const std::byte*>(output.data()), before,
                      evidence);
  return evidence;
}

// The operator itself, as a library would apply it to two numbers.
template <class T>
T combined(Op op, T a, T b) {
  if constexpr (std::integral<T>) {
    using W = Wide<T>;
    const auto wrap = [](W value) { return from_bits<T>(static_cast<Bits<T>>(value)); };
    if (op == Op::sum) return wrap(static_cast<W>(W{bits_of(a)} + bits_of(b)));
    if (op == Op::prod) return wrap(static_cast<W>(W{bits_of(a)} * bits_of(b)));
    if (op == Op::band) return static_cast<T>(a & b);
    if (op == Op::bor) return static_cast<T>(a | b);
    if (op == Op::bxor) return static_cast<T>(a ^ b);
    if (op == Op::land) return static_cast<T>(a && b);
    if (op == Op::lor) return static_cast<T>(a || b);
    if (op == Op::lxor) return static_cast<T>(!a != !b);
  } else {
    if (op == Op::sum) return a + b;
    if (op == Op::prod) return a * b;
  }
  if (op == Op::min) return a < b ? a : b;
  return a > b ? a : b;
}

// One element's inputs reduced along a random tree over a random order.
template <class T>
T reduced_in_any_order(Op op, std::vector<T> values, RandomStream& random) {
  while (values.size() > 1) {
    const auto i = random.below(values.size());
    std::swap(values[i], values.back());
    const T last = values.back();
    values.pop_back();
    const auto j = random.below(values.size());
    values[j] = combined(op, values[j], last);
  }
  return values.front();
}

// By element the inputs of all positions.
template <class T>
std::vector<std::vector<T>> inputs_by_element(const Call& call) {
  std::vector<std::vector<T>> by_element(static_cast<std::size_t>(call.count));
  for (std::size_t p = 0; p < call.ids.size(); ++p) {
    const auto inputs = inputs_at<T>(call, static_cast<int>(p));
    for (std::size_t i = 0; i < inputs.size(); ++i) by_element[i].push_back(inputs[i]);
  }
  return by_element;
}

template <class T>
std::vector<T> reduced_in_any_order(const Call& call, RandomStream& random) {
  std::vector<T> result;
  for (const auto& values : inputs_by_element<T>(call)) {
    result.push_back(reduced_in_any_order(call.op, values, random));
  }
  return result;
}

}  // namespace allprove::oracle
