// The user-defined operators of the vocabulary (framework/model/user_operator.h) as operators of
// MPI. Calls MPI: between its initialisation and its end.
//
// A function of MPI's gets the data type but nothing of its maker's. So there is one for every
// operator and type of elements, and how the elements lie is asked of the handle: no state is
// shared.
#pragma once

#include <mpi.h>

#include <map>
#include <utility>

#include "backends/mpi/derived_type.h"
#include "framework/model/dtype.h"

namespace allprove {

// Owns an operator that is not a predefined one.
class OwnedOperator {
 public:
  OwnedOperator() = default;
  explicit OwnedOperator(MPI_Op owned) : handle_(owned) {}
  OwnedOperator(OwnedOperator&& other) noexcept
      : handle_(std::exchange(other.handle_, MPI_OP_NULL)) {}
  OwnedOperator& operator=(OwnedOperator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  OwnedOperator(const OwnedOperator&) = delete;
  OwnedOperator& operator=(const OwnedOperator&) = delete;
  ~OwnedOperator() {
    if (handle_ != MPI_OP_NULL) MPI_Op_free(&handle_);
  }

  MPI_Op get() const { return handle_; }

 private:
  MPI_Op handle_ = MPI_OP_NULL;
};

// Each is made at its first use and kept. Must be cleared or gone before MPI ends. Not thread-safe.
class UserOperators {
 public:
  // The operator on elements of the dtype, for data of its operands' type or of layouts made of
  // that. Returns MPI's code.
  int find(Op op, Dtype dtype, MPI_Op& found);

  // The type of one operand: width_of(op) elements beside each other. A call's count is its
  // elements divided by the width; a layout is made of operands as of elements of a basic type.
  int operand_type(Op op, Dtype dtype, MPI_Datatype& type);

  void clear();

 private:
  std::map<std::pair<Op, Dtype>, OwnedOperator> operators_;
  std::map<std::pair<int, Dtype>, DerivedType> operands_;  // by width
};

}  // namespace allprove
