// Open MPI 4.1.x: a vector of single bytes with a stride of -1 byte gets the stride +1, so that it
// reads and writes the bytes behind its first element instead of those before it.
//
//   mpicc -std=c11 openmpi_vector_stride_minus_one.c -o stride && mpirun -n 2 ./stride
//
// Expected: "lower bound -3, got 4 3 2 1". Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank;
  const int8_t buffer[7] = {1, 2, 3, 4, 5, 6, 7};
  int8_t got[4] = {0};
  MPI_Datatype backwards;
  MPI_Aint lower_bound, extent;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(4, 1, -1, MPI_INT8_T, &backwards);
  MPI_Type_commit(&backwards);
  MPI_Type_get_extent(backwards, &lower_bound, &extent);
  MPI_Sendrecv(&buffer[3], 1, backwards, rank, 0, got, 4, MPI_INT8_T, rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&backwards);
  if (rank == 0) {
    printf("lower bound %ld, got %d %d %d %d\n", (long)lower_bound, got[0], got[1], got[2], got[3]);
  }
  MPI_Finalize();
  return lower_bound != -3 || got[0] != 4 || got[1] != 3 || got[2] != 2 || got[3] != 1;
}
