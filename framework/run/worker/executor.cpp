#include "framework/run/worker/executor.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <future>
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
  bare_ = batch.bare;
  samples_ = batch.samples;
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
  board_.begin_case(rank_, number, threads_of(test_case));
  result.operations.resize(test_case.program.size());
  prepare(test_case);
  const bool goes_on = open_communicators(result.operations) &&
                       run_threads(threads_of(test_case), result.operations);
  if (!goes_on) stopped_ = fmt::format("not run: a call failed on rank {} before", rank_);
  // Also of threads that were never begun.
  for (int thread = 0; thread < kThreadsMax; ++thread) board_.finish_case(rank_, thread);
  for (auto& calls : calls_) calls->end_case();
  communicators_.trim();
}

// This thread is the first of them; a program of one thread needs no other.
bool Executor::run_threads(int threads, std::vector<OperationRecord>& records) {
  while (static_cast<int>(calls_.size()) < threads) {
    calls_.push_back(std::make_unique<Calls>(backend_, board_, running_, rank_,
                                             static_cast<int>(calls_.size())));
  }
  for (auto& calls : calls_) calls->stage().set_manner(bare_, samples_);
  std::vector<std::future<bool>> others;
  for (int thread = 1; thread < threads; ++thread) {
    others.push_back(
        std::async(std::launch::async, &Executor::run_thread, this, thread, std::ref(records)));
  }
  bool goes_on = run_thread(0, records);
  for (auto& other : others) goes_on = other.get() && goes_on;
  return goes_on;
}

bool Executor::run_thread(int thread, std::vector<OperationRecord>& records) {
  for (const int index : order_of(*running_.test_case, rank_)) {
    if (operation_at(index).thread == thread && !step(index, records)) return false;
  }
  board_.finish_case(rank_, thread);
  return true;
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
  running_.test_case = &test_case;
  running_.memberships.assign(test_case.groups.size(), std::nullopt);
  running_.preparations.assign(test_case.program.size(), {});
  communicators_.begin_case();
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto& operation = test_case.program[i];
    auto& membership = running_.memberships[static_cast<std::size_t>(operation.group)];
    if (!membership) membership = membership_of(test_case, operation.group, rank_);
    running_.preparations[i].membership = &*membership;
    if (!enters_collective(operation.kind)) continue;
    running_.preparations[i].communicator = &communicators_.place_of(
        test_case, operation.group, backend_.communicator_scope(operation));
  }
}

// Opens what the program uses, but for the groups that the program itself opens. All ranks do it in
// the order of the program, whatever their faults, and whether they are in the group or not.
bool Executor::open_communicators(std::vector<OperationRecord>& records) {
  std::vector<int> left_to_program;
  for (std::size_t i = 0; i < running_.preparations.size(); ++i) {
    const int index = static_cast<int>(i);
    const auto& operation = operation_at(index);
    if (operation.kind == OperationKind::comm_create) left_to_program.push_back(operation.group);
    if (running_.preparations[i].communicator == nullptr ||
        running_.preparations[i].communicator->open)
      continue;
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
  auto status = backend_.open(*running_.test_case, operation_at(index).group, operation_at(index),
                              place.communicator);
  board_.leave(rank_);
  if (status.code != 0) status.message = "making the communicator: " + status.message;
  place.open = status.code == 0;
  place.reordered =
      reordered(place.communicator.get(), preparation_of(index).membership->part, rank_);
  return !failed(status, record);
}

bool Executor::step(int index, std::vector<OperationRecord>& records) {
  const auto& operation = operation_at(index);
  auto& record = records[static_cast<std::size_t>(index)];
  if (const auto late_us = lateness_us(*running_.test_case, rank_, index); late_us > 0)
    sleep_us(late_us);
  // Communicators come and go on all ranks of the world, in the group or not.
  const auto* place = preparation_of(index).communicator;
  if (place != nullptr && !place->open && !open(index, index, record))
    return false;  // freed before
  const bool member = preparation_of(index).membership->part >= 0;
  auto& calls = *calls_[static_cast<std::size_t>(operation.thread)];
  switch (operation.kind) {
    case OperationKind::call:
      return !member || calls.call(index, record);
    case OperationKind::start:
      return !member || calls.start(index, record);
    case OperationKind::wait:
    case OperationKind::test:
      return calls.complete(index, records);
    case OperationKind::wait_all:
    case OperationKind::wait_some:
      return calls.complete_all(index, records);
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

bool Executor::reopen(int index, OperationRecord& record) {
  const int group = operation_at(index).group;
  free_communicators(group);
  record.called_ns = now_ns();
  for (std::size_t i = 0; i < running_.preparations.size(); ++i) {
    const auto* place = running_.preparations[i].communicator;
    const int user = static_cast<int>(i);
    if (place == nullptr || place->open || operation_at(user).group != group) continue;
    if (!open(user, index, record)) return false;
  }
  record.returned_ns = record.completed_ns = now_ns();
  return true;
}

void Executor::free_communicators(int group) {
  for (std::size_t i = 0; i < running_.preparations.size(); ++i) {
    auto* place = running_.preparations[i].communicator;
    if (place == nullptr || operation_at(static_cast<int>(i)).group != group) continue;
    place->communicator.reset();
    place->open = false;
  }
}

}  // namespace allprove
