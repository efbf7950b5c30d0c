// Every protocol makes worlds of the size asked for, with either sandbox, and leaves nothing.
#include <set>

#include "framework/base/enum_table.h"
#include "tests/functional/launch/launch_fixture.h"

namespace allprove {
namespace {

class WorldSizes : public testing::TestWithParam<std::tuple<Way, Sandbox>> {};

std::string name_of_way(const testing::TestParamInfo<WorldSizes::ParamType>& info) {
  const auto& [way, sandbox] = info.param;
  return way.name + "_" + std::string(name_of(sandbox));
}

// mpirun takes a second a world on a busy machine; a few sizes say enough.
std::vector<int> sizes_for(const Way& way) {
  return way.protocol == SpawnProtocol::mpirun ? std::vector{1, 3, 8}
                                               : std::vector{1, 2, 3, 4, 5, 6, 7, 8};
}

class MpiWorldSizes : public WorldSizes {};

TEST_P(MpiWorldSizes, EveryRankSeesTheWholeWorld) {
  const auto& [way, sandbox] = GetParam();
  if (const auto reason = why_not(way, sandbox); !reason.empty()) GTEST_SKIP() << reason;
  for (const int ranks : sizes_for(way)) {
    TestRun run;
    auto world = WorldProcesses::launch(run.spec(way, sandbox, ranks, {"waits"}));
    ASSERT_TRUE(world) << to_line(world.error());
    for (int rank = 0; rank < ranks; ++rank) {
      const std::string line = "rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                               ", sum " + std::to_string(ranks * (ranks - 1) / 2) + "\n";
      EXPECT_TRUE(run.eventually_logged(rank, line)) << run.log(rank) << run.log(-1);
    }
    std::set<pid_t> pids;
    for (int rank = 0; rank < ranks; ++rank) pids.insert(pid_of(*world, rank));
    EXPECT_EQ(pids.size(), static_cast<std::size_t>(ranks));
    const auto exits = world->take_exits();
    EXPECT_TRUE(exits && exits->empty());
    expect_clean_end(*world);
    EXPECT_EQ(run.left(), std::vector<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, MpiWorldSizes,
                         testing::Combine(testing::ValuesIn(mpi_ways()),
                                          testing::Values(Sandbox::none, Sandbox::ns)),
                         name_of_way);

TEST_P(WorldSizes, EveryRankExitsOnce) {
  const auto& [way, sandbox] = GetParam();
  if (const auto reason = why_not(way, sandbox); !reason.empty()) GTEST_SKIP() << reason;
  const bool plain = way.protocol == SpawnProtocol::plain;
  for (const int ranks : {1, 5}) {
    TestRun run;
    auto world = WorldProcesses::launch(run.spec(way, sandbox, ranks, {"exits"}));
    ASSERT_TRUE(world) << to_line(world.error());
    for (const auto& [rank, status] : exits_of(*world, static_cast<std::size_t>(ranks))) {
      const int code = plain ? rank : 0;
      EXPECT_TRUE(plain && rank == 2 ? WIFSIGNALED(status) : WEXITSTATUS(status) == code) << status;
    }
    expect_clean_end(*world);
    EXPECT_EQ(run.left(), std::vector<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(DirectWays, WorldSizes,
                         testing::Combine(testing::ValuesIn(direct_ways()),
                                          testing::Values(Sandbox::none, Sandbox::ns)),
                         name_of_way);

}  // namespace
}  // namespace allprove
