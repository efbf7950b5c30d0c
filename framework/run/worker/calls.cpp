#include "framework/run/worker/calls.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "framework/base/clock.h"

namespace allprove {
namespace {

bool has_buffers(const Operation& operation) { return traits_of(operation.collective).moves_data; }

// Whether the persistent request of a start is started again later.
bool is_started_again(const Case& test_case, int start) {
  const auto& started = test_case.program[static_cast<std::size_t>(start)];
  if (started.mode != Mode::persistent) return false;
  const auto later = test_case.program.begin() + start + 1;
  return std::any_of(later, test_case.program.end(), [&](const Operation& operation) {
    return operation.kind == OperationKind::start && operation.request == started.request;
  });
}

}  // namespace

const Membership& actual_membership(const Preparation& preparation) {
  const auto& [asked_for, place] = preparation;
  return place->reordered ? *place->reordered : *asked_for;
}

bool failed(const LibraryStatus& status, OperationRecord& record) {
  if (status.code == 0) return false;
  record.code = status.code;
  record.message = status.message;
  return true;
}

Calls::Calls(Backend& backend, PositionBoard& board, const RunningCase& running, int rank,
             int thread)
    : backend_(backend), board_(board), running_(running), rank_(rank), thread_(thread) {}

void Calls::end_case() {
  drop_finished();
  std::move(pending_.begin(), pending_.end(), std::back_inserter(abandoned_));
  pending_.clear();
  stage_.pool().trim();
}

bool Calls::call(int index, OperationRecord& record) {
  const auto& operation = operation_at(index);
  CollectiveArguments arguments;
  auto buffers = make_ready(index, arguments);
  LibraryStatus status;
  board_.enter_collective(rank_, index, operation.group, thread_);
  record.called_ns = now_ns();
  if (operation.mode == Mode::blocking) {
    status = backend_.call(arguments, operation.algorithm.name);
    record.returned_ns = record.completed_ns = now_ns();
  } else {
    std::unique_ptr<Request> request;
    status = begin(index, buffers, arguments, request);
    record.returned_ns = now_ns();
    if (status.code == 0) status = wait_for(*request, OperationKind::wait);
    record.completed_ns = now_ns();
    if (status.code != 0) abandoned_.push_back({index, 0, true, {}, std::move(request)});
  }
  board_.leave(rank_, thread_);
  if (failed(status, record)) return false;
  judge(buffers, record.evidence);
  stage_.release(buffers);
  return true;
}

bool Calls::start(int index, OperationRecord& record) {
  const auto& operation = operation_at(index);
  CollectiveArguments arguments;
  auto* pending = find_request(operation.request, false);
  if (pending == nullptr) {
    pending = &pending_.emplace_back();
    pending->buffers = make_ready(index, arguments);
  } else if (has_buffers(operation)) {
    pending->buffers.operation = &operation;
  }
  pending->operation = index;
  pending->open = true;
  board_.enter_collective(rank_, index, operation.group, thread_);
  pending->call_number = board_.entered(rank_, operation.group, thread_);
  record.called_ns = now_ns();
  const auto status = begin(index, pending->buffers, arguments, pending->request);
  record.returned_ns = now_ns();
  board_.leave(rank_, thread_);
  return !failed(status, record);
}

// A persistent request gets its data between its making and its start, so that a library which
// reads the buffers too early is seen.
LibraryStatus Calls::begin(int index, CallBuffers& buffers, const CollectiveArguments& arguments,
                           std::unique_ptr<Request>& request) {
  const auto& operation = operation_at(index);
  if (operation.mode != Mode::persistent) {
    return backend_.start(arguments, operation.algorithm.name, request);
  }
  if (!request) {
    if (has_buffers(operation)) stage_.blank(buffers);
    const auto status = backend_.init(arguments, operation.algorithm.name, request);
    if (status.code != 0) return status;
  }
  if (has_buffers(operation)) stage_.fill(*running_.test_case, buffers);
  return backend_.start_request(*request);
}

bool Calls::complete(int index, std::vector<OperationRecord>& records) {
  const auto& operation = operation_at(index);
  auto* found = find_request(operation.request, true);
  if (found == nullptr) return true;  // a fault has left the start out
  auto& record = records[static_cast<std::size_t>(index)];
  board_.enter_wait(rank_, index, operation_at(found->operation).group, found->call_number,
                    thread_);
  record.called_ns = now_ns();
  const auto status = wait_for(*found->request, operation.kind);
  record.returned_ns = record.completed_ns = now_ns();
  board_.leave(rank_, thread_);
  if (failed(status, record)) return false;
  finish(*found, record.completed_ns, records);
  drop_finished();
  return true;
}

// The position names the oldest of the requests: which of them is waited for, only the library
// knows.
bool Calls::complete_all(int index, std::vector<OperationRecord>& records) {
  std::vector<Request*> requests;
  const Pending* oldest = nullptr;
  for (const auto& pending : pending_) {
    if (!pending.open) continue;
    requests.push_back(pending.request.get());
    if (oldest == nullptr || pending.operation < oldest->operation) oldest = &pending;
  }
  if (oldest == nullptr) return true;
  auto& record = records[static_cast<std::size_t>(index)];
  board_.enter_wait(rank_, index, operation_at(oldest->operation).group, oldest->call_number,
                    thread_);
  record.called_ns = now_ns();
  const auto status =
      backend_.wait_all(requests, operation_at(index).kind == OperationKind::wait_some);
  record.returned_ns = record.completed_ns = now_ns();
  board_.leave(rank_, thread_);
  if (failed(status, record)) return false;
  for (auto& pending : pending_) {
    if (pending.open) finish(pending, record.completed_ns, records);
  }
  drop_finished();
  return true;
}

void Calls::finish(Pending& pending, std::int64_t now, std::vector<OperationRecord>& records) {
  auto& started = records[static_cast<std::size_t>(pending.operation)];
  started.completed_ns = now;
  judge(pending.buffers, started.evidence);
  pending.open = false;
}

// Forgets completed requests that are not started again later in the program.
void Calls::drop_finished() {
  std::erase_if(pending_, [this](Pending& pending) {
    if (pending.open || is_started_again(*running_.test_case, pending.operation)) return false;
    stage_.release(pending.buffers);
    return true;
  });
}

Calls::Pending* Calls::find_request(int label, bool open) {
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
    return pending.open == open && operation_at(pending.operation).request == label;
  });
  return found == pending_.end() ? nullptr : &*found;
}

LibraryStatus Calls::wait_for(Request& request, OperationKind how) {
  if (how == OperationKind::wait) return backend_.wait(request);
  for (;;) {  // the driver's deadline ends it
    bool done = false;
    auto status = backend_.test(request, done);
    if (done || status.code != 0) return status;
    sched_yield();
  }
}

CallBuffers Calls::make_ready(int index, CollectiveArguments& arguments) {
  const auto& operation = operation_at(index);
  const auto& membership = actual_membership(running_.preparation_of(index));
  arguments.collective = operation.collective;
  arguments.mode = operation.mode;
  arguments.thread = thread_;
  arguments.dtype = operation.dtype;
  arguments.op = operation.op;
  arguments.communicator = running_.preparation_of(index).communicator->communicator.get();
  if (!has_buffers(operation)) return {};
  auto buffers = stage_.make(*running_.test_case, operation, membership, arguments);
  if (operation.mode != Mode::persistent) stage_.fill(*running_.test_case, buffers);
  return buffers;
}

void Calls::judge(CallBuffers& buffers, Evidence& evidence) {
  if (buffers.operation != nullptr) stage_.judge(*running_.test_case, buffers, evidence);
}

}  // namespace allprove
