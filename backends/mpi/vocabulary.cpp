#include "backends/mpi/vocabulary.h"

#include <array>

namespace allprove {

// Tables inside functions: the handles of Open MPI are addresses, known at load time only.
MPI_Datatype mpi_type_of(Dtype dtype) {
  static const std::array<MPI_Datatype, enum_names(Dtype{}).size()> table = {
      MPI_INT8_T,
      MPI_INT16_T,
      MPI_INT32_T,
      MPI_INT64_T,
      MPI_UINT8_T,
      MPI_UINT16_T,
      MPI_UINT32_T,
      MPI_UINT64_T,
      MPI_FLOAT,
      MPI_DOUBLE,
      MPI_DATATYPE_NULL,  // float16
      MPI_DATATYPE_NULL,  // bfloat16
      MPI_DATATYPE_NULL,  // float8_e4m3
      MPI_DATATYPE_NULL,  // float8_e5m2
      MPI_LONG_DOUBLE,
      MPI_C_FLOAT_COMPLEX,
      MPI_C_DOUBLE_COMPLEX,
      MPI_C_BOOL,
      MPI_BYTE,
      MPI_AINT,
      MPI_OFFSET,
      MPI_COUNT,
      MPI_FLOAT_INT,
      MPI_DOUBLE_INT,
      MPI_LONG_INT,
      MPI_2INT,
      MPI_SHORT_INT,
      MPI_LONG_DOUBLE_INT,
  };
  return table[static_cast<std::size_t>(dtype)];
}

MPI_Op mpi_op_of(Op op) {
  static const std::array<MPI_Op, enum_names(Op{}).size()> table = {
      MPI_SUM,     MPI_PROD, MPI_MIN, MPI_MAX,  MPI_BAND,   MPI_BOR,
      MPI_BXOR,    MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC,
      MPI_OP_NULL,  // avg
      MPI_OP_NULL,  // user_sum
      MPI_OP_NULL,  // user_affine
      MPI_OP_NULL,  // user_matrix
  };
  return table[static_cast<std::size_t>(op)];
}

}  // namespace allprove
