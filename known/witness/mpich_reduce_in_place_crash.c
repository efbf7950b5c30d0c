// MPICH 4.0.x: MPI_Reduce in place crashes at a root other than 0 when the buffer has more than
// 2048 bytes.
//
//   mpicc -std=c11 mpich_reduce_in_place_crash.c -o reduce && mpirun -n 2 ./reduce
//
// Expected: "512 ok", "513 ok" and exit status 0. Got: "512 ok", and a SIGSEGV at address -1, which
// is MPI_IN_PLACE. Exit status not 0 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kCountMax = 513 };

int main(int argc, char** argv) {
  static int send[kCountMax], receive[kCountMax];
  int rank, size, wrong = 0;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int count = 512; count <= kCountMax; ++count) {
    for (int i = 0; i < count; ++i) send[i] = receive[i] = rank;
    MPI_Reduce(rank == 1 ? MPI_IN_PLACE : send, receive, count, MPI_INT, MPI_SUM, 1,
               MPI_COMM_WORLD);
    for (int i = 0; i < count && rank == 1; ++i) wrong |= receive[i] != size * (size - 1) / 2;
    if (rank == 1) printf("%d %s\n", count, wrong ? "wrong" : "ok");
    fflush(stdout);
  }
  MPI_Finalize();
  return wrong;
}
