// The process that cleans up after a driver that was killed: no process, socket, shared-memory file
// or directory of the run is left, even after `kill -9`.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "framework/base/clock.h"
#include "framework/base/result.h"
#include "framework/base/unique_fd.h"

namespace allprove {

// The path of a new directory, not yet made: in $TMPDIR, else in /tmp, named allprove-<random hex>.
std::filesystem::path choose_run_directory();

// A new run id: random hex, the value of ALLPROVE_RUN.
std::string make_run_id();

class Janitor {
 public:
  // Forks the janitor and then makes run_directory, with mode 0700: there is no moment at which a
  // killed driver could leave it. To be called before any thread is started. The janitor has a
  // session of its own and ignores the terminal's signals. When the driver goes without finish(),
  // it ends every process that carries ALLPROVE_RUN=<run_id> and removes run_directory and the
  // shared-memory files of the run, within 5 s.
  static Result<Janitor> start(const std::filesystem::path& run_directory,
                               const std::string& run_id);

  Janitor(Janitor&& other) noexcept;
  Janitor& operator=(Janitor&&) = delete;
  ~Janitor();  // without finish(): the same clean-up as after a killed driver, not waited for

  // A clean end: no world is left. The janitor removes run_directory and exits; waits for that.
  Status finish(Deadline deadline);

 private:
  Janitor(pid_t pid, UniqueFd pipe);
  pid_t pid_;
  UniqueFd pipe_;
};

}  // namespace allprove
