#include "framework/run/launch/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "framework/run/launch/random_id.h"

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string first_line(pid_t pid, const char* file) {
  std::string line;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/" + file), line, '\0');
  return line;
}

// `sleep` with exactly that environment, seen to have started.
pid_t start_sleep(const std::string& entry) {
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execle("/bin/sleep", "sleep", "100", nullptr,
           std::vector<char*>{const_cast<char*>(entry.c_str()), nullptr}.data());
    _exit(127);
  }
  const Deadline deadline = Deadline::after(Milliseconds(20'000));
  while (first_line(pid, "comm") != "sleep\n" || first_line(pid, "environ") != entry) {
    if (deadline.passed()) {
      ADD_FAILURE() << "sleep does not start";
      break;
    }
    std::this_thread::sleep_for(Milliseconds(1));
  }
  return pid;
}

void end(pid_t pid) {
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

TEST(Processes, OnlyTheExactMarkerIsFound) {
  const std::string marker = "ALLPROVE_TEST=" + random_id();
  const pid_t marked = start_sleep(marker);
  const pid_t longer = start_sleep(marker + "0");
  const pid_t prefixed = start_sleep("X" + marker);
  EXPECT_THAT(processes_marked(marker), ElementsAre(marked));
  for (const pid_t pid : {marked, longer, prefixed}) end(pid);
  EXPECT_THAT(processes_marked(marker), IsEmpty());
}

TEST(Processes, OnlyMarkedOnesAreKilled) {
  const std::string marker = "ALLPROVE_TEST=" + random_id();
  const pid_t marked = start_sleep(marker);
  const pid_t other = start_sleep(marker + "0");
  EXPECT_THAT(kill_marked(marker, Deadline::after(Milliseconds(10'000))), IsEmpty());
  EXPECT_EQ(waitpid(marked, nullptr, 0), marked);
  EXPECT_EQ(waitpid(other, nullptr, WNOHANG), 0);  // lives
  end(other);
}

TEST(Processes, AStoppedOneIsKilledToo) {
  const std::string marker = "ALLPROVE_TEST=" + random_id();
  const pid_t marked = start_sleep(marker);
  kill(marked, SIGSTOP);
  EXPECT_THAT(kill_marked(marker, Deadline::after(Milliseconds(10'000))), IsEmpty());
  EXPECT_EQ(waitpid(marked, nullptr, 0), marked);
}

TEST(Processes, AreDescribedByPidAndName) {
  const pid_t pid = start_sleep("A=1");
  EXPECT_EQ(describe_process(pid), std::to_string(pid) + " (sleep)");
  end(pid);
}

}  // namespace
}  // namespace allprove
