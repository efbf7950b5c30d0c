// MPICH 4.0.x: MPI_MIN and MPI_MAX leave different results on different ranks when the inputs
// compare equal or unordered: -0.0 against +0.0, or a NaN on one rank.
//
// The recursive doubling algorithms combine "mine op theirs" on one rank and "theirs op mine" on
// its partner; the operator is (a > b ? a : b), which is not commutative for such values.
//
//   mpicc -std=c11 mpich_minmax_disagree.c -o disagree && mpirun -n 2 ./disagree
//
// Expected: all ranks hold the same bits. Exit status 1 when the bug shows, 0 when it does not.
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// 1 when this rank's bits differ from those of rank 0 (moved by a broadcast), else 0.
static int differs(const char* what, double result, int rank) {
  uint64_t mine, first;
  double other;
  memcpy(&mine, &result, sizeof mine);
  first = mine;
  MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  memcpy(&other, &first, sizeof other);
  if (mine != first) printf("%s: rank %d has %g, rank 0 has %g\n", what, rank, result, other);
  return mine != first;
}

static int disagree(const char* what, MPI_Op op, double in, int rank) {
  double blocking = 7, nonblocking = 7;
  char text[64];
  MPI_Request request;
  MPI_Allreduce(&in, &blocking, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  MPI_Iallreduce(&in, &nonblocking, 1, MPI_DOUBLE, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  snprintf(text, sizeof text, "%s, blocking", what);
  int wrong = differs(text, blocking, rank);
  snprintf(text, sizeof text, "%s, nonblocking", what);
  return wrong + differs(text, nonblocking, rank);
}

int main(int argc, char** argv) {
  int rank, wrong = 0;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double zero = rank == 0 ? 0.0 : -0.0;
  const double nan_or_one = rank == 0 ? (double)NAN : 1.0;
  wrong += disagree("min of +0 and -0", MPI_MIN, zero, rank);
  wrong += disagree("max of +0 and -0", MPI_MAX, zero, rank);
  wrong += disagree("min of NaN and 1", MPI_MIN, nan_or_one, rank);
  wrong += disagree("max of NaN and 1", MPI_MAX, nan_or_one, rank);
  MPI_Finalize();
  return wrong != 0;
}
