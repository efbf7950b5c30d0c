// MPICH 4.0.x: nonblocking and persistent all-to-alls in place lose the last pairs of a large block
// where the pair type has padding, without an error.
//
// Every rank exchanges 700 pairs with every other, in place.
//
//   mpicc -std=c11 mpich_ialltoall_in_place_pairs.c -o pairs && mpirun -n 2 ./pairs
//
// Expected: every index that arrives is that of the sender. Got: from about 8 KiB on, the last ones
// of each block are as they were.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kPairs = 700 };

typedef struct {
  const char* name;
  MPI_Datatype type;
  size_t index_at;  // bytes
} PairType;

static int exchange(char* pairs, MPI_Datatype type, int persistent) {
  MPI_Request request;
  if (persistent) {
    MPI_Alltoall_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, pairs, kPairs, type, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &request);
    MPI_Start(&request);
  } else {
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, pairs, kPairs, type, MPI_COMM_WORLD,
                  &request);
  }
  const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (persistent) MPI_Request_free(&request);
  return code;
}

static int count_wrong(const PairType* pair, int persistent, int rank, int size) {
  MPI_Aint lower_bound, extent;
  int wrong = 0;
  MPI_Type_get_extent(pair->type, &lower_bound, &extent);
  char* pairs = calloc((size_t)size * kPairs, (size_t)extent);
  for (int i = 0; i < size * kPairs; ++i) {
    memcpy(pairs + i * extent + pair->index_at, &rank, sizeof rank);
  }
  exchange(pairs, pair->type, persistent);
  for (int i = 0; i < size * kPairs; ++i) {
    int index;
    memcpy(&index, pairs + i * extent + pair->index_at, sizeof index);
    wrong += index != i / kPairs;
  }
  free(pairs);
  return wrong;
}

int main(int argc, char** argv) {
  int rank, size, failed = 0;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const PairType types[] = {{"MPI_FLOAT_INT", MPI_FLOAT_INT, 4},
                            {"MPI_DOUBLE_INT", MPI_DOUBLE_INT, 8},
                            {"MPI_LONG_INT", MPI_LONG_INT, 8},
                            {"MPI_SHORT_INT", MPI_SHORT_INT, 4},
                            {"MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, 16}};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    for (int persistent = 0; persistent < 2; ++persistent) {
      const int wrong = count_wrong(&types[i], persistent, rank, size);
      failed += wrong > 0;
      if (rank == 0) {
        printf("%s %s: %d indices wrong\n", persistent ? "persistent" : "nonblocking",
               types[i].name, wrong);
      }
    }
  }
  MPI_Finalize();
  return failed != 0;
}
