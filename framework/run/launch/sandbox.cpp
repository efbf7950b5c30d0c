#include "framework/run/launch/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "framework/base/clock.h"
#include "framework/base/errno_text.h"
#include "framework/base/unique_fd.h"

namespace allprove {
namespace {

auto system_error(const char* what) {
  return internal_error(std::string(what) + ": " + errno_text(errno),
                        "--sandbox none needs no namespaces");
}

bool write_file(const char* path, const std::string& text) {
  const UniqueFd fd(open(path, O_WRONLY | O_CLOEXEC));
  return fd && write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// In the new namespace the user is who it was, so that files and checks for root stay the same.
Status enter_user_namespace() {
  const std::string uid = std::to_string(geteuid());
  const std::string gid = std::to_string(getegid());
  if (unshare(CLONE_NEWUSER) != 0) return system_error("cannot make a user namespace");
  if (!write_file("/proc/self/setgroups", "deny") ||
      !write_file("/proc/self/uid_map", uid + " " + uid + " 1") ||
      !write_file("/proc/self/gid_map", gid + " " + gid + " 1")) {
    return system_error("cannot map the user into a user namespace");
  }
  return {};
}

// The init of the PID namespace: it reaps, and dies with its parent. Calls async-signal-safe
// functions alone, since the parent may have threads. Says on the pipe which errno stopped it, or
// 0.
[[noreturn]] void run_init(int pipe, int parent_alive_fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "allprove-init");
  signal(SIGTERM, SIG_IGN);
  pollfd parent = {parent_alive_fd, 0, 0};
  if (poll(&parent, 1, 0) != 0) _exit(1);  // it died before the signal was asked for
  const int failure =
      mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0 ? 0 : errno;
  if (write(pipe, &failure, sizeof failure) != sizeof failure || failure != 0) _exit(1);
  close_range(0, ~0U, 0);  // hold nothing of the driver's open
  for (;;) {
    if (waitpid(-1, nullptr, 0) < 0) pause();
  }
}

Status try_sandbox() {
  if (auto entered = enter_mount_namespace(); !entered) return entered;
  auto init = start_pid_namespace();
  if (!init) return tl::unexpected(init.error());
  kill(*init, SIGKILL);
  waitpid(*init, nullptr, 0);
  return {};
}

}  // namespace

Status enter_mount_namespace() {
  if (geteuid() != 0) {
    if (auto entered = enter_user_namespace(); !entered) return entered;
  }
  if (unshare(CLONE_NEWNS | CLONE_NEWIPC) != 0) {
    return system_error("cannot make mount and IPC namespaces");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return system_error("cannot make mounts private");
  }
  if (mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") != 0) {
    return system_error("cannot mount a private /dev/shm");
  }
  return {};
}

Result<pid_t> start_pid_namespace() {
  int answer[2];
  int alive[2];  // its write end is ours alone: closed when we die
  if (pipe2(answer, O_CLOEXEC) != 0) return system_error("cannot make a pipe");
  const UniqueFd answer_in(answer[0]);
  UniqueFd answer_out(answer[1]);
  if (pipe2(alive, O_CLOEXEC) != 0) return system_error("cannot make a pipe");
  const UniqueFd alive_in(alive[0]);
  const UniqueFd alive_out(alive[1]);

  if (unshare(CLONE_NEWPID) != 0) return system_error("cannot make a PID namespace");
  const pid_t init = fork();
  if (init < 0) return system_error("cannot fork");
  if (init == 0) {
    close(alive[1]);
    run_init(answer[1], alive[0]);
  }
  answer_out.reset();
  int failure = ECHILD;
  if (read(answer_in.get(), &failure, sizeof failure) != sizeof failure) failure = ECHILD;
  if (failure == 0) return init;
  kill(init, SIGKILL);
  waitpid(init, nullptr, 0);
  errno = failure;
  return system_error("cannot mount /proc in a PID namespace");
}

bool sandbox_ns_available(std::string* why_not) {
  const auto unavailable = [&](const std::string& reason) {
    if (why_not != nullptr) *why_not = reason;
    return false;
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return unavailable(errno_text(errno));
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  const pid_t child = fork();
  if (child < 0) return unavailable(errno_text(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto tried = try_sandbox();
    const std::string answer = tried ? "ok" : tried.error().message;
    _exit(write(out.get(), answer.data(), answer.size()) < 0 ? 1 : 0);
  }
  out.reset();
  pollfd readable = {in.get(), POLLIN, 0};
  std::string answer(512, '\0');
  ssize_t size = -1;
  if (poll(&readable, 1, 2000) == 1) size = read(in.get(), answer.data(), answer.size());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (size <= 0) return unavailable("no answer from a trial within 2 s");
  answer.resize(static_cast<std::size_t>(size));
  return answer == "ok" || unavailable(answer);
}

}  // namespace allprove
