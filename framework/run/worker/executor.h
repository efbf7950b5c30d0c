// Runs the programs of cases for one rank: buffers, calls, positions, times, and the evidence of
// what the calls have left in the buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/model/case.h"
#include "framework/run/position_board.h"
#include "framework/run/protocol.h"
#include "framework/run/worker/backend.h"
#include "framework/run/worker/call_buffers.h"
#include "framework/run/worker/communicator_cache.h"

namespace allprove {

// Not thread-safe. Throws InternalError when something of ours fails.
class Executor {
 public:
  // The backend has been started as `rank` of `size`; it and the board must outlive the executor.
  Executor(Backend& backend, PositionBoard& board, int rank, int size);

  // Runs the batch. When a call of the library fails, the rank runs nothing after it: the cases
  // that follow are marked as skipped.
  Results run(const Batch& batch);

 private:
  // A call that has been started. A persistent one is kept when it is completed, for the next
  // start.
  struct Pending {
    int operation = -1;  // of the latest start
    int call_number = 0;
    bool open = true;  // not completed
    CallBuffers buffers;
    std::unique_ptr<Request> request;
  };
  // What an operation of the case at hand needs, worked out before the first one runs.
  struct Preparation {
    const Membership* membership = nullptr;
    CachedCommunicator* communicator = nullptr;
  };

  void publish_absence(std::uint32_t number);
  void run_case(const Case& test_case, std::uint32_t number, CaseResult& result);
  std::string why_not(const Case& test_case) const;
  void prepare(const Case& test_case);
  bool open_communicators(std::vector<OperationRecord>& records);
  // The communicator that the operation uses; `at` is the operation that is being run.
  bool open(int index, int at, OperationRecord& record);
  // Where this rank stands in the operation's communicator, which must be open.
  const Membership& actual_membership(int index) const;

  // One operation; false when the rank cannot go on.
  bool step(int index, std::vector<OperationRecord>& records);
  bool call(int index, OperationRecord& record);
  bool start(int index, OperationRecord& record);
  bool complete(int index, std::vector<OperationRecord>& records);
  bool complete_all(int index, std::vector<OperationRecord>& records);
  bool reopen(int index, OperationRecord& record);
  void free_communicators(int group);

  Pending* find_request(int label, bool open);
  // Gives the request to the library, and starts it.
  LibraryStatus begin(int index, CallBuffers& buffers, const CollectiveArguments& arguments,
                      std::unique_ptr<Request>& request);
  void finish(Pending& pending, std::int64_t now, std::vector<OperationRecord>& records);
  void drop_finished();
  // Between these two stands the call itself. `arguments` is what make_ready() has filled in.
  CallBuffers make_ready(int index, CollectiveArguments& arguments);
  void judge(CallBuffers& buffers, Evidence& evidence);
  LibraryStatus wait_for(Request& request, OperationKind how);

  const Operation& operation_at(int index) const {
    return case_->program[static_cast<std::size_t>(index)];
  }
  const Preparation& preparation_of(int index) const {
    return preparations_[static_cast<std::size_t>(index)];
  }

  Backend& backend_;
  PositionBoard& board_;
  const int rank_;
  const int size_;
  Stage stage_;
  CommunicatorCache communicators_;

  const Case* case_ = nullptr;
  std::vector<std::optional<Membership>> memberships_;  // by group, of those that are used
  std::vector<Preparation> preparations_;               // by operation
  std::vector<Pending> pending_;
  // Started calls that were never completed (by a fault, or after an error): the library may still
  // use their buffers, so they live as long as the worker.
  std::vector<Pending> abandoned_;
  std::string stopped_;  // why nothing more is run
};

}  // namespace allprove
