// MPICH 4.0.x: a reduce-scatter by an operator that does not commute, of a type with room between
// its elements, overruns a buffer of the library's own.
//
// The type is an int64_t with as much room behind it; every rank gets 1000 of them.
//
//   mpicc -std=c11 mpich_reduce_scatter_operands.c -o operands && mpirun -n 2 ./operands
//
// Expected: it ends, with "right". Got: the process ends by a signal, or the heap is found damaged.
// Exit status 0 when the bug does not show.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kCount = 1000 };

static void take_second(void* first, void* second, int* count, MPI_Datatype* type) {
  (void)first, (void)second, (void)count, (void)type;
}

int main(int argc, char** argv) {
  int size;
  MPI_Op op;
  MPI_Datatype spaced;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op_create(take_second, 0, &op);
  MPI_Type_create_resized(MPI_INT64_T, 0, 2 * sizeof(int64_t), &spaced);
  MPI_Type_commit(&spaced);
  int64_t* in = calloc((size_t)(2 * kCount * size), sizeof *in);
  int64_t* out = calloc(2 * kCount, sizeof *out);
  for (int i = 0; i < 10; i++) {
    MPI_Reduce_scatter_block(in, out, kCount, spaced, op, MPI_COMM_WORLD);
  }
  free(in);
  free(out);
  MPI_Type_free(&spaced);
  MPI_Op_free(&op);
  MPI_Finalize();
  printf("right\n");
  return 0;
}
