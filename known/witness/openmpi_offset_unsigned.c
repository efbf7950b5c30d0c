// Open MPI 4.1.x: MPI_MIN and MPI_MAX compare MPI_OFFSET, a signed type, as if it were unsigned.
//
// Rank 0 gives -1, every other rank gives 1. MPI_AINT and MPI_COUNT are right.
//
//   mpicc -std=c11 openmpi_offset_unsigned.c -o offset && mpirun -n 2 ./offset
//
// Expected: min -1 and max 1. Got: min 1 and max -1.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Offset in, min = 0, max = 0;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  in = rank == 0 ? -1 : 1;
  MPI_Allreduce(&in, &min, 1, MPI_OFFSET, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&in, &max, 1, MPI_OFFSET, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("min %lld max %lld\n", (long long)min, (long long)max);
  MPI_Finalize();
  return min != -1 || max != 1;
}
