// Ranks under mpirun: mpirun starts this program in place of each worker; it tells the
// spawner the rank's pid, hands it a pipe with what the rank prints, sets what only ranks may see
// (LD_*), and becomes the worker.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/run/launch/spawner/rank_server.h"

namespace allprove {

inline constexpr char kRankMode[] = "rank";  // argv[1] of the program in that role

// argv of a rank: `program` rank <address> <count> NAME=value... worker...
std::vector<std::string> rank_command(const std::string& program, const Plan& plan,
                                      const std::vector<std::string>& variables,
                                      const std::vector<std::string>& worker);

// The program in that role. Does not return if all goes well.
int become_rank(int argc, char** argv);

// The spawner's side: learns the pids, from the kernel, in its own PID namespace.
class MpirunRanks final : public RankServer {
 public:
  explicit MpirunRanks(const Plan& plan);
  Status start() override;
  Result<RankStart> prepare(int) override { return RankStart{}; }
  int poll_fd() const override { return socket_.get(); }
  std::vector<Report> serve() override;
  std::vector<RankOutput> take_outputs() override { return std::exchange(outputs_, {}); }

 private:
  std::string address_;
  int ranks_;
  UniqueFd socket_;
  std::vector<RankOutput> outputs_;
};

}  // namespace allprove
