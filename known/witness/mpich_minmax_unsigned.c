// MPICH 4.0.x: MPI_MIN and MPI_MAX compare unsigned integers as if they were signed.
//
// Rank 0 gives 1, every other rank gives the largest value of the type.
//
//   mpicc -std=c11 mpich_minmax_unsigned.c -o minmax && mpirun -n 2 ./minmax
//
// Expected: min 1 and max 255 (65535, ...). Got: min 255 and max 1.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

// Reduces 1 (rank 0) and the type's largest value (others); tells whether min and max are wrong.
#define WRONG(type, mpi_type)                                                                \
  wrong_minmax(#mpi_type, mpi_type, sizeof(type), &(type){1}, &(type){(type)-1}, &(type){0}, \
               &(type){0}, rank)

static uint64_t widen(const void* value, size_t bytes) {
  return bytes == 1   ? *(const uint8_t*)value
         : bytes == 2 ? *(const uint16_t*)value
         : bytes == 4 ? *(const uint32_t*)value
                      : *(const uint64_t*)value;
}

static int wrong_minmax(const char* name, MPI_Datatype type, size_t bytes, const void* one,
                        const void* largest, void* min, void* max, int rank) {
  const void* in = rank == 0 ? one : largest;
  MPI_Allreduce(in, min, 1, type, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(in, max, 1, type, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s: min %llu max %llu\n", name, (unsigned long long)widen(min, bytes),
           (unsigned long long)widen(max, bytes));
  }
  return widen(min, bytes) != widen(one, bytes) || widen(max, bytes) != widen(largest, bytes);
}

int main(int argc, char** argv) {
  int rank, wrong = 0;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  wrong += WRONG(uint8_t, MPI_UINT8_T);
  wrong += WRONG(uint16_t, MPI_UINT16_T);
  wrong += WRONG(uint32_t, MPI_UINT32_T);
  wrong += WRONG(uint64_t, MPI_UINT64_T);
  MPI_Finalize();
  return wrong != 0;
}
