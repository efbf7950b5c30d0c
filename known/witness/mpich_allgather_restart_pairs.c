// MPICH 4.0.x: every start of a persistent allgather but the first gives up a reference to its
// receive type, and so to the library's own pair types, until they are gone.
//
//   mpicc -std=c11 mpich_allgather_restart_pairs.c -o pairs && mpirun -n 1 ./pairs
//
// Expected: "8 starts" and exit status 0. Got: an abort with "Internal error". MPI_2INT is right.
// Exit status not 0 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kRanksMax = 64, kStarts = 8 };

typedef struct {
  float value;
  int index;
} Pair;

int main(int argc, char** argv) {
  static Pair send, receive[kRanksMax];
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Allgather_init(&send, 1, MPI_FLOAT_INT, receive, 1, MPI_FLOAT_INT, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &request);
  for (int start = 0; start < kStarts; ++start) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  printf("%d starts\n", kStarts);
  MPI_Finalize();
  return 0;
}
