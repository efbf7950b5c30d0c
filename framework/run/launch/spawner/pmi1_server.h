// The PMI-1 wire protocol, as MPICH's "simple" client speaks it: one line a command, one socket a
// rank. (MPICH's own description: src/pmi/doc, "PMI-1 wire protocol".)
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/run/launch/spawner/rank_server.h"

namespace allprove {

class Pmi1Server final : public RankServer {
 public:
  Pmi1Server(int ranks, std::string world);

  Status start() override;
  Result<RankStart> prepare(int rank) override;
  int poll_fd() const override { return epoll_.get(); }
  std::vector<Report> serve() override;

 private:
  struct Client {
    UniqueFd socket;
    std::string input;
    bool aborted = false;
  };

  void read_from(int rank);
  void answer(int rank, const std::string& line);
  void send(int rank, const std::string& reply);
  void drop(int rank, const char* why);
  std::string get(const std::string& key) const;
  void enter_barrier();

  std::string kvs_name_;
  UniqueFd epoll_;
  std::vector<Client> clients_;
  std::map<std::string, std::string> values_;
  int in_barrier_ = 0;
  std::vector<Report> reports_;
};

}  // namespace allprove
