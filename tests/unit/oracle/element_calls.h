// Calls on elements that are no plain numbers, and how a library may evaluate them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "framework/base/random.h"
#include "framework/oracle/element_tiles.h"
#include "tests/unit/oracle/calls.h"

namespace allprove::oracle {

inline std::vector<Reduction> element_reductions() {
  std::vector<Reduction> all;
  for (std::size_t d = 0; d < names_of<Dtype>().size(); ++d) {
    for (std::size_t o = 0; o < names_of<Op>().size(); ++o) {
      const auto dtype = static_cast<Dtype>(d);
      const auto op = static_cast<Op>(o);
      const auto traits = traits_of(dtype);
      const bool is_user = traits_of(op).kind == OpClass::user;
      if (!traits.runs || (traits.plain && !is_user) || op == Op::avg) continue;
      if (is_legal(op, dtype)) all.push_back({dtype, op});
    }
  }
  return all;
}

inline std::string name_of_parameter(const testing::TestParamInfo<Reduction>& test) {
  return fmt::format("{}_{}", name_of(test.param.dtype), name_of(test.param.op));
}

// Calls f<E>() with the type of the call's elements, or operands.
template <class F>
void for_elements_of(Reduction reduction, F&& f) {
  if (traits_of(reduction.op).kind == OpClass::user) {
    for_operand(reduction.dtype, reduction.op, f);
  } else {
    for_element(reduction.dtype, f);
  }
}

// So many elements, or operands.
inline Call element_call(Reduction reduction, Family family, int ranks, std::int64_t count,
                         std::uint64_t seed) {
  return call_with(reduction, family, ranks, count * width_of(reduction.op), seed);
}

template <class E>
std::vector<E> element_inputs(const Call& call, int position) {
  Oracle oracle;
  oracle.begin(call);
  std::vector<E> inputs(static_cast<std::size_t>(call.count / kElementsOf<E>));
  oracle.fill_input(position, reinterpret_cast<std::byte*>(inputs.data()));
  return inputs;
}

// By element the inputs of all positions.
template <class E>
std::vector<std::vector<E>> inputs_of_elements(const Call& call) {
  std::vector<std::vector<E>> by_element(static_cast<std::size_t>(call.count / kElementsOf<E>));
  for (std::size_t p = 0; p < call.ids.size(); ++p) {
    const auto inputs = element_inputs<E>(call, static_cast<int>(p));
    for (std::size_t i = 0; i < inputs.size(); ++i) by_element[i].push_back(inputs[i]);
  }
  return by_element;
}

// The operator as a library may apply it; `way` chooses among what it may do.
inline long double evaluated(Op op, long double a, long double b, std::uint64_t way) {
  if (op == Op::sum) return a + b;
  if (op == Op::prod) return a * b;
  if (way % 2 == 0) std::swap(a, b);
  return op == Op::min ? (a < b ? a : b) : (a > b ? a : b);
}
template <class R>
std::complex<R> evaluated(Op op, std::complex<R> a, std::complex<R> b, std::uint64_t way) {
  if (op == Op::sum) return {a.real() + b.real(), a.imag() + b.imag()};
  if (way % 2 == 0) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  return {std::fma(a.real(), b.real(), -(a.imag() * b.imag())),
          std::fma(a.real(), b.imag(), a.imag() * b.real())};
}
inline Boolean evaluated(Op op, Boolean a, Boolean b, std::uint64_t /*way*/) {
  if (op == Op::land) return {static_cast<std::uint8_t>(a.byte & b.byte)};
  if (op == Op::lor) return {static_cast<std::uint8_t>(a.byte | b.byte)};
  return {static_cast<std::uint8_t>(a.byte ^ b.byte)};
}
template <class V>
Pair<V> evaluated(Op op, Pair<V> a, Pair<V> b, std::uint64_t way) {
  if (way % 2 == 0) std::swap(a, b);
  if (a.value == b.value) return {a.value, std::min(a.index, b.index)};
  const bool first = op == Op::minloc ? a.value < b.value : a.value > b.value;
  return first ? a : b;
}
template <class T, int kElements>
Operand<T, kElements> evaluated(Op /*op*/, Operand<T, kElements> a, Operand<T, kElements> b,
                                std::uint64_t /*way*/) {
  combine_operands(a.elements, b.elements);
  return b;
}

// Along a random tree, in a random order where the operator lets one.
template <class E>
E evaluated_any_way(Op op, std::vector<E> values, RandomStream& random) {
  const bool reorders = traits_of(op).commutative;
  while (values.size() > 1) {
    const auto i = random.below(values.size() - 1);
    auto j = i + 1;
    if (reorders) std::swap(values[j], values[i + 1 + random.below(values.size() - 1 - i)]);
    values[i] = evaluated(op, values[i], values[j], random.next());
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(j));
  }
  return values.front();
}

template <class E>
std::vector<E> evaluated_any_way(const Call& call, RandomStream& random) {
  std::vector<E> output;
  for (const auto& inputs : inputs_of_elements<E>(call)) {
    output.push_back(evaluated_any_way(call.op, inputs, random));
  }
  return output;
}

// Bytes that hold nothing are filled with noise.
template <class E>
void spoil_padding(std::vector<E>& elements, std::byte noise) {
  for (E& element : elements) {
    E ones;
    std::memset(static_cast<void*>(&ones), 0xff, sizeof ones);
    auto image = image_of(element);
    const auto significant = image_of(ones);
    for (std::size_t i = 0; i < image.size(); ++i) {
      if (significant[i] == std::byte{0}) image[i] = noise;
    }
    std::memcpy(static_cast<void*>(&element), image.data(), image.size());
  }
}

}  // namespace allprove::oracle
