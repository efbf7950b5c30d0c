// The calls of MPI behind each collective, in its three modes.
#pragma once

#include <mpi.h>

#include <vector>

#include "framework/run/worker/backend.h"

namespace allprove {

// A call's arguments as MPI takes them. Lives until the call is completed: MPI may read the lists
// as long (4.0, 6.12).
struct MpiArguments {
  struct Side {
    void* buffer = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::vector<int> counts;
    std::vector<int> displacements;   // all_to_allw: in bytes
    std::vector<MPI_Aint> addresses;  // neighbor_all_to_allw: the same
    std::vector<MPI_Datatype> types;  // both
  };
  Side send;
  Side receive;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

// One row per collective that runs; a mode that the library lacks is null.
struct MpiCollective {
  Collective collective;
  int (*blocking)(const MpiArguments&);
  int (*nonblocking)(const MpiArguments&, MPI_Request*);
  int (*persistent)(const MpiArguments&, MPI_Request*);  // makes the request, inactive
};

// Null: not driven.
const MpiCollective* find_collective(Collective collective);

}  // namespace allprove
