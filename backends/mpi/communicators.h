// The communicators of a case's groups.
#pragma once

#include <mpi.h>

#include <vector>

#include "framework/model/case.h"

namespace allprove {

struct MadeCommunicator {
  MPI_Comm handle = MPI_COMM_NULL;  // MPI_COMM_NULL on ranks that are in none of the group's parts
  // World ranks by their position in it, where the library was free to choose; else empty.
  std::vector<int> members;
};

// Makes a communicator of the group; `rank` is the caller's in MPI_COMM_WORLD. To be called by all
// ranks of the world. Returns MPI's error code. The caller frees the handle.
int make_communicator(const Case& test_case, int group, int rank, MadeCommunicator& made);

}  // namespace allprove
