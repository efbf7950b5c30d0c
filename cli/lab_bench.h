// Runs the lab's experiments: a case, and what every rank saw of it.
#pragma once

#include <string>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"
#include "framework/run/pool.h"

namespace allprove {

// An all-reduce of the ramp family: element i of rank r is 2r + 1 + 10i.
Operation lab_all_reduce(Dtype dtype, std::int64_t count, Op op = Op::sum);
Operation lab_barrier();
Case lab_case(int ranks, std::vector<Operation> program);

class LabBench {
 public:
  explicit LabBench(WorldPool& pool) : pool_(pool) {}

  // Runs the case in a warm world, or in one that is made for it and ended afterwards.
  Result<History> run(const Case& test_case);
  Result<History> run_disposable(const Case& test_case, Milliseconds deadline);

  // The shortest of the rounds, each from the first rank's entering the operation that follows a
  // barrier to the last rank's leaving it, in microseconds. Not a mean or median: on a busy machine
  // those tell of its other work.
  Result<double> best_us(int ranks, std::int64_t count, int rounds);

 private:
  WorldPool& pool_;
};

// The outputs of an operation on all ranks: "[4] [4]".
std::string outputs_text(const History& history, std::size_t operation);

}  // namespace allprove
