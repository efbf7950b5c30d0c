// kill -9 of the driver at any moment leaves no process and no file, with either sandbox, as root
// and as a user without rights. Each driver runs where /dev/shm and TMPDIR are its own, so that
// whatever is found there was left by it.
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "framework/base/enum_table.h"
#include "framework/base/unique_fd.h"
#include "framework/run/launch/environment.h"
#include "framework/run/launch/processes.h"
#include "framework/run/launch/random_id.h"
#include "framework/run/launch/sandbox.h"
#include "tests/functional/launch/launch_fixture.h"

namespace allprove {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;
constexpr int kRounds = 6;

struct KilledCase {
  Way way;
  Sandbox sandbox;
  uid_t user;  // 0: who runs the test
};

std::ostream& operator<<(std::ostream& out, const KilledCase& c) { return out << c.way.name; }

std::vector<std::string> driver_command(const KilledCase& c) {
  std::vector<std::string> command = {test_program("launch_test_driver").string(),
                                      std::string(name_of(c.way.protocol)),
                                      std::string(name_of(c.sandbox)), "3", ALLPROVE_PROGRAMS};
  std::vector<std::string> mpirun = c.way.mpirun;
  if (!mpirun.empty()) mpirun.insert(mpirun.end(), {"-n", "3"});
  for (const auto& word : mpirun) command.insert(command.end(), {"--mpirun", word});
  for (const auto* const setting :
       {"OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_pml=ob1", "OMPI_MCA_btl=vader,self"}) {
    command.insert(command.end(), {"--env", setting});
  }
  command.insert(command.end(), {"--", test_program(c.way.rank_program).string(), "waits"});
  return command;
}

// What is there, while it is being removed.
std::string list(const fs::path& directory) {
  std::string names;
  std::error_code gone;
  for (fs::recursive_directory_iterator entry(directory, gone), end; !gone && entry != end;
       entry.increment(gone)) {
    names += " " + entry->path().string();
  }
  return gone ? names + " (changing)" : names;
}

void become(uid_t user) {
  if (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 ||
      setresuid(user, user, user) != 0) {
    std::abort();
  }
  prctl(PR_SET_DUMPABLE, 1);  // or the maps of a user namespace could not be written
}

// Runs in a process of its own with a private /dev/shm: one driver, killed after a while. Returns
// what it left, after waiting for it to go.
std::string left_by_killed_driver(const KilledCase& c, const fs::path& tmp, int delay_us) {
  const std::string round = random_id();
  setenv("ALLPROVE_TEST_ROUND", round.c_str(), 1);
  setenv("TMPDIR", tmp.c_str(), 1);
  int input[2];
  if (pipe2(input, O_CLOEXEC) != 0) return "pipe";
  const pid_t driver = fork();
  if (driver == 0) {
    dup2(input[0], STDIN_FILENO);  // never ends: the test holds the other side
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    auto command = driver_command(c);
    execv(command[0].c_str(), pointers_to(command).data());
    _exit(127);
  }
  usleep(static_cast<useconds_t>(delay_us));
  kill(driver, SIGKILL);
  int status = 0;
  waitpid(driver, &status, 0);
  if (!WIFSIGNALED(status)) return "the driver had ended by itself";

  const std::string marker = "ALLPROVE_TEST_ROUND=" + round;
  std::string left;
  eventually([&] {
    left = list(tmp) + list("/dev/shm");
    for (const pid_t pid : processes_marked(marker)) left += " " + describe_process(pid);
    return left.empty();
  });
  kill_marked(marker, Deadline::after(Milliseconds(1000)));
  return left;
}

// The same in a child, so that this process keeps its namespaces and its user.
std::string run_round(const KilledCase& c, int delay_us) {
  std::string tmp = "/tmp/allprove-test-XXXXXX";
  if (mkdtemp(tmp.data()) == nullptr) return "mkdtemp";
  if (c.user != 0 && chown(tmp.c_str(), c.user, c.user) != 0) return "chown";
  int answer[2];
  if (pipe2(answer, O_CLOEXEC) != 0) return "pipe";
  const UniqueFd in(answer[0]);
  UniqueFd out(answer[1]);
  const pid_t child = fork();
  if (child == 0) {
    if (c.user != 0) become(c.user);
    const auto entered = enter_mount_namespace();
    const std::string left =
        entered ? left_by_killed_driver(c, tmp, delay_us) : to_line(entered.error());
    _exit(write(out.get(), left.data(), left.size()) < 0 ? 1 : 0);
  }
  out.reset();
  std::string left(4096, '\0');
  const ssize_t size = read(in.get(), left.data(), left.size());
  left.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) left += " the round's process failed";
  std::error_code ignored;
  fs::remove_all(tmp, ignored);
  return left;
}

class KilledDriver : public testing::TestWithParam<KilledCase> {};

TEST_P(KilledDriver, LeavesNothing) {
  const auto& c = GetParam();
  std::string reason;
  if (!sandbox_ns_available(&reason)) GTEST_SKIP() << "no private /dev/shm to look at: " << reason;
  reason = why_not(c.way, c.sandbox);
  if (!reason.empty()) GTEST_SKIP() << reason;
  if (c.user != 0 && geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  // The seed is printed: delays are what a failure depends on, though not on them alone.
  const unsigned seed = std::random_device()();
  std::minstd_rand random(seed);
  for (int round = 0; round < kRounds; ++round) {
    const int delay_us = static_cast<int>(random() % 400'000);
    ASSERT_EQ(run_round(c, delay_us), "") << "killed after " << delay_us << " us";
  }
}

std::vector<KilledCase> cases() {
  std::vector<KilledCase> all;
  std::vector<Way> ways = mpi_ways();
  ways.push_back(direct_ways()[0]);
  for (const auto& way : ways) {
    for (const Sandbox sandbox : {Sandbox::none, Sandbox::ns}) {
      for (const uid_t user : {uid_t{0}, kNobody}) all.push_back({way, sandbox, user});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, KilledDriver, testing::ValuesIn(cases()), [](const auto& c) {
  return c.param.way.name + "_" + std::string(name_of(c.param.sandbox)) +
         (c.param.user == 0 ? "" : "_nobody");
});

}  // namespace
}  // namespace allprove
