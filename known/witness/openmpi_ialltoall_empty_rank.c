// Open MPI 4.1.x, coll/libnbc: after MPI_Ialltoallv in place on a communicator where one rank has
// no data, the next nonblocking collective on that communicator hangs.
//
//   mpicc -std=c11 openmpi_ialltoall_empty_rank.c -o empty && mpirun -n 4 ./empty
//
// Expected: "sum 6" and exit status 0. Got: a hang in the second MPI_Wait (ended here after 10 s).
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void late(int signal_number) {
  static const char kText[] = "hangs in MPI_Iallreduce\n";
  (void)signal_number;
  if (write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) _exit(2);
  _exit(1);
}

int main(int argc, char** argv) {
  int counts[4], places[4], data[16] = {0}, rank, size, sum = -1;
  MPI_Request request;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 4) return 2;
  for (int other = 0; other < size; other++) {
    counts[other] = rank == size - 1 || other == size - 1 ? 0 : 2;
    places[other] = 2 * other;
  }
  signal(SIGALRM, late);
  alarm(10);
  MPI_Ialltoallv(MPI_IN_PLACE, counts, places, MPI_INT, data, counts, places, MPI_INT,
                 MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return sum != 6;
}
