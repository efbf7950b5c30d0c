// Open MPI 4.1.x, coll/libnbc: freeing a communicator while a nonblocking all-reduce on it is
// pending crashes the process in MPI_Wait. MPI says that the pending operation completes normally.
//
//   mpicc -std=c11 openmpi_comm_free_pending.c -o free && mpirun -n 2 ./free
//
// Expected: "sum 1" and exit status 0. Got: SIGSEGV in MPI_Wait on at least one rank.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void crashed(int signal_number) {
  static const char kText[] = "crashed in MPI_Wait\n";
  (void)signal_number;
  if (write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) _exit(2);
  _exit(1);
}

int main(int argc, char** argv) {
  int rank, size, sum = -1, wrong = 0;

  alarm(20);
  MPI_Init(&argc, &argv);
  signal(SIGSEGV, crashed);
  signal(SIGABRT, crashed);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  for (int i = 0; i < 100; i++) {
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) usleep(1000);  // the others reach MPI_Wait with the operation still pending
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy, &request);
    MPI_Comm_free(&copy);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += sum != size * (size - 1) / 2;
  }
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return wrong != 0;
}
