#include "framework/run/worker/executor.h"

#include <fmt/format.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "faults/apply.h"
#include "framework/base/clock.h"
#include "framework/base/enum_table.h"

namespace allprove {
namespace {

void sleep_us(std::int64_t duration_us) {
  timespec left{static_cast<time_t>(duration_us / 1'000'000),
                static_cast<long>(duration_us % 1'000'000 * 1000)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

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

// Keeps an error in the record; true when there is one.
bool failed(const LibraryStatus& status, OperationRecord& record) {
  if (status.code == 0) return false;
  record.code = status.code;
  record.message = status.message;
  return true;
}

// Nothing where the communicator has the order that was asked for.
std::optional<Membership> reordered(const Communicator* made, int part, int rank) {
  if (made == nullptr || made->members.empty()) return std::nullopt;
  const auto at = std::ranges::find(made->members, rank);
  ALLPROVE_CHECK(at != made->members.end());
  return Membership{part, static_cast<int>(at - made->members.begin()), made->members};
}

}  // namespace

Executor::Executor(Backend& backend, PositionBoard& board, int rank, int size)
    : backend_(backend), board_(board), rank_(rank), size_(size) {}

Results Executor::run(const Batch& batch) {
  Results results;
  results.first_number = batch.first_number;
  stage_.set_manner(batch.bare, batch.samples);
  const auto began = now_ns();
  for (int round = 0; round < batch.repeat; ++round) {
    results.cases.assign(batch.cases.size(), {});
    for (std::size_t i = 0; i < batch.cases.size(); ++i) {
      const auto number = batch.first_number + static_cast<std::uint32_t>(i);
      if (stopped_.empty()) {
        run_case(batch.cases[i], number, results.cases[i]);
        // The others may wait for this rank in the next case: they will see that it never comes.
        if (!stopped_.empty() && i + 1 < batch.cases.size()) publish_absence(number + 1);
      } else {
        results.cases[i].skipped = stopped_;
      }
    }
  }
  results.elapsed_ns = now_ns() - began;
  return results;
}

void Executor::publish_absence(std::uint32_t number) {
  board_.begin_case(rank_, number);
  board_.finish_case(rank_);
}

void Executor::run_case(const Case& test_case, std::uint32_t number, CaseResult& result) {
  result.skipped = why_not(test_case);
  if (!result.skipped.empty()) return publish_absence(number);
  board_.begin_case(rank_, number);
  result.operations.resize(test_case.program.size());
  prepare(test_case);
  bool goes_on = open_communicators(result.operations);
  for (const int index : order_of(test_case, rank_)) {
    goes_on = goes_on && step(index, result.operations);
  }
  if (!goes_on) stopped_ = fmt::format("not run: a call failed on rank {} before", rank_);
  board_.finish_case(rank_);
  drop_finished();
  std::move(pending_.begin(), pending_.end(), std::back_inserter(abandoned_));
  pending_.clear();
  stage_.pool().trim();
  communicators_.trim();
}

std::string Executor::why_not(const Case& test_case) const {
  ALLPROVE_CHECK(test_case.ranks == size_);
  for (const auto& fault : test_case.faults) {
    if (abilities_of(fault.kind) == nullptr)
      return fmt::format("fault {} cannot be made yet", name_of(fault.kind));
  }
  for (const auto& operation : test_case.program) {
    if (auto reason = backend_.unsupported(test_case, operation)) return std::move(*reason);
  }
  return {};
}

void Executor::prepare(const Case& test_case) {
  case_ = &test_case;
  communicators_.begin_case();
  memberships_.assign(test_case.groups.size(), std::nullopt);
  preparations_.assign(test_case.program.size(), {});
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto& operation = test_case.program[i];
    auto& membership = memberships_[static_cast<std::size_t>(operation.group)];
    if (!membership) membership = membership_of(test_case, operation.group, rank_);
    preparations_[i].membership = &*membership;
    if (!enters_collective(operation.kind)) continue;
    preparations_[i].communicator = &communicators_.place_of(
        test_case, operation.group, backend_.communicator_scope(operation));
  }
}

// Opens what the program uses, but for the groups that the program itself opens. All ranks do it in
// the order of the program, whatever their faults, and whether they are in the group or not.
bool Executor::open_communicators(std::vector<OperationRecord>& records) {
  std::vector<int> left_to_program;
  for (std::size_t i = 0; i < preparations_.size(); ++i) {
    const int index = static_cast<int>(i);
    const auto& operation = operation_at(index);
    if (operation.kind == OperationKind::comm_create) left_to_program.push_back(operation.group);
    if (preparations_[i].communicator == nullptr || preparations_[i].communicator->open) continue;
    if (std::find(left_to_program.begin(), left_to_program.end(), operation.group) !=
        left_to_program.end()) {
      continue;
    }
    if (!open(index, index, records[i])) return false;
  }
  return true;
}

// The position shows a call without a number: entered by all as far as anyone can tell.
bool Executor::open(int index, int at, OperationRecord& record) {
  auto& place = *preparation_of(index).communicator;
  board_.enter_wait(rank_, at, operation_at(index).group, 0);
  auto status =
      backend_.open(*case_, operation_at(index).group, operation_at(index), place.communicator);
  board_.leave(rank_);
  if (status.code != 0) status.message = "making the communicator: " + status.message;
  place.open = status.code == 0;
  place.reordered =
      reordered(place.communicator.get(), preparation_of(index).membership->part, rank_);
  return !failed(status, record);
}

const Membership& Executor::actual_membership(int index) const {
  const auto& [asked_for, place] = preparation_of(index);
  return place->reordered ? *place->reordered : *asked_for;
}

bool Executor::step(int index, std::vector<OperationRecord>& records) {
  const auto& operation = operation_at(index);
  auto& record = records[static_cast<std::size_t>(index)];
  if (const auto late_us = lateness_us(*case_, rank_, index); late_us > 0) sleep_us(late_us);
  // Communicators come and go on all ranks of the world, in the group or not.
  const auto* place = preparation_of(index).communicator;
  if (place != nullptr && !place->open && !open(index, index, record))
    return false;  // freed before
  const bool member = preparation_of(index).membership->part >= 0;
  switch (operation.kind) {
    case OperationKind::call:
      return !member || call(index, record);
    case OperationKind::start:
      return !member || start(index, record);
    case OperationKind::wait:
    case OperationKind::test:
      return complete(index, records);
    case OperationKind::wait_all:
    case OperationKind::wait_some:
      return complete_all(index, records);
    case OperationKind::comm_create:
      return reopen(index, record);
    case OperationKind::comm_free:
      free_communicators(operation.group);
      return true;
    case OperationKind::delay:
      sleep_us(operation.delay_us);
      return true;
    case OperationKind::group_begin:
    case OperationKind::group_end:
      return true;  // for libraries that issue calls in groups
  }
  return true;
}

bool Executor::call(int index, OperationRecord& record) {
  const auto& operation = operation_at(index);
  CollectiveArguments arguments;
  auto buffers = make_ready(index, arguments);
  LibraryStatus status;
  board_.enter_collective(rank_, index, operation.group);
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
  board_.leave(rank_);
  if (failed(status, record)) return false;
  judge(buffers, record.evidence);
  stage_.release(buffers);
  return true;
}

bool Executor::start(int index, OperationRecord& record) {
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
  board_.enter_collective(rank_, index, operation.group);
  pending->call_number = board_.entered(rank_, operation.group);
  record.called_ns = now_ns();
  const auto status = begin(index, pending->buffers, arguments, pending->request);
  record.returned_ns = now_ns();
  board_.leave(rank_);
  return !failed(status, record);
}

// A persistent request gets its data between its making and its start, so that a library which
// reads the buffers too early is seen.
LibraryStatus Executor::begin(int index, CallBuffers& buffers, const CollectiveArguments& arguments,
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
  if (has_buffers(operation)) stage_.fill(*case_, buffers);
  return backend_.start_request(*request);
}

// A wait or a test. The evidence stands with the start, to which the buffers belong.
bool Executor::complete(int index, std::vector<OperationRecord>& records) {
  const auto& operation = operation_at(index);
  auto* found = find_request(operation.request, true);
  if (found == nullptr) return true;  // a fault has left the start out
  auto& record = records[static_cast<std::size_t>(index)];
  board_.enter_wait(rank_, index, operation_at(found->operation).group, found->call_number);
  record.called_ns = now_ns();
  const auto status = wait_for(*found->request, operation.kind);
  record.returned_ns = record.completed_ns = now_ns();
  board_.leave(rank_);
  if (failed(status, record)) return false;
  finish(*found, record.completed_ns, records);
  drop_finished();
  return true;
}

// The position names the oldest of the requests: which of them is waited for, only the library
// knows.
bool Executor::complete_all(int index, std::vector<OperationRecord>& records) {
  std::vector<Request*> requests;
  const Pending* oldest = nullptr;
  for (const auto& pending : pending_) {
    if (!pending.open) continue;
    requests.push_back(pending.request.get());
    if (oldest == nullptr || pending.operation < oldest->operation) oldest = &pending;
  }
  if (oldest == nullptr) return true;
  auto& record = records[static_cast<std::size_t>(index)];
  board_.enter_wait(rank_, index, operation_at(oldest->operation).group, oldest->call_number);
  record.called_ns = now_ns();
  const auto status =
      backend_.wait_all(requests, operation_at(index).kind == OperationKind::wait_some);
  record.returned_ns = record.completed_ns = now_ns();
  board_.leave(rank_);
  if (failed(status, record)) return false;
  for (auto& pending : pending_) {
    if (pending.open) finish(pending, record.completed_ns, records);
  }
  drop_finished();
  return true;
}

void Executor::finish(Pending& pending, std::int64_t now, std::vector<OperationRecord>& records) {
  auto& started = records[static_cast<std::size_t>(pending.operation)];
  started.completed_ns = now;
  judge(pending.buffers, started.evidence);
  pending.open = false;
}

// Forgets completed requests that are not started again later in the program.
void Executor::drop_finished() {
  std::erase_if(pending_, [this](Pending& pending) {
    if (pending.open || is_started_again(*case_, pending.operation)) return false;
    stage_.release(pending.buffers);
    return true;
  });
}

Executor::Pending* Executor::find_request(int label, bool open) {
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
    return pending.open == open && operation_at(pending.operation).request == label;
  });
  return found == pending_.end() ? nullptr : &*found;
}

