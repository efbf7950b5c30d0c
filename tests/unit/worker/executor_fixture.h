// An executor for a world of one rank, on a library that the test plays.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "framework/run/worker/executor.h"
#include "tests/unit/worker/fake_backend.h"

namespace allprove {

inline Operation all_reduce(std::int64_t count = 5) {
  Operation made;
  made.dtype = Dtype::int32;
  made.shape = {count};
  return made;
}

inline Operation with(OperationKind kind, int request = -1) {
  auto made = all_reduce();
  made.kind = kind;
  made.request = request;
  if (kind == OperationKind::start) made.mode = Mode::nonblocking;
  return made;
}

inline int* ints(const BufferSide& side) { return reinterpret_cast<int*>(side.data); }

inline Operation on_group(int group) {
  auto made = all_reduce();
  made.group = group;
  return made;
}

class ExecutorTest : public testing::Test {
 protected:
  Results run(Batch batch) {
    batch.first_number = 1;
    return executor_.run(batch);
  }
  CaseResult run(const Case& test_case) {
    Batch batch;
    batch.cases = {test_case};
    return run(batch).cases.at(0);
  }
  CaseResult run(std::vector<Operation> program) {
    Case test_case;
    test_case.program = std::move(program);
    return run(test_case);
  }
  Evidence evidence_of(const Operation& operation) {
    return run(std::vector{operation}).operations.at(0).evidence;
  }
  Position position() const { return board_.read(0, 1, 1); }

  FakeBackend backend_;
  PositionBoard board_ = std::move(*PositionBoard::create(1));
  Executor executor_{backend_, board_, 0, 1};
};

}  // namespace allprove
