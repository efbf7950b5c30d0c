// What a collective means: which positions give an input, which hold an output afterwards, and from
// whose inputs each output comes. A new collective is a row here.
#pragma once

#include <vector>

#include "framework/oracle/input.h"

namespace allprove::oracle {

bool gives_input(const Call& call, int position);
bool holds_output(const Call& call, int position);

// Element i of an output comes from element i of these sources: their reduction by `op`, or the one
// source itself where elements are only moved.
struct Question {
  std::vector<Source> sources;
  Op op = Op::sum;
  bool reduces = true;
  int divisor = 1;  // the caller divides the result by it

  // Whether the sources differ in nothing but their ids, so that closed forms speak of them.
  bool uniform() const;
};

// Position p gives its input of calls[p]; all of one collective.
Question question_of(std::span<const Call> calls, int position);
// The same where all positions make the same call.
void ask(const Call& call, int position, Question& question);

}  // namespace allprove::oracle