LibraryStatus Executor::wait_for(Request& request, OperationKind how) {
  if (how == OperationKind::wait) return backend_.wait(request);
  for (;;) {  // the driver's deadline ends it
    bool done = false;
    auto status = backend_.test(request, done);
    if (done || status.code != 0) return status;
    sched_yield();
  }
}

bool Executor::reopen(int index, OperationRecord& record) {
  const int group = operation_at(index).group;
  free_communicators(group);
  record.called_ns = now_ns();
  for (std::size_t i = 0; i < preparations_.size(); ++i) {
    const auto* place = preparations_[i].communicator;
    const int user = static_cast<int>(i);
    if (place == nullptr || place->open || operation_at(user).group != group) continue;
    if (!open(user, index, record)) return false;
  }
  record.returned_ns = record.completed_ns = now_ns();
  return true;
}

void Executor::free_communicators(int group) {
  for (std::size_t i = 0; i < preparations_.size(); ++i) {
    auto* place = preparations_[i].communicator;
    if (place == nullptr || operation_at(static_cast<int>(i)).group != group) continue;
    place->communicator.reset();
    place->open = false;
  }
}

CallBuffers Executor::make_ready(int index, CollectiveArguments& arguments) {
  const auto& operation = operation_at(index);
  const auto& membership = actual_membership(index);
  arguments.collective = operation.collective;
  arguments.mode = operation.mode;
  arguments.dtype = operation.dtype;
  arguments.op = operation.op;
  arguments.communicator = preparation_of(index).communicator->communicator.get();
  if (!has_buffers(operation)) return {};
  auto buffers = stage_.make(*case_, operation, membership, arguments);
  if (operation.mode != Mode::persistent) stage_.fill(*case_, buffers);
  return buffers;
}

void Executor::judge(CallBuffers& buffers, Evidence& evidence) {
  if (buffers.operation != nullptr) stage_.judge(*case_, buffers, evidence);
}

}  // namespace allprove
