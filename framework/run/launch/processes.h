// Finding processes through /proc, by descent or by a marker in their environment, and killing them
// without ever hitting a process that has taken over a pid.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "framework/base/clock.h"

namespace allprove {

// All processes whose initial environment has exactly this entry ("NAME=value"), but for the
// caller. Processes of other users cannot be read, and zombies have no environment: neither is
// found.
std::vector<pid_t> processes_marked(const std::string& entry);

// Kills them, also those that they start meanwhile, until none is left, and waits for their ends.
// Returns those that were left at the deadline.
std::vector<pid_t> kill_marked(const std::string& entry, Deadline deadline);

// One round of SIGKILL to every process below this one. A caller that is a subreaper and reaps
// until it has no child has then ended all of them.
void kill_descendants();

// Whether a signal or a debugger holds the process; false when that cannot be seen.
bool is_stopped(pid_t pid);

// "1234 (name)".
std::string describe_process(pid_t pid);

}  // namespace allprove
