// The spawner of one world: a process between the driver and the ranks that starts them, serves
// them, reports their exits, and ends them all when told to or when the driver is gone.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "framework/base/clock.h"
#include "framework/base/result.h"
#include "framework/base/unique_fd.h"
#include "framework/run/launch/plan.h"
#include "framework/run/launch/spawner/rank_log.h"
#include "framework/run/launch/spawner/rank_server.h"

namespace allprove {

class Spawner {
 public:
  // `server` may be null for a protocol that this program does not serve.
  Spawner(Plan plan, std::unique_ptr<RankServer> server);

  // Until the driver ends the world or is gone. 0 when no process of the world is left.
  int run();

 private:
  struct Process {
    int rank;
    pid_t pid;
    bool alive;
  };

  Status start_world();
  Status start_processes();
  Status start_process(int rank, int exec_errors);
  Status check_execs();
  Status serve();
  Status serve_ranks();
  Status keep_log(int rank, UniqueFd output);
  void take_output();
  void reap();
  Status end_world();

  Plan plan_;
  std::unique_ptr<RankServer> server_;
  UniqueFd child_signals_;
  pid_t init_ = 0;  // of the sandbox; 0 when there is none
  bool init_died_ = false;
  std::vector<Process> processes_;
  std::vector<RankLog> logs_;
  UniqueFd exec_errors_;  // a pipe's end; the other is closed when every process has called exec
};

// main() of a spawner program; `make_server` chooses by the plan's protocol.
int spawner_main(int argc, char** argv, std::unique_ptr<RankServer> (*make_server)(const Plan&));

}  // namespace allprove
