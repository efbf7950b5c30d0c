// MPICH 4.0.x: MPI_Iallreduce by recursive exchange in groups of more than two (k > 2) leaves
// different floating point sums on different ranks: each rank starts with its own value.
//
//   mpicc -std=c11 mpich_recexch_sum_disagree.c -o recexch
//   export MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM=tsp_recexch_single_buffer
//   export MPIR_CVAR_IALLREDUCE_RECEXCH_KVAL=3
//   mpirun -n 3 ./recexch
//
// Expected: the same sum on all ranks (0 or 1: which one depends on the order, and both are
// right). Got: 0 on one rank and 1 on another.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  static const double kInput[] = {1, 1e16, -1e16};
  int rank, size;
  double sum, first;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 3) {
    if (rank == 0) fprintf(stderr, "run with 3 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  MPI_Iallreduce(&kInput[rank], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  first = sum;
  MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const int wrong = sum > first || sum < first;
  if (wrong) printf("rank %d has %g, rank 0 has %g\n", rank, sum, first);
  MPI_Finalize();
  return wrong;
}
