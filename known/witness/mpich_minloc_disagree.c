// MPICH 4.0.x: MPI_MINLOC and MPI_MAXLOC leave different pairs on different ranks when a value is a
// NaN; MPI_MIN and MPI_MAX of long double do so too (mpich_minmax_disagree.c has the other types).
//
// Rank 0 gives (NaN, 0), every other rank (1, rank).
//
//   mpicc -std=c11 mpich_minloc_disagree.c -o disagree && mpirun -n 2 ./disagree
//
// Expected: all ranks hold the same pair. Exit status 1 when the bug shows, 0 when it does not.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
  double value;
  int index;
} Pair;

// Whether the ranks hold pairs of different indices.
static int differs(const char* what, int index, int rank) {
  int least = 0, greatest = 0;
  MPI_Allreduce(&index, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&index, &greatest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && least != greatest) {
    printf("%s: %d on some rank, %d on another\n", what, least, greatest);
  }
  return least != greatest;
}

int main(int argc, char** argv) {
  int rank, wrong = 0;
  Pair in, least, greatest;
  long double number, smallest;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  in = (Pair){rank == 0 ? (double)NAN : 1, rank};
  number = in.value;

  MPI_Allreduce(&in, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  wrong += differs("index of the least, blocking", least.index, rank);
  MPI_Iallreduce(&in, &greatest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong += differs("index of the greatest, nonblocking", greatest.index, rank);
  MPI_Allreduce(&number, &smallest, 1, MPI_LONG_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  wrong += differs("the least long double is a NaN, blocking", isnan(smallest) != 0, rank);
  MPI_Finalize();
  return wrong != 0;
}
