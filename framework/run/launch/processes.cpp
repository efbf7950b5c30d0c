#include "framework/run/launch/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>

#include "framework/base/unique_fd.h"

namespace allprove {
namespace {

std::string read_proc(pid_t pid, const char* file) {
  std::string text;
  const UniqueFd fd(
      open(("/proc/" + std::to_string(pid) + "/" + file).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return text;  // gone, or not ours to read
  char buffer[16384];
  ssize_t size = 0;
  while ((size = read(fd.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  return text;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  DIR* const proc = opendir("/proc");
  if (proc == nullptr) return pids;
  while (const dirent* const entry = readdir(proc)) {
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid > 0) pids.push_back(pid);
  }
  closedir(proc);
  return pids;
}

bool is_marked(pid_t pid, const std::string& entry) {
  std::string environment(1, '\0');
  environment += read_proc(pid, "environ");
  return environment.find('\0' + entry + '\0') != std::string::npos;
}

// What follows the name in "stat": the state and the parent. Empty when the process has gone.
std::string status_of(pid_t pid) {
  const std::string text = read_proc(pid, "stat");
  const auto name_end = text.rfind(") ");  // the name before it may hold anything
  if (name_end == std::string::npos || text.size() < name_end + 5) return {};
  return text.substr(name_end + 2);
}

std::optional<pid_t> parent_of(pid_t pid) {
  const auto status = status_of(pid);
  if (status.empty()) return std::nullopt;
  return static_cast<pid_t>(std::strtol(status.c_str() + 2, nullptr, 10));
}

// The descriptor is taken before the question is asked: whoever holds the pid by then, only the
// process that the answer was about, or an even older and dead one, can be hit. Returns the
// descriptor, which becomes readable when the process has ended; none if there was nothing to kill.
UniqueFd kill_if(pid_t pid, const std::function<bool(pid_t)>& still_meant) {
  UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process || !still_meant(pid)) return {};
  syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  return process;
}

}  // namespace

std::vector<pid_t> processes_marked(const std::string& entry) {
  std::vector<pid_t> found;
  const pid_t self = getpid();
  for (const pid_t pid : all_processes()) {
    if (pid != self && is_marked(pid, entry)) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> kill_marked(const std::string& entry, Deadline deadline) {
  for (;;) {
    auto found = processes_marked(entry);
    if (found.empty() || deadline.passed()) return found;
    std::vector<UniqueFd> killed;
    for (const pid_t pid : found) {
      killed.push_back(kill_if(pid, [&](pid_t p) { return is_marked(p, entry); }));
    }
    // A dying process loses its environment, and is not found again, before it closes its files.
    for (const auto& process : killed) {
      pollfd ended = {process.get(), POLLIN, 0};
      if (process) poll(&ended, 1, deadline.left_ms());
    }
  }
}

void kill_descendants() {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : all_processes()) {
    if (const auto parent = parent_of(pid)) children.emplace(*parent, pid);
  }
  std::vector<pid_t> parents = {getpid()};
  while (!parents.empty()) {
    const pid_t parent = parents.back();
    parents.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) {
      parents.push_back(child->second);
      kill_if(child->second, [&](pid_t pid) { return parent_of(pid) == parent; });
    }
  }
}

bool is_stopped(pid_t pid) {
  const auto status = pid > 0 ? status_of(pid) : std::string();
  return !status.empty() && (status[0] == 'T' || status[0] == 't');
}

std::string describe_process(pid_t pid) {
  std::string name = read_proc(pid, "comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return std::to_string(pid) + " (" + (name.empty() ? "gone" : name) + ")";
}

}  // namespace allprove
