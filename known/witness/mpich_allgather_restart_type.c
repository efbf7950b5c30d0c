// MPICH 4.0.x: every start of a persistent allgather but the first gives up a reference to its
// receive type, until the type is gone.
//
//   mpicc -std=c11 mpich_allgather_restart_type.c -o type && mpirun -n 1 ./type
//
// Expected: "8 starts" and exit status 0. Got: an abort, "Assertion failed in file
// src/mpid/common/sched/mpidu_sched.c ... ref_count >= 0" or one about the type's own memory.
// Exit status not 0 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kRanksMax = 64, kStarts = 8 };

int main(int argc, char** argv) {
  static int send[3], receive[3 * kRanksMax];
  MPI_Datatype type;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Allgather_init(send, 1, type, receive, 1, type, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int start = 0; start < kStarts; ++start) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Type_free(&type);
  printf("%d starts\n", kStarts);
  MPI_Finalize();
  return 0;
}
