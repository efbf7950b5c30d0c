// A world's own PID, mount and IPC namespaces, with a private tmpfs on /dev/shm: when its init
// dies, the kernel ends every process inside, and no shared-memory file is left.
// As root directly; otherwise inside a user namespace that maps the user to itself.
#pragma once

#include <sys/types.h>

#include <string>

#include "framework/base/result.h"

namespace allprove {

// Whether this machine lets us: tried for real in a child process, within 2 s. The reason why not
// is stored in *why_not, if that is not null.
bool sandbox_ns_available(std::string* why_not);

// The two steps that a spawner takes. First, single-threaded: mount, IPC (and user) namespaces.
Status enter_mount_namespace();

// Then, when all threads have been started: every later child of the calling thread is in a new PID
// namespace, whose init this makes; /proc is remounted for it. The init dies with the calling
// thread. Returns the init's pid in the caller's own namespace.
Result<pid_t> start_pid_namespace();

}  // namespace allprove
