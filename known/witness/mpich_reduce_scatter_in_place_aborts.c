// MPICH 4.0.x: MPI_Reduce_scatter in place aborts when the blocks have 512 KiB or more in all and
// one but the first is longer than all before it together.
//
//   mpicc -std=c11 mpich_reduce_scatter_in_place_aborts.c -o reduce_scatter
//   mpirun -n 2 ./reduce_scatter
//
// Expected: "131071 ok", "131072 ok" and exit status 0. Got: "131071 ok", and "Assertion failed in
// file src/mpi/datatype/typerep/src/typerep_yaksa_pack.c: memcpy argument memory ranges overlap".
// Exit status 1 (that of the library's abort) when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kRanksMax = 64, kCountMax = 131072 };

int main(int argc, char** argv) {
  static int data[kCountMax];
  int rank, size, wrong = 0, counts[kRanksMax] = {0};

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int count = kCountMax - 1; count <= kCountMax; ++count) {
    counts[0] = 1;
    counts[1] = count - 1;
    for (int i = 0; i < count; ++i) data[i] = rank;
    MPI_Reduce_scatter(MPI_IN_PLACE, data, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < counts[rank]; ++i) wrong |= data[i] != size * (size - 1) / 2;
    if (rank == 1) printf("%d %s\n", count, wrong ? "wrong" : "ok");
    fflush(stdout);
  }
  MPI_Finalize();
  return wrong;
}
