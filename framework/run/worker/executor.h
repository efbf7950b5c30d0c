// Runs the programs of cases for one rank: what is skipped and why, communicators, and the threads
// that make the calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/model/case.h"
#include "framework/run/position_board.h"
#include "framework/run/protocol.h"
#include "framework/run/worker/backend.h"
#include "framework/run/worker/calls.h"
#include "framework/run/worker/communicator_cache.h"

namespace allprove {

// One thread uses it; a program of several gets them for as long as it runs. Throws InternalError
// when something of ours fails.
class Executor {
 public:
  // The backend has been started as `rank` of `size`; it and the board must outlive the executor.
  Executor(Backend& backend, PositionBoard& board, int rank, int size);

  // Runs the batch. When a call of the library fails, the rank runs nothing after it: the cases
  // that follow are marked as skipped.
  Results run(const Batch& batch);

 private:
  void publish_absence(std::uint32_t number);
  void run_case(const Case& test_case, std::uint32_t number, CaseResult& result);
  std::string why_not(const Case& test_case) const;
  void prepare(const Case& test_case);
  bool open_communicators(std::vector<OperationRecord>& records);
  // The communicator that the operation uses; `at` is the operation that is being run.
  bool open(int index, int at, OperationRecord& record);
  // The operations of all threads, or of one; false when the rank cannot go on.
  bool run_threads(int threads, std::vector<OperationRecord>& records);
  bool run_thread(int thread, std::vector<OperationRecord>& records);
  // One operation; false when the rank cannot go on.
  bool step(int index, std::vector<OperationRecord>& records);
  bool reopen(int index, OperationRecord& record);
  void free_communicators(int group);

  const Operation& operation_at(int index) const { return running_.operation_at(index); }
  const Preparation& preparation_of(int index) const { return running_.preparation_of(index); }

  Backend& backend_;
  PositionBoard& board_;
  const int rank_;
  const int size_;
  CommunicatorCache communicators_;
  RunningCase running_;
  std::vector<std::unique_ptr<Calls>> calls_;  // by thread
  bool bare_ = false;                          // of the batch at hand
  bool samples_ = false;
  std::string stopped_;  // why nothing more is run
};

}  // namespace allprove
