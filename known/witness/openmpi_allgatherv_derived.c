// Open MPI 4.1.x, coll/tuned: the ranks of one MPI_Allgatherv choose different algorithms when
// their send types differ in size, which MPI allows: the type signatures match.
//
// Rank r gives its block as one item of a contiguous type; all receive plain ints.
//
//   mpicc -std=c11 openmpi_allgatherv_derived.c -o gatherv && mpirun -n 3 ./gatherv
//
// Expected: "right". Got: a hang (ended here after 10 s), an error, or other data.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void late(int signal_number) {
  static const char kText[] = "hangs in MPI_Allgatherv\n";
  (void)signal_number;
  if (write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) _exit(2);
  _exit(1);
}

int main(int argc, char** argv) {
  int counts[3] = {113, 0, 41}, places[3] = {0, 113, 113};
  int input[113], output[154], rank, size, wrong = 0;
  MPI_Datatype block;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 3) return 2;
  for (int i = 0; i < 113; i++) input[i] = 1000 * rank + i;
  memset(output, -1, sizeof output);
  MPI_Type_contiguous(counts[rank] > 0 ? counts[rank] : 1, MPI_INT, &block);
  MPI_Type_commit(&block);
  signal(SIGALRM, late);
  alarm(10);
  MPI_Allgatherv(input, counts[rank] > 0, block, output, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < 3; r++) {
    for (int i = 0; i < counts[r]; i++) wrong += output[places[r] + i] != 1000 * r + i;
  }
  printf("rank %d: %s\n", rank, wrong ? "wrong data" : "right");
  MPI_Type_free(&block);
  MPI_Finalize();
  return wrong != 0;
}
