// MPICH 4.0.x: a persistent allgather that is started a second time delivers no other rank's data.
//
//   mpicc -std=c11 mpich_allgather_restart.c -o allgather && mpirun -n 2 ./allgather
//
// Expected: "start 1: 10 11", "start 2: 20 21". Got: "start 2: 20 -1" on rank 0.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kRanksMax = 64 };

int main(int argc, char** argv) {
  int rank, size, in, out[kRanksMax], wrong = 0;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allgather_init(&in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int start = 1; start <= 2; ++start) {
    in = 10 * start + rank;
    for (int i = 0; i < size; ++i) out[i] = -1;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) printf("start %d:", start);
    for (int i = 0; i < size; ++i) {
      if (rank == 0) printf(" %d", out[i]);
      wrong |= out[i] != 10 * start + i;
    }
    if (rank == 0) printf("\n");
  }
  MPI_Request_free(&request);
  MPI_Finalize();
  return wrong;
}
