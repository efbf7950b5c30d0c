// The worker of an MPI backend: one rank's process.
#include "backends/mpi/mpi_backend.h"
#include "framework/run/worker/worker.h"

int main() {
  allprove::MpiBackend backend;
  allprove::run_worker(backend);
}
