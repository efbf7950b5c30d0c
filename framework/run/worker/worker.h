// The worker: one rank's process. Connects to the driver, runs cases on a backend, checks what it
// finds in its buffers against the oracle, and reports evidence.
#pragma once

#include "framework/run/worker/backend.h"

namespace allprove {

// The body of main() of a backend's executable. Ends the process, without running what a library
// has registered with atexit(): with exit code 0 after a `stop`, and with kWorkerFailed when
// something of ours failed or the driver has gone (it says so to the driver, if it can, and on
// stderr).
[[noreturn]] void run_worker(Backend& backend);

}  // namespace allprove
