#include "framework/run/launch/janitor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>
#include <vector>

#include "framework/base/errno_text.h"
#include "framework/run/launch/files.h"
#include "framework/run/launch/plan.h"
#include "framework/run/launch/processes.h"
#include "framework/run/launch/random_id.h"

namespace allprove {
namespace {

namespace fs = std::filesystem;

constexpr char kCleanEnd = 'C';

void remove_directory(const fs::path& directory) {
  remove_contents(directory);
  rmdir(directory.c_str());
}

// Spawners end their worlds by themselves when the driver is gone, and know them better than a
// search by markers does: they get a moment before the search.
void end_processes(const std::string& run_id) {
  const std::string marker = std::string(kRunVariable) + "=" + run_id;
  const Deadline gentle = Deadline::after(Milliseconds(1000));
  while (!processes_marked(marker).empty() && !gentle.passed()) {
    std::this_thread::sleep_for(Milliseconds(10));
  }
  // Twice: what was just being forked from the driver carries no marker before its exec.
  for (int round = 0; round < 2; ++round) {
    kill_marked(marker, Deadline::after(Milliseconds(1500)));
    std::this_thread::sleep_for(Milliseconds(20));
  }
}

[[noreturn]] void run_janitor(int pipe, const fs::path& run_directory, const std::string& run_id) {
  const timespec started_at = file_time_now();
  setsid();
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    signal(signal_number, SIG_IGN);
  }
  dup2(pipe, 3);  // first: a driver without standard input has it below 3
  // Whoever reads the driver's output must see its end with the driver, and no directory be held.
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  close_range(4, ~0U, 0);
  if (chdir("/") != 0) _exit(1);

  char word = 0;
  ssize_t size = 0;
  do {
    size = read(3, &word, 1);
  } while (size < 0 && errno == EINTR);
  if (size != 1 || word != kCleanEnd) end_processes(run_id);
  remove_stray_files(started_at);
  remove_directory(shared_memory_directory(run_id));
  remove_directory(run_directory);
  _exit(fs::exists(run_directory) ? 1 : 0);
}

}  // namespace

fs::path choose_run_directory() {
  const char* const chosen = std::getenv("TMPDIR");
  const fs::path parent = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  return fs::absolute(parent) / ("allprove-" + random_id());
}

std::string make_run_id() { return random_id(); }

Result<Janitor> Janitor::start(const fs::path& run_directory, const std::string& run_id) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return internal_error("janitor: " + errno_text(errno));
  }
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return internal_error("janitor: " + errno_text(errno));
  if (pid == 0) run_janitor(in.get(), run_directory, run_id);
  Janitor janitor(pid, std::move(out));
  if (mkdir(run_directory.c_str(), 0700) != 0) {
    return internal_error(run_directory.string() + ": " + errno_text(errno),
                          "set TMPDIR to a directory that can be written to");
  }
  return janitor;
}

Janitor::Janitor(pid_t pid, UniqueFd pipe) : pid_(pid), pipe_(std::move(pipe)) {}

Janitor::Janitor(Janitor&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), pipe_(std::move(other.pipe_)) {}

Janitor::~Janitor() = default;  // the closed pipe says it all

Status Janitor::finish(Deadline deadline) {
  if (write(pipe_.get(), &kCleanEnd, 1) != 1) {
    return internal_error("the janitor has died; the run's files may be left");
  }
  pipe_.reset();
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  pollfd exit = {process.get(), POLLIN, 0};
  if (poll(&exit, 1, deadline.left_ms()) != 1) return internal_error("the janitor does not end");
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_ || status != 0) {
    return internal_error("the janitor could not remove the run's directory");
  }
  return {};
}

}  // namespace allprove
