// The worker: one rank's process. Connects to the driver, runs cases on a backend, checks what it
// finds in its buffers against the oracle, and reports evidence.
#pragma once

#include "framework/run/worker/backend.h"

namespace allprove {

// The body of main() of a backend's executable. Returns the exit code of the process: 0 after a
// `stop`, 2 when something of ours failed (it says so to the driver and on stderr).
int run_worker(Backend& backend);

}  // namespace allprove
