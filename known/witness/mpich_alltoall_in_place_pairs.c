// MPICH 4.0.x: all-to-alls in place of large blocks of a pair type with padding fail with "message
// truncated".
//
// Every rank exchanges 683 MPI_DOUBLE_INT with every other, in place: 8196 bytes without padding.
//
//   mpicc -std=c11 mpich_alltoall_in_place_pairs.c -o pairs && mpirun -n 2 ./pairs
//
// Expected: MPI_Alltoall returns MPI_SUCCESS, as it does for 682 of them.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  double value;
  int index;
} Pair;

int main(int argc, char** argv) {
  int rank, size, failed = 0;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int count = 682; count <= 683; count++) {
    Pair* pairs = calloc((size_t)count * (size_t)size, sizeof(Pair));
    const int code = MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, pairs, count, MPI_DOUBLE_INT,
                                  MPI_COMM_WORLD);
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
    failed += class == MPI_ERR_TRUNCATE;
    if (rank == 0) {
      printf("%d pairs: %s\n", count, class == MPI_SUCCESS ? "right" : "message truncated");
    }
    free(pairs);
  }
  MPI_Finalize();
  return failed != 0;
}
