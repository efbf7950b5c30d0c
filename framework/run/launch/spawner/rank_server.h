// What a spawner does for the ranks beyond starting them: the service by which they find each
// other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/base/result.h"
#include "framework/base/unique_fd.h"
#include "framework/run/launch/plan.h"

namespace allprove {

// What one rank gets at its start.
struct RankStart {
  std::vector<std::string> environment;  // "NAME=value"
  UniqueFd inherited;                    // kept open over exec under the same number, if any
};

// Where the output of a rank that another launcher started can be read.
struct RankOutput {
  int rank = -1;
  UniqueFd reads;
};

class RankServer {
 public:
  virtual ~RankServer() = default;

  // Before any rank is started; may start threads.
  virtual Status start() = 0;
  virtual Result<RankStart> prepare(int rank) = 0;

  // Becomes readable when serve() has something to do; -1 when it never has.
  virtual int poll_fd() const = 0;
  // Answers the ranks without blocking. Returns what the driver should be told.
  virtual std::vector<Report> serve() = 0;
  // Those that serve() has learnt of, each once.
  virtual std::vector<RankOutput> take_outputs() { return {}; }
};

// Plain ranks: nothing to serve.
class NoServer final : public RankServer {
 public:
  Status start() override { return {}; }
  Result<RankStart> prepare(int) override { return RankStart{}; }
  int poll_fd() const override { return -1; }
  std::vector<Report> serve() override { return {}; }
};

}  // namespace allprove
