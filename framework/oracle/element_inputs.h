// Inputs of elements that are no plain numbers: the families of data.h, one element at a time.
#pragma once

#include "framework/oracle/elements.h"
#include "framework/oracle/input.h"

namespace allprove::oracle {

// What the source gives at an element of the operation, altered if it is that one.
template <class E>
E element_input(const Source& source, std::int64_t element);

// The operand of that index which the source gives: elements of the family that moved data has, as
// the operator needs them. Nothing is altered.
template <class T, int kElements>
void make_operand(const Source& source, std::int64_t index, Workspace& workspace,
                  Operand<T, kElements>& to);

// The unit of Data::scale: exact, and undone exactly.
template <class E>
E scaled_by(E element, int exponent);

}  // namespace allprove::oracle
