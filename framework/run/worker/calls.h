// The calls that one thread of a rank makes in a case: buffers, positions, times, and the evidence
// of what the calls have left in the buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "framework/model/case.h"
#include "framework/run/position_board.h"
#include "framework/run/protocol.h"
#include "framework/run/worker/backend.h"
#include "framework/run/worker/call_buffers.h"
#include "framework/run/worker/communicator_cache.h"

namespace allprove {

// What an operation of the case at hand needs, worked out before the first one runs.
struct Preparation {
  const Membership* membership = nullptr;
  CachedCommunicator* communicator = nullptr;
};

// Where this rank stands in the operation's communicator, which must be open.
const Membership& actual_membership(const Preparation& preparation);

// A case as one rank runs it; its threads read it.
struct RunningCase {
  const Case* test_case = nullptr;
  std::vector<std::optional<Membership>> memberships;  // by group, of those that are used
  std::vector<Preparation> preparations;               // by operation

  const Operation& operation_at(int index) const {
    return test_case->program[static_cast<std::size_t>(index)];
  }
  const Preparation& preparation_of(int index) const {
    return preparations[static_cast<std::size_t>(index)];
  }
};

// Keeps an error in the record; true when there is one.
bool failed(const LibraryStatus& status, OperationRecord& record);

// One thread uses it. Throws InternalError when something of ours fails.
class Calls {
 public:
  // The backend, the board and the case at hand must outlive it.
  Calls(Backend& backend, PositionBoard& board, const RunningCase& running, int rank, int thread);

  Stage& stage() { return stage_; }

  // One operation that calls, starts or completes; false when the rank cannot go on. The rank is
  // in the operation's group.
  bool call(int index, OperationRecord& record);
  bool start(int index, OperationRecord& record);
  // A wait or a test. The evidence stands with the start, to which the buffers belong.
  bool complete(int index, std::vector<OperationRecord>& records);
  bool complete_all(int index, std::vector<OperationRecord>& records);
  // Before the case goes.
  void end_case();

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

  const Operation& operation_at(int index) const { return running_.operation_at(index); }
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

  Backend& backend_;
  PositionBoard& board_;
  const RunningCase& running_;
  const int rank_;
  const int thread_;
  Stage stage_;
  std::vector<Pending> pending_;
  // Started calls that were never completed (by a fault, or after an error): the library may still
  // use their buffers, so they live as long as the worker.
  std::vector<Pending> abandoned_;
};

}  // namespace allprove
