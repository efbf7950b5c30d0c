// Open MPI 4.1.x: the all-reduce algorithms ring and segmented_ring, and the nonblocking ring and
// rabenseifner, combine the operands of an operator that does not commute in another order than
// that of the ranks, instead of leaving the call to another algorithm.
//
// The operands are maps x -> a x + b, composed in the order of the ranks. Rank r gives
// x -> 3 x + r + 1 in every element.
//
//   mpicc -std=c11 openmpi_allreduce_reorders.c -o reorders
//   export OMPI_MCA_coll_tuned_use_dynamic_rules=1
//   export OMPI_MCA_coll_tuned_allreduce_algorithm=4      (ring; 5: segmented_ring)
//   export OMPI_MCA_coll_libnbc_iallreduce_algorithm=3    (rabenseifner; 1: ring)
//   mpirun -n 2 ./reorders
//
// Expected: (9, 5) in every element. Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kCount = 16 };

typedef struct {
  int a, b;
} Map;

static void compose(void* first, void* second, int* count, MPI_Datatype* type) {
  const Map* before = first;
  Map* after = second;
  (void)type;
  for (int i = 0; i < *count; i++) {
    after[i].b += after[i].a * before[i].b;
    after[i].a *= before[i].a;
  }
}

static int wrong_in(const char* call, const Map* maps, int rank) {
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += maps[i].a != 9 || maps[i].b != 5;
  if (rank == 0) {
    printf("%s: %d of %d are wrong, the last is (%d, %d)\n", call, wrong, kCount,
           maps[kCount - 1].a, maps[kCount - 1].b);
  }
  return wrong;
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  Map in[kCount], out[kCount];
  MPI_Op op;
  MPI_Datatype map;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "run with 2 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Op_create(compose, 0, &op);
  MPI_Type_contiguous(2, MPI_INT, &map);
  MPI_Type_commit(&map);
  for (int i = 0; i < kCount; i++) in[i] = (Map){3, rank + 1};

  MPI_Allreduce(in, out, kCount, map, op, MPI_COMM_WORLD);
  wrong += wrong_in("MPI_Allreduce", out, rank);
  MPI_Iallreduce(in, out, kCount, map, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong += wrong_in("MPI_Iallreduce", out, rank);

  MPI_Type_free(&map);
  MPI_Op_free(&op);
  MPI_Finalize();
  return wrong != 0;
}
