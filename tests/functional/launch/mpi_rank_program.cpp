// A rank with MPI: reduces once, prints what it sees, and then
//   exits    after a barrier, without MPI_Finalize, with 0
//   waits    to be killed
//   aborts   rank 1 calls MPI_Abort(7), the others wait
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  int sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::printf("rank %d of %d, sum %d\n", rank, size, sum);
  std::fflush(stdout);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "aborts" && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  if (what != "exits") {
    for (;;) pause();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  _exit(0);
}
