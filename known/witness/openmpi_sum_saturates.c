// Open MPI 4.1.x, op/avx: MPI_SUM of 8 and 16 bit integers saturates in the vector part of a
// buffer and wraps in the rest, so that equal inputs give different sums in one result.
//
// Rank 0 gives 100, rank 1 gives 100, rank 2 gives -100 in every element (int8_t). The sum is 100,
// which int8_t holds; the vector code says 127 + -100 = 27.
//
//   mpicc -std=c11 openmpi_sum_saturates.c -o sum && mpirun -n 3 ./sum
//
// Expected: every element is 100. Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { kCount = 70 };

int main(int argc, char** argv) {
  static const int8_t kInput[] = {100, 100, -100};
  int rank, size, saturated = 0, wrapped = 0;
  int8_t in[kCount], out[kCount] = {0};

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 3) {
    if (rank == 0) fprintf(stderr, "run with 3 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  for (int i = 0; i < kCount; i++) in[i] = kInput[rank];
  MPI_Allreduce(in, out, kCount, MPI_INT8_T, MPI_SUM, MPI_COMM_WORLD);

  for (int i = 0; i < kCount; i++) {
    saturated += out[i] != 100;
    wrapped += out[i] == 100;
  }
  if (rank == 0) {
    printf("100 + 100 - 100 as int8_t: %d elements are 100, %d are not (first: %d, last: %d)\n",
           wrapped, saturated, out[0], out[kCount - 1]);
  }
  MPI_Finalize();
  return saturated != 0;
}
