// Open MPI 4.1.x, coll/tuned: the ranks of one MPI_Allgatherv choose different algorithms when
// their receive types differ in size, which MPI allows: the type signatures match.
//
// All give 64 ints. Ranks of odd number receive each block as one item of a contiguous type, the
// others as 64 ints.
//
//   mpicc -std=c11 openmpi_allgatherv_receive.c -o receive && mpirun -n 3 ./receive
//
// Expected: "right". Got: a hang (ended here after 10 s).
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { kInts = 64, kRanks = 3 };

static void late(int signal_number) {
  static const char kText[] = "hangs in MPI_Allgatherv\n";
  (void)signal_number;
  if (write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) _exit(2);
  _exit(1);
}

int main(int argc, char** argv) {
  static int input[kInts], output[kRanks * kInts];
  int counts[kRanks], places[kRanks], rank, size, wrong = 0;
  MPI_Datatype block;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != kRanks) return 2;
  const int items = rank % 2 == 1 ? 1 : kInts;
  MPI_Type_contiguous(kInts / items, MPI_INT, &block);
  MPI_Type_commit(&block);
  for (int i = 0; i < kInts; i++) input[i] = 1000 * rank + i;
  for (int r = 0; r < kRanks; r++) {
    counts[r] = items;
    places[r] = r * items;
  }
  signal(SIGALRM, late);
  alarm(10);
  MPI_Allgatherv(input, kInts, MPI_INT, output, counts, places, block, MPI_COMM_WORLD);
  for (int i = 0; i < kRanks * kInts; i++) wrong += output[i] != 1000 * (i / kInts) + i % kInts;
  printf("rank %d: %s\n", rank, wrong ? "wrong data" : "right");
  MPI_Type_free(&block);
  MPI_Finalize();
  return wrong != 0;
}
