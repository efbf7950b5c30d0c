// A world of a real MPI for tests, and short ways to write cases for it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/run/batch.h"
#include "framework/run/launch/janitor.h"
#include "framework/run/world.h"

namespace allprove {

class MpiWorld {
 public:
  // Fails the test when there is no such world.
  MpiWorld(const std::string& backend, int ranks, const Environment& extra = {});
  ~MpiWorld();

  const Ready& ready() const { return world_->ready(); }
  // The algorithms offered for a collective and mode.
  std::vector<std::string> algorithms(Collective collective, Mode mode) const;
  // One case with this program on these groups; a broken world fails the test.
  History run(std::vector<Operation> program, std::vector<Group> groups = {Group{}});
  // Cases of as many ranks.
  BatchReport run_batch_of(const std::vector<Case>& cases);

 private:
  RunSettings settings_;
  int ranks_;
  std::optional<Janitor> janitor_;
  std::unique_ptr<World> world_;
};

// all_reduce(int32[count], sum) on group 0, blocking, of small numbers.
Operation all_reduce(std::int64_t count, Dtype dtype = Dtype::int32, Op op = Op::sum);

// Expects that every call returned success, and that nothing in any buffer is wrong.
void expect_right(const History& history, const std::string& what);

// The environment that preloads the shim of that backend, with that bug.
Environment preload_shim(const std::string& backend, const std::string& bug);

// Runs a test for each MPI, and skips it where the MPI's worker was not built.
class EveryMpi : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override;
  std::string backend() const { return GetParam(); }
};

#define ALLPROVE_FOR_EVERY_MPI(suite)                                       \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::Values("openmpi", "mpich"), \
                           [](const auto& mpi) { return std::string(mpi.param); })

}  // namespace allprove
