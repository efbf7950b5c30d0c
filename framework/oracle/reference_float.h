// What any order of evaluation may make of floating-point inputs. Rules and sources:
// docs/semantics.md.
#pragma once

#include "framework/oracle/reference.h"

namespace allprove::oracle {

// What is known of all inputs of a block beforehand, and spares looking for it.
struct Nature {
  bool finite = false;    // no NaN, no infinity, no zero
  bool inexact = false;   // results are rounded at practically every element
  bool integers = false;  // some ranks give small integers
};

// Allows elements [offset, offset + inputs.count) what `op` over `inputs` may give.
template <class T>
void reduce_floats(Op op, const Inputs<T>& inputs, Nature nature, std::int64_t offset,
                   Expectation<T>& to);

}  // namespace allprove::oracle
