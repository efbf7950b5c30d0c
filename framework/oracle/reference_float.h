// What any order of evaluation may make of floating-point inputs. Rules and sources:
// docs/semantics.md.
#pragma once

#include "framework/oracle/reference.h"

namespace allprove::oracle {

// Allows elements [offset, offset + inputs.count) what `op` over `inputs` may give.
template <class T>
void reduce_floats(Op op, const Inputs<T>& inputs, std::int64_t offset, Expectation<T>& to);

}  // namespace allprove::oracle
