// The communicators that the MPI backends make, held against the model of their topologies.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/functional/launch/launch_fixture.h"

namespace allprove {
namespace {

constexpr int kRanks = 5;

// What differed on some rank; a rank that did not come to its end is a difference too.
std::set<std::string> differences(const TestRun& run) {
  std::set<std::string> found;
  for (int rank = 0; rank < kRanks; ++rank) {
    bool done = false;
    std::istringstream log(run.log(rank));
    for (std::string line; std::getline(log, line);) {
      done |= line == "done";
      if (line != "done") found.insert(line);
    }
    if (!done) found.insert("rank " + std::to_string(rank) + " is not done");
  }
  return found;
}

std::set<std::string> differences_of(const Way& way) {
  TestRun run;
  auto world = WorldProcesses::launch(run.spec(way, Sandbox::none, kRanks, {}));
  EXPECT_TRUE(world) << to_line(world.error());
  if (!world) return {"no world"};
  for (const auto& [rank, status] : exits_of(*world, kRanks)) EXPECT_EQ(status, 0) << rank;
  auto found = differences(run);
  expect_clean_end(*world);
  return found;
}

TEST(MpiCommunicators, AreAsTheModelSaysWithOpenMpi) {
  const Way way{"pmix", SpawnProtocol::pmix, "mpi_test_communicators_openmpi", {}};
  if (const auto reason = why_not(way, Sandbox::none); !reason.empty()) GTEST_SKIP() << reason;
  EXPECT_EQ(differences_of(way), std::set<std::string>());
}

// The blocks of repeated edges: docs/found/mpich-neighbor-repeated-edges.md. Releases in which that
// is corrected show nothing.
TEST(MpiCommunicators, AreAsTheModelSaysWithMpich) {
  const Way way{"pmi1", SpawnProtocol::pmi1, "mpi_test_communicators_mpich", {}};
  if (const auto reason = why_not(way, Sandbox::none); !reason.empty()) GTEST_SKIP() << reason;
  auto found = differences_of(way);
  found.erase("repeated edges: blocks");
  EXPECT_EQ(found, std::set<std::string>());
}

}  // namespace
}  // namespace allprove
