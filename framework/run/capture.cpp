#include "framework/run/capture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "framework/base/errno_text.h"
#include "framework/base/unique_fd.h"

extern char** environ;

namespace allprove {
namespace {

constexpr std::size_t kBytesMax = std::size_t{1} << 20;

// Reads until end of file; false when the deadline passes or too much comes first.
bool read_all(int fd, Deadline deadline, std::string& text) {
  while (text.size() <= kBytesMax) {
    pollfd polled{fd, POLLIN, 0};
    if (deadline.passed()) return false;
    if (poll(&polled, 1, deadline.left_ms()) <= 0) continue;
    char piece[4096];
    const auto got = read(fd, piece, sizeof piece);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (got > 0) text.append(piece, static_cast<std::size_t>(got));
  }
  return false;
}

// The wait status of a child, which is killed when the deadline passes.
int reap(pid_t pid, Deadline deadline) {
  constexpr timespec kNap{0, 1'000'000};
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (deadline.passed()) kill(pid, SIGKILL);
    nanosleep(&kNap, nullptr);
  }
  return status;
}

}  // namespace

Result<std::string> capture(const std::vector<std::string>& argv, Milliseconds bound) {
  const auto deadline = Deadline::after(bound);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return internal_error("cannot make a pipe: " + errno_text(errno));
  UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return internal_error(fmt::format("cannot run {}: {}", argv[0], errno_text(failed)));
  }
  to.reset();
  std::string text;
  if (!read_all(from.get(), deadline, text)) kill(pid, SIGKILL);
  const int status = reap(pid, deadline);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return internal_error(fmt::format("{} failed", argv[0]));
  }
  return text;
}

}  // namespace allprove
