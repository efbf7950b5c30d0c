// The backend `reference`: ranks as processes over shared memory, with collectives of our own that
// are simple enough to be right. It stands in where no MPI is installed, and under the mutants.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "backends/reference/arena.h"
#include "backends/reference/collectives.h"
#include "framework/run/worker/backend.h"

namespace allprove::reference {

struct StartedCall;

// What the members share of a communicator, and what this rank has under way on it. Owns a block of
// the arena on every rank, also on those that are in no part of the group.
struct CommunicatorState {
  CommunicatorState(Arena& shared, int taken, GroupKind of_kind, Members in)
      : arena(shared), block(taken), kind(of_kind), members(std::move(in)) {}
  ~CommunicatorState() { arena.give_back(block); }

  Arena& arena;
  int block;
  GroupKind kind;
  Members members;
  std::deque<StartedCall*> started;  // not yet run, the oldest first
};

// As in MPI, what is under way on a communicator outlives it.
struct ReferenceCommunicator final : Communicator {
  std::shared_ptr<CommunicatorState> state;
};

// A request: a call that has been started, or a persistent one.
struct StartedCall final : Request {
  CollectiveArguments arguments;
  AllReduceAlgorithm algorithm = AllReduceAlgorithm::everyone_reduces;
  std::shared_ptr<CommunicatorState> communicator;
  int starts = 0;
  bool done = false;  // since the latest start
  LibraryStatus status;
};

class ReferenceBackend : public Backend {
 public:
  Result<Ready> start(WorldPlace place) override;
  std::optional<std::string> unsupported(const Case& test_case,
                                         const Operation& operation) const override;
  std::string communicator_scope(const Operation&) const override { return {}; }
  LibraryStatus open(const Case& test_case, int group, const Operation& first_use,
                     std::unique_ptr<Communicator>& made) override;
  LibraryStatus call(const CollectiveArguments& arguments, const std::string& algorithm) override;
  // A started call runs when it is waited for, or before the next call on its communicator: each
  // member must take part in it by then. A test waits as well.
  LibraryStatus start(const CollectiveArguments& arguments, const std::string& algorithm,
                      std::unique_ptr<Request>& request) override;
  LibraryStatus init(const CollectiveArguments& arguments, const std::string& algorithm,
                     std::unique_ptr<Request>& request) override;
  LibraryStatus start_request(Request& request) override;
  LibraryStatus wait(Request& request) override;
  LibraryStatus wait_all(std::span<Request* const> requests, bool some) override;
  LibraryStatus test(Request& request, bool& done) override;
  void finish() override;

 protected:
  // Takes part in one call from its beginning to its end: where a mutant plants its bug. `request`
  // is null for a blocking call.
  virtual LibraryStatus run(CommunicatorState& communicator, const CollectiveArguments& arguments,
                            AllReduceAlgorithm algorithm, const StartedCall* request);

 private:
  void run_oldest(CommunicatorState& communicator);

  std::unique_ptr<Arena> arena_;
};

}  // namespace allprove::reference
