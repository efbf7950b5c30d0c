#include "tests/functional/launch/launch_fixture.h"

#include <poll.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "framework/run/launch/environment.h"
#include "framework/run/launch/files.h"
#include "framework/run/launch/janitor.h"
#include "framework/run/launch/processes.h"
#include "framework/run/launch/sandbox.h"

namespace allprove {

namespace fs = std::filesystem;

fs::path test_program(const std::string& name) { return fs::path(ALLPROVE_TEST_PROGRAMS) / name; }

std::string why_not(const Way& way, Sandbox sandbox) {
  if (!fs::exists(test_program(way.rank_program))) return way.rank_program + " was not built";
  if (way.protocol == SpawnProtocol::pmix &&
      !fs::exists(fs::path(ALLPROVE_PROGRAMS) / "allprove-spawner-pmix")) {
    return "allprove-spawner-pmix was not built";
  }
  if (!way.mpirun.empty() && access(find_program(way.mpirun[0]).c_str(), X_OK) != 0) {
    return way.mpirun[0] + " is not installed";
  }
  std::string reason;
  if (sandbox == Sandbox::ns && !sandbox_ns_available(&reason)) return "no namespaces: " + reason;
  return "";
}

const std::vector<Way>& mpi_ways() {
  static const std::vector<Way> ways = {
      {"pmix", SpawnProtocol::pmix, "launch_test_rank_openmpi", {}},
      {"pmi1", SpawnProtocol::pmi1, "launch_test_rank_mpich", {}},
      {"mpirun_openmpi",
       SpawnProtocol::mpirun,
       "launch_test_rank_openmpi",
       {"mpirun.openmpi", "--oversubscribe"}},
      {"mpirun_mpich", SpawnProtocol::mpirun, "launch_test_rank_mpich", {"mpiexec.mpich"}}};
  return ways;
}

const std::vector<Way>& direct_ways() {
  static const std::vector<Way> ways = {
      {"plain", SpawnProtocol::plain, "launch_test_rank", {}}, mpi_ways()[0], mpi_ways()[1]};
  return ways;
}

bool eventually(const std::function<bool()>& condition) {
  const Deadline deadline = Deadline::after(Milliseconds(20'000));
  while (!condition()) {
    if (deadline.passed()) return condition();
    std::this_thread::sleep_for(Milliseconds(5));
  }
  return true;
}

std::string read_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TestRun::TestRun() : id_(make_run_id()), directory_(choose_run_directory()) {
  fs::create_directories(directory_ / "world");
  fs::create_directories(directory_ / "logs");
}

TestRun::~TestRun() {
  kill_marked("ALLPROVE_RUN=" + id_, Deadline::after(Milliseconds(5000)));
  std::error_code ignored;  // a test that cares asks left()
  fs::remove_all(directory_, ignored);
  fs::remove_all(shared_memory_directory(id_), ignored);
}

LaunchSpec TestRun::spec(const Way& way, Sandbox sandbox, int ranks,
                         std::vector<std::string> arguments) {
  LaunchSpec spec;
  spec.protocol = way.protocol;
  spec.sandbox = sandbox;
  spec.ranks = ranks;
  spec.worker = {test_program(way.rank_program).string()};
  spec.worker.insert(spec.worker.end(), arguments.begin(), arguments.end());
  spec.mpirun = way.mpirun;
  if (!spec.mpirun.empty()) {
    spec.mpirun.insert(spec.mpirun.end(), {"-n", std::to_string(ranks)});
  }
  spec.environment = {{"OMPI_MCA_mpi_yield_when_idle", "1"},
                      {"OMPI_MCA_pml", "ob1"},
                      {"OMPI_MCA_btl", "vader,self"}};
  spec.run_id = id_;
  spec.directory = directory_ / "world";
  spec.log_directory = directory_ / "logs";
  spec.programs = ALLPROVE_PROGRAMS;
  return spec;
}

std::string TestRun::log(int rank) const {
  return read_text(directory_ / "logs" /
                   (rank < 0 ? "launcher.log" : "rank-" + std::to_string(rank) + ".log"));
}

bool TestRun::eventually_logged(int rank, const std::string& text) const {
  return eventually([&] { return log(rank).find(text) != std::string::npos; });
}

std::vector<std::string> TestRun::left() const {
  std::vector<std::string> lines;
  for (const pid_t pid : processes_marked("ALLPROVE_RUN=" + id_)) {
    lines.push_back(describe_process(pid));
  }
  for (const auto& entry : fs::directory_iterator(directory_ / "world")) {
    lines.push_back(entry.path().string());
  }
  if (fs::exists(shared_memory_directory(id_))) lines.push_back("its folder in /dev/shm");
  return lines;
}

std::map<int, int> exits_of(WorldProcesses& world, std::size_t count) {
  std::map<int, int> statuses;
  const Deadline deadline = Deadline::after(Milliseconds(60'000));
  while (statuses.size() < count && !deadline.passed()) {
    pollfd readable = {world.report_fd(), POLLIN, 0};
    poll(&readable, 1, deadline.left_ms());
    const auto exits = world.take_exits();
    if (!exits) {
      ADD_FAILURE() << to_line(exits.error());
      return statuses;
    }
    for (const auto& exit : *exits) statuses[exit.rank] = exit.wait_status;
  }
  EXPECT_EQ(statuses.size(), count);
  return statuses;
}

pid_t pid_of(WorldProcesses& world, int rank) {
  EXPECT_TRUE(eventually([&] { return world.take_exits() && world.pid(rank) != 0; })) << rank;
  return world.pid(rank);
}

void expect_clean_end(WorldProcesses& world) {
  const auto left = world.end(Deadline::after(Milliseconds(20'000)));
  ASSERT_TRUE(left) << to_line(left.error());
  EXPECT_EQ(left->processes, std::vector<std::string>());
  EXPECT_EQ(left->files, std::vector<std::string>());
}

}  // namespace allprove
