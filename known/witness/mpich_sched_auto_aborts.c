// MPICH 4.0.x: the documented value "sched_auto" of MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM (also of
// the one for IBCAST and IBARRIER) aborts the process in the first nonblocking call.
//
//   mpicc -std=c11 mpich_sched_auto_aborts.c -o auto
//   MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM=sched_auto mpirun -n 2 ./auto
//
// Expected: "sum 1" and exit status 0. Got: "Assertion failed in file src/mpi/coll/mpir_coll.c".
// Exit status 1 (that of the library's abort) when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, sum = -1, value = 7;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return sum != size * (size - 1) / 2;
}
