// A PMIx server for the ranks of one world on this host, enough for Open MPI to start without
// mpirun. libpmix runs it on a thread of its own; this class only registers and listens.
#pragma once

#include <pmix_server.h>

#include <mutex>
#include <string>
#include <vector>

#include "framework/run/launch/spawner/rank_server.h"

namespace allprove {

class PmixServer final : public RankServer {
 public:
  PmixServer(int ranks, std::string world, std::string directory);

  Status start() override;
  Result<RankStart> prepare(int rank) override;
  int poll_fd() const override { return wake_.get(); }
  std::vector<Report> serve() override;

 private:
  // libpmix's thread calls these.
  static pmix_status_t on_abort(const pmix_proc_t* process, void* server, int code,
                                const char* message, pmix_proc_t* processes, std::size_t count,
                                pmix_op_cbfunc_t done, void* done_data);
  void note_abort(int rank, int code);

  Status register_world();

  int ranks_;
  std::string world_;
  std::string directory_;
  UniqueFd wake_;
  std::mutex mutex_;
  std::vector<bool> aborted_;
  std::vector<Report> reports_;
};

}  // namespace allprove
