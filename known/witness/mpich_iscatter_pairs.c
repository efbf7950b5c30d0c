// MPICH 4.0.x: nonblocking and persistent scatters of large blocks of padded pairs lose the last
// pairs of a block where the root is not rank 0.
//
//   mpicc -std=c11 mpich_iscatter_pairs.c -o pairs && mpirun -n 2 ./pairs
//
// Rank 1 scatters 688 pairs to each.
// Expected: all pairs arrive. Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kPairs = 688, kRanks = 2, kRoot = 1 };

typedef struct {
  long value;
  int index;
} Pair;

int main(int argc, char** argv) {
  static Pair all[kRanks * kPairs], own[kPairs];
  int rank, size, lost = 0;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != kRanks) return 2;
  for (int i = 0; i < kRanks * kPairs; ++i) all[i] = (Pair){i, i / kPairs + 1};
  for (int persistent = 0; persistent < 2; ++persistent) {
    for (int i = 0; i < kPairs; ++i) own[i] = (Pair){-1, -1};
    if (persistent) {
      MPI_Scatter_init(all, kPairs, MPI_LONG_INT, own, kPairs, MPI_LONG_INT, kRoot, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request);
      MPI_Start(&request);
    } else {
      MPI_Iscatter(all, kPairs, MPI_LONG_INT, own, kPairs, MPI_LONG_INT, kRoot, MPI_COMM_WORLD,
                   &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < kPairs; ++i) {
      lost += own[i].value != rank * kPairs + i || own[i].index != rank + 1;
    }
  }
  printf("rank %d: %d pairs are lost\n", rank, lost);
  MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return lost > 0;
}
