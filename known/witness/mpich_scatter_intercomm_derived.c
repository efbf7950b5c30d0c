// MPICH 4.0.x: a scatter between two groups leaves wrong data or does not end where the root uses a
// derived type and the others do not.
//
//   mpicc -std=c11 mpich_scatter_intercomm_derived.c -o scatter && mpirun -n 3 ./scatter
//
// Rank 2, alone in its group, scatters 1024 ints to each of ranks 0 and 1, as one item of a
// contiguous type; they receive ints.
// Expected: "right", as with plain ints. Got: wrong data on rank 0, and a hang of rank 1 (ended
// here after 10 s). Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { kInts = 1024, kRoot = 2 };

static void late(int signal_number) {
  static const char kText[] = "hangs in MPI_Scatter\n";
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
  for (int i = 0; i < kRoot * kInts; i++) all[i] = i;
  signal(SIGALRM, late);
  alarm(10);
  if (rank == kRoot) {
    MPI_Scatter(all, 1, block, NULL, 0, MPI_INT, MPI_ROOT, inter);
  } else {
    MPI_Scatter(NULL, 0, MPI_INT, own, kInts, MPI_INT, 0, inter);
    for (int i = 0; i < kInts; i++) wrong += own[i] != rank * kInts + i;
    printf("rank %d: %s\n", rank, wrong ? "wrong data" : "right");
    fflush(stdout);
  }
  if (wrong) _exit(1);
  MPI_Finalize();
  return 0;
}
