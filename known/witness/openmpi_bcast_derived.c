// Open MPI 4.1.x, coll/tuned: MPI_Bcast by scatter and all-gather splits the buffer by its count,
// but counts may differ from rank to rank where the type signatures match.
//
// Odd ranks receive one item of a contiguous type of three ints, the others three ints.
//
//   mpicc -std=c11 openmpi_bcast_derived.c -o bcast
//   mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_bcast_algorithm 8 -n 3 ./bcast
//
// Expected: "1 2 3" on every rank. Got: other data, or a hang (ended here after 10 s).
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void late(int signal_number) {
  static const char kText[] = "hangs in MPI_Bcast\n";
  (void)signal_number;
  if (write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) _exit(2);
  _exit(1);
}

int main(int argc, char** argv) {
  int data[3] = {0, 0, 0}, rank, wrong;
  MPI_Datatype three;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Type_commit(&three);
  for (int i = 0; rank == 0 && i < 3; i++) data[i] = i + 1;
  signal(SIGALRM, late);
  alarm(10);
  if (rank % 2 == 1) {
    MPI_Bcast(data, 1, three, 0, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(data, 3, MPI_INT, 0, MPI_COMM_WORLD);
  }
  printf("rank %d: %d %d %d\n", rank, data[0], data[1], data[2]);
  wrong = data[0] != 1 || data[1] != 2 || data[2] != 3;
  MPI_Type_free(&three);
  MPI_Finalize();
  return wrong;
}
