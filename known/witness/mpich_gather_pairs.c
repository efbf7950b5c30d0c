// MPICH 4.0.x: gathers and scatters of large blocks of a pair type with padding fail with "message
// truncated" where ranks pass on the blocks of others.
//
// Every one of 4 ranks gives 344 MPI_DOUBLE_INT, and gets 710: 8256 and 17040 bytes without padding
// for two ranks.
//
//   mpicc -std=c11 mpich_gather_pairs.c -o pairs && mpirun -n 4 ./pairs
//
// Expected: MPI_Gather and MPI_Scatter return MPI_SUCCESS on every rank.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kGathered = 344, kScattered = 710, kRanks = 4 };

typedef struct {
  double value;
  int index;
} Pair;

static Pair mine[kScattered], all[kScattered * kRanks];

// On how many ranks the call failed.
static int failures(const char* call, int code, int rank) {
  int failed = code != MPI_SUCCESS, ranks = 0;
  MPI_Allreduce(&failed, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: fails on %d ranks\n", call, ranks);
  return ranks;
}

int main(int argc, char** argv) {
  int rank, size, failed = 0;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != kRanks) {
    if (rank == 0) fprintf(stderr, "run with 4 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  failed += failures("MPI_Gather",
                     MPI_Gather(mine, kGathered, MPI_DOUBLE_INT, all, kGathered, MPI_DOUBLE_INT, 0,
                                MPI_COMM_WORLD),
                     rank);
  failed += failures("MPI_Scatter",
                     MPI_Scatter(all, kScattered, MPI_DOUBLE_INT, mine, kScattered, MPI_DOUBLE_INT,
                                 0, MPI_COMM_WORLD),
                     rank);
  MPI_Finalize();
  return failed != 0;
}
