// The processes of one world: started, watched and ended, without knowing what they do.
// A small spawner process per world makes the ranks and serves PMI-1 or PMIx to them, so that every
// rank's exit is seen and no launcher kills the survivors. No control channel here, no case.
#pragma once

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/clock.h"
#include "framework/base/result.h"

namespace allprove {

// How ranks find each other: not at all, over PMI-1 (MPICH), over PMIx (Open MPI), or by whatever
// the library's own launcher does.
enum class SpawnProtocol { plain, pmi1, pmix, mpirun };
constexpr auto enum_names(SpawnProtocol) {
  return std::array<std::string_view, 4>{"plain", "pmi1", "pmix", "mpirun"};
}

// ns: PID, mount and IPC namespaces of the world's own, with a private /dev/shm (see sandbox.h).
// none: process groups, parent-death signals, directories of the world's own, and a sweep.
enum class Sandbox { ns, none };
constexpr auto enum_names(Sandbox) { return std::array<std::string_view, 2>{"ns", "none"}; }

// The ranks' environment is, each overriding the one before: the driver's (less what another
// launcher left there: PMI_*, PMIX_*, OMPI_COMM_WORLD_*); what launch() adds; `environment`; and
// what the protocol itself needs. launch() adds
//   ALLPROVE_RUN=<run_id>, ALLPROVE_WORLD=<random hex>: markers, by which a lost process is found
//   ALLPROVE_SLOT=<rank> (not under mpirun), TMPDIR=<directory>
//   OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, for root alone
//   without a sandbox: OMPI_MCA_btl_{vader,sm}_backing_directory=/dev/shm/allprove-<run_id>
// Under mpirun, LD_* of `environment` reach the ranks alone, everything else mpirun as well.
struct LaunchSpec {
  SpawnProtocol protocol = SpawnProtocol::plain;
  Sandbox sandbox = Sandbox::none;
  std::vector<std::string>
      worker;  // argv of one rank; argv[0] is looked up in PATH if it has no '/'
  std::vector<std::string> mpirun;  // argv of the launcher up to the program, for mpirun alone
  int ranks = 1;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string run_id;               // the run's marker, as given to the janitor
  std::filesystem::path directory;  // the world's own, existing, mode 0700; not shared
  // rank-<r>.log, launcher.log (mpirun, spawner); appended to. Past kLogBytesMax a rank's log holds
  // its newest lines only, of the world that last wrote to it.
  std::filesystem::path log_directory;
  std::filesystem::path programs;  // where allprove-spawner and allprove-spawner-pmix are
};

inline constexpr off_t kLogBytesMax = off_t{4} << 20;

struct RankExit {
  int rank;         // -1: mpirun itself (its ranks' own exits are not seen)
  int wait_status;  // as waitpid() gives it
};

// MPI_Abort (or the library's own abort) as told by PMI; the rank need not exit for it.
struct RankAbort {
  int rank;
  int code;
};

// What could not be ended or removed: one line each, for a person.
struct Leftovers {
  std::vector<std::string> processes;
  std::vector<std::string> files;
  bool empty() const { return processes.empty() && files.empty(); }
};

// Not thread-safe. The thread that calls launch() must outlive the world: Linux sends the
// parent-death signal when the parent *thread* goes.
class WorldProcesses {
 public:
  // Returns once the spawner process runs. An Error when there is no such worker program; what
  // else keeps ranks from starting is told by take_exits().
  static Result<WorldProcesses> launch(const LaunchSpec& spec);

  WorldProcesses(WorldProcesses&&) noexcept;
  WorldProcesses& operator=(WorldProcesses&&) noexcept;
  ~WorldProcesses();  // ends the world within 2 s if end() was not called

  // Readable (POLLIN or POLLHUP) when take_exits() has something to tell.
  int report_fd() const;

  // The exits since the last call; does not block. An Error when the spawner could not start the
  // ranks (with the reason) or died itself (with its last log lines); end() is still to be called.
  Result<std::vector<RankExit>> take_exits();

  // The aborts that calls of take_exits() have seen and not yet returned here.
  std::vector<RankAbort> take_aborts();

  // In the driver's PID namespace; 0 while not known. Kept after the exit: ask take_exits() first,
  // and do not signal a rank that has exited.
  pid_t pid(int rank) const;

  // Kills every process of the world, reaps them, and removes the contents of `directory` and the
  // shared-memory files that the library left. Ends by the deadline; may be called again.
  Result<Leftovers> end(Deadline deadline);

 private:
  struct State;
  explicit WorldProcesses(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace allprove
