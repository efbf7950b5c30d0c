// The Oracle's work for one data type at a time.
#pragma once

#include <memory>

#include "framework/oracle/oracle.h"

namespace allprove::oracle {

// The functions are those of Oracle. The call outlives its use.
class TypedOracle {
 public:
  virtual ~TypedOracle() = default;
  virtual void begin(const Call& call) = 0;
  virtual void fill_input(int position, std::byte* to) = 0;
  virtual void judge_output(int position, const std::byte* output, std::byte before,
                            Evidence& evidence) = 0;
  virtual void judge_input(int position, const std::byte* input, Evidence& evidence) = 0;
};

// For calls of the same dtype and, where they have one, the same user-defined operator.
std::unique_ptr<TypedOracle> make_typed_oracle(const Call& call);

// Of an output in which nothing wrong has been seen yet.
void begin_evidence(const Call& call, Evidence& evidence);

}  // namespace allprove::oracle
