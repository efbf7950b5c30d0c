// MPICH 4.0.x: a persistent scatter that is started a second time delivers nothing.
//
//   mpicc -std=c11 mpich_scatter_restart.c -o scatter && mpirun -n 2 ./scatter
//
// Expected: "start 1: rank 1 has 11", "start 2: rank 1 has 21". Got: "start 2: rank 1 has -1". With
// more ranks MPI_Wait returns an error ("Invalid communicator") or the program crashes.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kRanksMax = 64 };

int main(int argc, char** argv) {
  int rank, size, in[kRanksMax], out, wrong = 0;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Scatter_init(in, 1, MPI_INT, &out, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int start = 1; start <= 2; ++start) {
    for (int i = 0; i < size; ++i) in[i] = 10 * start + i;
    out = -1;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) printf("start %d: rank 1 has %d\n", start, out);
    wrong |= out != 10 * start + rank;
  }
  MPI_Request_free(&request);
  MPI_Finalize();
  return wrong;
}
