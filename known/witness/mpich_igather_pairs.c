// MPICH 4.0.2: MPI_Igather and MPI_Gather_init of large blocks of padded pairs lose the last pairs
// of a block.
//
//   mpicc -std=c11 mpich_igather_pairs.c -o pairs && mpirun -n 4 ./pairs
//
// Rank 2 passes on the block of rank 3.
// Expected: all pairs arrive. Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define RANKS 4
#define PAIRS 344

typedef struct {
  double value;
  int index;
} Pair;

static void fill(Pair* pairs, int count, int index) {
  for (int i = 0; i < count; i++) {
    pairs[i].value = i;
    pairs[i].index = index;
  }
}

// Pairs that are not as fill() left them with this index.
static int lost(const char* call, const Pair* pairs, int index) {
  int missing = 0;
  for (int i = 0; i < PAIRS; i++) missing += pairs[i].value != i || pairs[i].index != index;
  printf("%s: %d of %d pairs are lost: %s\n", call, missing, PAIRS, missing ? "WRONG" : "right");
  return missing;
}

int main(int argc, char** argv) {
  static Pair all[RANKS * PAIRS], own[PAIRS];
  int rank, size, wrong = 0, any_wrong = 0;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != RANKS) {
    if (rank == 0) fprintf(stderr, "run with 4 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int persistent = 0; persistent < 2; persistent++) {
    fill(all, RANKS * PAIRS, -1);
    fill(own, PAIRS, rank);
    if (persistent) {
      MPI_Gather_init(own, PAIRS, MPI_DOUBLE_INT, all, PAIRS, MPI_DOUBLE_INT, 0, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &request);
      MPI_Start(&request);
    } else {
      MPI_Igather(own, PAIRS, MPI_DOUBLE_INT, all, PAIRS, MPI_DOUBLE_INT, 0, MPI_COMM_WORLD,
                  &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int from = 0; rank == 0 && from < RANKS; from++) {
      wrong += lost(persistent ? "MPI_Gather_init" : "MPI_Igather", all + from * PAIRS, from);
    }
  }
  MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return any_wrong != 0;
}
