// The operators, element by element.
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/model/dtype.h"

namespace allprove::reference {

// Whether combine() knows the operator on the type.
bool can_combine(Op op, Dtype dtype);

// accumulator[i] = accumulator[i] op operand[i]; unaligned if need be, not overlapping. Elements
// behind the last whole operand of a user-defined operator stay as they are.
void combine(Op op, Dtype dtype, std::byte* accumulator, const std::byte* operand,
             std::size_t count);

}  // namespace allprove::reference
