// The vocabulary of cases in MPI's own words: one table per enum. No calls here.
#pragma once

#include <mpi.h>

#include "framework/model/dtype.h"

namespace allprove {

// MPI_DATATYPE_NULL where MPI has no such type.
MPI_Datatype mpi_type_of(Dtype dtype);

// MPI_OP_NULL where MPI has no such predefined operator.
MPI_Op mpi_op_of(Op op);

}  // namespace allprove
