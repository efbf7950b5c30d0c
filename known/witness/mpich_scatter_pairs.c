// MPICH 4.0.x: a scatter of large blocks of padded pairs fails with "message truncated" where the
// root is not rank 0.
//
//   mpicc -std=c11 mpich_scatter_pairs.c -o pairs && mpirun -n 2 ./pairs
//
// Rank 1 scatters 1400 pairs to each.
// Expected: MPI_Scatter returns MPI_SUCCESS, as it does with rank 0 for its root.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kPairs = 1400 };

typedef struct {
  const char* name;
  MPI_Datatype type;
} PairType;

static int fails(MPI_Datatype type, int root, int size) {
  MPI_Aint lower_bound, extent;
  MPI_Type_get_extent(type, &lower_bound, &extent);
  void* all = calloc((size_t)size * kPairs, (size_t)extent);
  void* own = calloc(kPairs, (size_t)extent);
  const int code =
      MPI_Scatter(all, kPairs, type, own, kPairs, type, root, MPI_COMM_WORLD) != MPI_SUCCESS;
  free(all);
  free(own);
  return code;
}

int main(int argc, char** argv) {
  int rank, size, failed = 0, any_failed = 0;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const PairType types[] = {{"MPI_DOUBLE_INT", MPI_DOUBLE_INT},
                            {"MPI_LONG_INT", MPI_LONG_INT},
                            {"MPI_SHORT_INT", MPI_SHORT_INT}};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    for (int root = 0; root < 2; ++root) {
      const int here = fails(types[i].type, root, size);
      if (here) printf("%s, root %d: fails on rank %d\n", types[i].name, root, rank);
      failed += here;
    }
  }
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return any_failed > 0;
}
