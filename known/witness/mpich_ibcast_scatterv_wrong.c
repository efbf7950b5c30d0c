// MPICH 4.0.x: MPI_Ibcast by tsp_scatterv_recexch_allgatherv leaves wrong data on every rank, the
// root included, when the root is not rank 0 and the ranks do not divide the count evenly.
//
//   mpicc -std=c11 mpich_ibcast_scatterv_wrong.c -o ibcast
//   export MPIR_CVAR_IBCAST_INTRA_ALGORITHM=tsp_scatterv_recexch_allgatherv
//   mpirun -n 2 ./ibcast
//
// Expected: 1 2 3 on every rank. Got: rank 1, the root, ends with a byte of rank 0's old buffer.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int root = size - 1;
  unsigned char data[3];
  for (int i = 0; i < 3; i++) data[i] = (unsigned char)(rank == root ? i + 1 : 90);

  MPI_Ibcast(data, 3, MPI_BYTE, root, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  for (int i = 0; i < 3; i++) wrong += data[i] != i + 1;
  printf("rank %d%s: %d %d %d\n", rank, rank == root ? " (root)" : "", data[0], data[1], data[2]);
  MPI_Finalize();
  return wrong != 0;
}
