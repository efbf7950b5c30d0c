// The worker of the backend `reference`: one rank's process.
#include "backends/reference/reference_backend.h"
#include "framework/run/worker/worker.h"

int main() {
  allprove::reference::ReferenceBackend backend;
  allprove::run_worker(backend);
}
