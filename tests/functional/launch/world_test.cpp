// What becomes of ranks is seen, what is stopped or has escaped is ended, and failures have a
// reason.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "framework/base/enum_table.h"
#include "framework/base/unique_fd.h"
#include "framework/run/launch/processes.h"
#include "tests/functional/launch/launch_fixture.h"

namespace allprove {
namespace {

const Way kPlain = direct_ways()[0];

pid_t parent_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  pid_t parent = 0;
  stat >> number >> name >> state >> parent;
  EXPECT_GT(parent, 1);
  return parent;
}

// In either sandbox.
class World : public testing::TestWithParam<Sandbox> {
 protected:
  void SetUp() override {
    if (const auto reason = why_not(kPlain, GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }

  WorldProcesses launch(const Way& way, int ranks, std::vector<std::string> arguments) {
    return WorldProcesses::launch(run_.spec(way, GetParam(), ranks, std::move(arguments))).value();
  }

  bool can(const Way& way) const { return why_not(way, GetParam()).empty(); }

  void expect_nothing_left(WorldProcesses& world) {
    expect_clean_end(world);
    EXPECT_EQ(run_.left(), std::vector<std::string>());
  }

  TestRun run_;
};

INSTANTIATE_TEST_SUITE_P(Sandboxes, World, testing::Values(Sandbox::none, Sandbox::ns),
                         [](const auto& world) { return std::string(name_of(world.param)); });

TEST_P(World, ExitCodeAndSignalOfEachRankAreSeen) {
  auto world = launch(kPlain, 4, {"exits"});
  auto exits = exits_of(world, 4);
  for (const int rank : {0, 1, 3}) {
    EXPECT_TRUE(WIFEXITED(exits[rank]) && WEXITSTATUS(exits[rank]) == rank) << exits[rank];
  }
  EXPECT_TRUE(WIFSIGNALED(exits[2]) && WTERMSIG(exits[2]) == SIGABRT) << exits[2];
  expect_nothing_left(world);
}

TEST_P(World, SurvivorsGoOnWhenASiblingDies) {
  for (const Way& way : direct_ways()) {
    if (!can(way)) continue;
    TestRun run;
    auto world = WorldProcesses::launch(run.spec(way, GetParam(), 3, {"waits"})).value();
    for (int rank = 0; rank < 3; ++rank) {
      const bool plain = way.protocol == SpawnProtocol::plain;
      ASSERT_TRUE(run.eventually_logged(rank, plain ? "ready" : "sum")) << run.log(rank);
    }
    kill(pid_of(world, 1), SIGKILL);
    const auto exits = exits_of(world, 1);
    EXPECT_EQ(exits.count(1), 1u) << way.name;
    std::this_thread::sleep_for(Milliseconds(300));
    const auto later = world.take_exits();
    EXPECT_TRUE(later && later->empty()) << way.name;
    EXPECT_EQ(kill(pid_of(world, 0), 0), 0);
    expect_clean_end(world);
  }
}

TEST_P(World, ARankThatPrintsALotKeepsTheBeginningAndTheEndInItsLog) {
  auto world = launch(kPlain, 2, {"floods", "600000"});
  exits_of(world, 2);
  for (const int rank : {0, 1}) {
    const auto log = run_.log(rank);
    EXPECT_LT(log.size(), static_cast<std::size_t>(kLogBytesMax) + 16'384);
    EXPECT_TRUE(log.starts_with("slot " + std::to_string(rank) + "\nline 0\n"));
    EXPECT_NE(log.find("[the log is full: "), std::string::npos);
    EXPECT_TRUE(log.ends_with("line 599999\nthe last words\n")) << log.substr(log.size() - 100);
  }
  expect_nothing_left(world);
}

TEST_P(World, AStoppedRankIsEnded) {
  auto world = launch(kPlain, 2, {"stops"});
  ASSERT_TRUE(run_.eventually_logged(1, "slot"));
  expect_nothing_left(world);
}

TEST_P(World, AGrandchildWithASessionAndNoMarkerIsEnded) {
  const std::string lock = run_.directory() / "lock";
  auto world = launch(kPlain, 2, {"escapes", lock});
  ASSERT_TRUE(run_.eventually_logged(0, "ready"));
  const UniqueFd file(open(lock.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_NE(flock(file.get(), LOCK_EX | LOCK_NB), 0);  // it lives
  expect_nothing_left(world);
  EXPECT_EQ(flock(file.get(), LOCK_EX | LOCK_NB), 0);
}

TEST_P(World, AnAbortIsToldWithItsCode) {
  for (const Way& way : direct_ways()) {
    if (way.protocol == SpawnProtocol::plain || !can(way)) continue;
    TestRun run;
    auto world = WorldProcesses::launch(run.spec(way, GetParam(), 2, {"aborts"})).value();
    std::vector<RankAbort> aborts;
    EXPECT_TRUE(eventually([&] {
      EXPECT_TRUE(world.take_exits());
      aborts = world.take_aborts();
      return !aborts.empty();
    })) << way.name;
    ASSERT_EQ(aborts.size(), 1u);
    EXPECT_EQ(aborts[0].rank, 1);
    EXPECT_EQ(aborts[0].code, 7);
    expect_clean_end(world);
  }
}

TEST_P(World, AWorkerThatCannotBeExecutedIsAReason) {
  const auto script = run_.directory() / "script";
  std::ofstream(script) << "#!/nonexistent/interpreter\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  auto spec = run_.spec(kPlain, GetParam(), 2, {});
  spec.worker = {script.string()};
  auto world = WorldProcesses::launch(spec).value();
  std::string reason;
  EXPECT_TRUE(eventually([&] {
    const auto exits = world.take_exits();
    if (!exits) reason = exits.error().message;
    return !exits;
  }));
  EXPECT_EQ(reason, "cannot start '" + script.string() + "': No such file or directory");
  expect_nothing_left(world);
}

TEST_P(World, AGrandchildIsFoundByItsMarkerWhenTheSpawnerIsDead) {
  const std::string lock = run_.directory() / "lock";
  auto world = launch(kPlain, 2, {"escapes_marked", lock});
  ASSERT_TRUE(run_.eventually_logged(0, "ready"));
  kill(parent_of(pid_of(world, 0)), SIGKILL);
  expect_nothing_left(world);
  const UniqueFd file(open(lock.c_str(), O_RDWR | O_CLOEXEC));
  // In a sandbox the kernel is killing it already, and it may close its files a moment later.
  EXPECT_TRUE(eventually([&] { return flock(file.get(), LOCK_EX | LOCK_NB) == 0; }));
}

TEST_P(World, AKilledSpawnerIsAnErrorAndItsWorldIsEnded) {
  auto world = launch(kPlain, 3, {"waits"});
  for (int rank = 0; rank < 3; ++rank) ASSERT_TRUE(run_.eventually_logged(rank, "ready"));
  kill(parent_of(pid_of(world, 0)), SIGKILL);
  std::string reason;
  EXPECT_TRUE(eventually([&] {
    const auto exits = world.take_exits();
    if (!exits) reason = exits.error().message;
    return !exits;
  }));
  EXPECT_NE(reason.find("killed by signal 9"), std::string::npos) << reason;
  expect_nothing_left(world);
}

TEST_P(World, TheDestructorEndsTheWorld) {
  {
    auto world = launch(kPlain, 2, {"waits"});
    ASSERT_TRUE(run_.eventually_logged(1, "ready"));
    auto moved = std::move(world);
  }
  EXPECT_EQ(run_.left(), std::vector<std::string>());
}

TEST_P(World, TheEnvironmentReachesTheRanksAlone) {
  auto spec = run_.spec(kPlain, GetParam(), 1, {"prints", "ONLY_FOR_RANKS", "TMPDIR", "PMI_RANK"});
  spec.environment.emplace_back("ONLY_FOR_RANKS", "a b=c");
  setenv("PMI_RANK", "5", 1);  // as if the driver ran under a launcher
  auto world = WorldProcesses::launch(spec).value();
  unsetenv("PMI_RANK");
  ASSERT_TRUE(run_.eventually_logged(0, "ready"));
  EXPECT_EQ(run_.log(0), "slot 0\nONLY_FOR_RANKS=a b=c\nTMPDIR=" + spec.directory.string() +
                             "\nPMI_RANK=(unset)\nready\n");
  EXPECT_EQ(std::getenv("ONLY_FOR_RANKS"), nullptr);
  expect_nothing_left(world);
}

TEST_P(World, UnderMpirunLoaderVariablesReachTheRanksAlone) {
  Way way = mpi_ways()[2];
  if (!can(way)) GTEST_SKIP() << why_not(way, GetParam());
  way.rank_program = kPlain.rank_program;
  auto spec = run_.spec(way, GetParam(), 1,
                        {"prints", "LD_LIBRARY_PATH", "OMPI_MCA_ess", "OMPI_COMM_WORLD_SIZE"});
  spec.environment.emplace_back("LD_LIBRARY_PATH", "/nonexistent");
  auto world = WorldProcesses::launch(spec).value();
  ASSERT_TRUE(run_.eventually_logged(0, "ready")) << run_.log(-1);
  EXPECT_NE(run_.log(0).find("LD_LIBRARY_PATH=/nonexistent\n"), std::string::npos) << run_.log(0);
  EXPECT_EQ(run_.log(0).find("OMPI_MCA_ess=pmi\n"), std::string::npos) << run_.log(0);
  const std::string launcher =
      read_text("/proc/" + std::to_string(parent_of(pid_of(world, 0))) + "/environ");
  EXPECT_NE(launcher.find("ALLPROVE_WORLD="), std::string::npos);
  EXPECT_EQ(launcher.find("LD_LIBRARY_PATH=/nonexistent"), std::string::npos);
  expect_nothing_left(world);
}

TEST(Launch, ANameThatIsNoProgramIsRefused) {
  TestRun run;
  auto spec = run.spec(kPlain, Sandbox::none, 1, {});
  spec.worker = {"no-such-worker"};
  const auto world = WorldProcesses::launch(spec);
  ASSERT_FALSE(world);
  EXPECT_EQ(world.error().message, "cannot start no-such-worker: No such file or directory");
}

}  // namespace
}  // namespace allprove
