#include "backends/mpi/user_ops.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/mpi/vocabulary.h"
#include "framework/base/check.h"
#include "framework/model/user_operator.h"

namespace allprove {
namespace {

// All that MPI allows such a function to do about an error (4.0, 6.9.5).
void must(int code) {
  if (code != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, code);
}

int combiner_of(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  must(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  return combiner;
}

// Whether it is an element or an operand, which is some of them beside each other.
bool is_plain(MPI_Datatype type) {
  const int combiner = combiner_of(type);
  if (combiner == MPI_COMBINER_NAMED) return true;
  if (combiner != MPI_COMBINER_CONTIGUOUS) return false;
  int count = 0;
  MPI_Aint unused = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  must(MPI_Type_get_contents(type, 1, 0, 1, &count, &unused, &inner));
  const bool is_element = combiner_of(inner) == MPI_COMBINER_NAMED;
  if (!is_element) must(MPI_Type_free(&inner));
  return is_element;
}

// Items of a type whose elements lie apart, and the same elements beside each other.
struct Apart {
  Apart(int items, MPI_Datatype apart, MPI_Datatype element_type, std::int64_t element_count)
      : count(items),
        type(apart),
        element(element_type),
        elements(static_cast<int>(element_count)) {
    int bytes = 0;
    must(MPI_Pack_size(count, type, MPI_COMM_SELF, &bytes));
    packed.resize(static_cast<std::size_t>(bytes));
  }
  void gather(const void* from, std::vector<std::byte>& to) {
    convert(from, count, type, to.data(), elements, element);
  }
  void scatter(const std::vector<std::byte>& from, void* to) {
    convert(from.data(), elements, element, to, count, type);
  }

 private:
  void convert(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
               MPI_Datatype to_type) {
    const int room = static_cast<int>(packed.size());
    int end = 0;
    must(MPI_Pack(from, from_count, from_type, packed.data(), room, &end, MPI_COMM_SELF));
    int begin = 0;
    must(MPI_Unpack(packed.data(), end, &begin, to, to_count, to_type, MPI_COMM_SELF));
  }

  int count;
  MPI_Datatype type;
  MPI_Datatype element;
  int elements;
  std::vector<std::byte> packed;
};

template <Op op, Dtype dtype>
void combine(void* first, void* second, int* count, MPI_Datatype* type) {
  int item_bytes = 0;
  must(MPI_Type_size(*type, &item_bytes));
  const auto bytes = static_cast<std::size_t>(*count) * static_cast<std::size_t>(item_bytes);
  const auto elements = static_cast<std::int64_t>(bytes / size_of(dtype));
  if (elements == 0) return;  // Open MPI calls it all the same
  if (is_plain(*type)) {
    return combine_operands(op, dtype, static_cast<const std::byte*>(first),
                            static_cast<std::byte*>(second), elements);
  }
  Apart apart(*count, *type, mpi_type_of(dtype), elements);
  std::vector<std::byte> a(bytes);
  std::vector<std::byte> b(bytes);
  apart.gather(first, a);
  apart.gather(second, b);
  combine_operands(op, dtype, a.data(), b.data(), elements);
  apart.scatter(b, second);
}

template <Op op>
MPI_User_function* function_for(Dtype dtype) {
  switch (dtype) {
    case Dtype::int8:
      return combine<op, Dtype::int8>;
    case Dtype::int16:
      return combine<op, Dtype::int16>;
    case Dtype::int32:
      return combine<op, Dtype::int32>;
    case Dtype::int64:
      return combine<op, Dtype::int64>;
    case Dtype::uint8:
      return combine<op, Dtype::uint8>;
    case Dtype::uint16:
      return combine<op, Dtype::uint16>;
    case Dtype::uint32:
      return combine<op, Dtype::uint32>;
    case Dtype::uint64:
      return combine<op, Dtype::uint64>;
    case Dtype::aint:
      return combine<op, Dtype::aint>;
    case Dtype::offset:
      return combine<op, Dtype::offset>;
    case Dtype::count:
      return combine<op, Dtype::count>;
    default:
      return nullptr;
  }
}

MPI_User_function* function_for(Op op, Dtype dtype) {
  switch (op) {
    case Op::user_sum:
      return function_for<Op::user_sum>(dtype);
    case Op::user_affine:
      return function_for<Op::user_affine>(dtype);
    case Op::user_matrix:
      return function_for<Op::user_matrix>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace

int UserOperators::find(Op op, Dtype dtype, MPI_Op& found) {
  const auto kept = operators_.find({op, dtype});
  if (kept != operators_.end()) {
    found = kept->second.get();
    return MPI_SUCCESS;
  }
  auto* const function = function_for(op, dtype);
  ALLPROVE_CHECK(function != nullptr);  // validate() refuses it
  MPI_Op made = MPI_OP_NULL;
  const int code = MPI_Op_create(function, traits_of(op).commutative ? 1 : 0, &made);
  if (code != MPI_SUCCESS) return code;
  found = operators_.emplace(std::pair(op, dtype), OwnedOperator(made)).first->second.get();
  return MPI_SUCCESS;
}

int UserOperators::operand_type(Op op, Dtype dtype, MPI_Datatype& type) {
  const int width = width_of(op);
  type = mpi_type_of(dtype);
  if (width == 1) return MPI_SUCCESS;
  auto& kept = operands_[{width, dtype}];
  if (kept.get() == MPI_DATATYPE_NULL) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    int code = MPI_Type_contiguous(width, mpi_type_of(dtype), &made);
    if (code != MPI_SUCCESS) return code;
    DerivedType owned(made);
    code = MPI_Type_commit(&made);
    if (code != MPI_SUCCESS) return code;
    kept = std::move(owned);
  }
  type = kept.get();
  return MPI_SUCCESS;
}

void UserOperators::clear() {
  operators_.clear();
  operands_.clear();
}

}  // namespace allprove
