// Open MPI 4.1.x, coll/libnbc: a nonblocking all-to-all in place and another nonblocking collective
// on the same communicator, completed in the other order, hang.
//
//   mpicc -std=c11 openmpi_ialltoallv_in_place.c -o inplace && mpirun -n 4 ./inplace
//
// Expected: "done" on every rank. Got: a hang in the first MPI_Wait (ended here after 10 s).
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void late(int signal_number) {
  static const char kText[] = "hangs in MPI_Wait\n";
  (void)signal_number;
  if (write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) _exit(2);
  _exit(1);
}

int main(int argc, char** argv) {
  static const int kSizes[4] = {17, 13, 15, 0};
  static float data[256];
  static unsigned short input[513], output[513];
  int counts[4], places[4], rank, size, next = 0;
  MPI_Request exchange, reduction;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 4) return 2;
  for (int other = 0; other < size; other++) {
    const int low = rank < other ? rank : other, high = rank < other ? other : rank;
    counts[other] = kSizes[(low * size + high) % 4];  // as much one way as the other
    places[other] = next;
    next += counts[other];
  }
  signal(SIGALRM, late);
  alarm(10);
  MPI_Ialltoallv(MPI_IN_PLACE, counts, places, MPI_FLOAT, data, counts, places, MPI_FLOAT,
                 MPI_COMM_WORLD, &exchange);
  MPI_Iallreduce(input, output, 513, MPI_UNSIGNED_SHORT, MPI_MIN, MPI_COMM_WORLD, &reduction);
  MPI_Wait(&reduction, MPI_STATUS_IGNORE);
  MPI_Wait(&exchange, MPI_STATUS_IGNORE);
  printf("rank %d: done\n", rank);
  MPI_Finalize();
  return 0;
}
