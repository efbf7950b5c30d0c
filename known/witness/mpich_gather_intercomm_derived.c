// MPICH 4.0.x: a gather between two groups hangs where the ranks that give use a derived type.
//
//   mpicc -std=c11 mpich_gather_intercomm_derived.c -o gather && mpirun -n 3 ./gather
//
// Rank 2, alone in its group, gathers 1024 ints of ranks 0 and 1, which give them as one item of a
// contiguous type.
// Expected: "right", as with plain ints. Got: a hang (ended here after 10 s).
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { kInts = 1024, kRoot = 2 };

static void late(int signal_number) {
  static const char kText[] = "hangs in MPI_Gather\n";
  (void)signal_number;
  if (write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) _exit(2);
  _exit(1);
}

int main(int argc, char** argv) {
  static int own[kInts], all[kRoot * kInts];
  int rank, size, wrong = 0;
  MPI_Comm local, inter;
  MPI_Datatype block;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != kRoot + 1) return 2;
  MPI_Comm_split(MPI_COMM_WORLD, rank / kRoot, rank, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, rank < kRoot ? kRoot : 0, 0, &inter);
  MPI_Type_contiguous(kInts, MPI_INT, &block);
  MPI_Type_commit(&block);
  for (int i = 0; i < kInts; i++) own[i] = 10000 * rank + i;
  signal(SIGALRM, late);
  alarm(10);
  if (rank == kRoot) {
    MPI_Gather(NULL, 0, MPI_INT, all, kInts, MPI_INT, MPI_ROOT, inter);
    for (int i = 0; i < kRoot * kInts; i++) wrong += all[i] != 10000 * (i / kInts) + i % kInts;
    printf("%s\n", wrong ? "wrong data" : "right");
  } else {
    MPI_Gather(own, 1, block, NULL, 0, MPI_INT, 0, inter);
  }
  MPI_Finalize();
  return wrong != 0;
}
