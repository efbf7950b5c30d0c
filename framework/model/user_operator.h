// The user-defined operators of a case: all exact modulo 2^w, so that their order alone decides.
// An operand is width_of(op) elements that lie beside each other. The first of two operands comes
// from the lower position, the second becomes the result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "framework/model/collective.h"
#include "framework/model/dtype.h"

namespace allprove {

// Whether the call combines operands by a user-defined operator.
bool has_user_operator(Collective collective, Op op);

// Elements of what the call works on as one: of an operand, where it has such an operator.
int width_of(Collective collective, Op op);

// Integers to compute in: unsigned ones wrap, and narrow ones would be promoted to a signed int.
template <class T>
using Modular = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;

// user_sum.
template <class T>
void combine_operands(const std::array<T, 1>& first, std::array<T, 1>& second) {
  using M = Modular<T>;
  second[0] = static_cast<T>(static_cast<M>(first[0]) + static_cast<M>(second[0]));
}

// user_affine: (a, b) is the map x -> a x + b; the first is applied first.
template <class T>
void combine_operands(const std::array<T, 2>& first, std::array<T, 2>& second) {
  using M = Modular<T>;
  const M a = static_cast<M>(second[0]);
  const M b = static_cast<M>(second[1]);
  second[0] = static_cast<T>(a * static_cast<M>(first[0]));
  second[1] = static_cast<T>(a * static_cast<M>(first[1]) + b);
}

// user_matrix: the product of two matrices of 2 by 2, row by row.
template <class T>
void combine_operands(const std::array<T, 4>& first, std::array<T, 4>& second) {
  using M = Modular<T>;
  const auto entry = [&](std::size_t row, std::size_t column) {
    return static_cast<T>(static_cast<M>(first[row]) * static_cast<M>(second[column]) +
                          static_cast<M>(first[row + 1]) * static_cast<M>(second[column + 2]));
  };
  second = {entry(0, 0), entry(0, 1), entry(2, 0), entry(2, 1)};
}

// The same for `elements` of each, unaligned if need be: a multiple of the width.
void combine_operands(Op op, Dtype dtype, const std::byte* first, std::byte* second,
                      std::int64_t elements);

}  // namespace allprove
