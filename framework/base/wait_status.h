// What has become of a process, by its status as waitpid() gives it: "exited with code 3".
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <string>

namespace allprove {

inline std::string describe_exit(int wait_status) {
  if (!WIFSIGNALED(wait_status)) {
    return fmt::format("exited with code {}", WEXITSTATUS(wait_status));
  }
  const int number = WTERMSIG(wait_status);
  const char* const name = sigabbrev_np(number);
  auto text = fmt::format("was killed by signal {} (SIG{})", number, name == nullptr ? "?" : name);
  if (number == SIGBUS) text += "; a full /dev/shm does this, too";
  return text;
}

}  // namespace allprove
