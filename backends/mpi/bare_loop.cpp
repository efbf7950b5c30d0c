// A bare loop of MPI_Allreduce, with nothing of allprove around it but the same yield: what
// ci/bench divides by. Prints one line per count: "<count> <microseconds per call>".
//   allprove-bare-<mpi> ITERATIONS COUNT...      (double, sum; to be run under the MPI's launcher)
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

double seconds_per_call(int iterations, int count) {
  const auto size = static_cast<std::size_t>(std::max(count, 1));
  const std::vector<double> input(size, 1.0);
  std::vector<double> output(size);
  const auto loop = [&](int times) {
    for (int i = 0; i < times; ++i) {
      MPI_Allreduce(input.data(), output.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
  };
  loop(iterations / 10 + 10);  // warm-up
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  loop(iterations);
  return (MPI_Wtime() - start) / iterations;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 0;
  bool good = iterations > 0 && argc > 2;
  for (int i = 2; i < argc && good; ++i) {
    const int count = std::atoi(argv[i]);
    good = count >= 0;
    if (!good) break;
    const double mine = seconds_per_call(iterations, count);
    double slowest = 0;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%d %.4f\n", count, slowest * 1e6);
  }
  if (!good && rank == 0) std::fprintf(stderr, "usage: %s ITERATIONS COUNT...\n", argv[0]);
  MPI_Finalize();
  return good ? 0 : 64;
}
