// The text of an errno value. Where a limit of this process is behind it: which, and how to raise
// it.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace allprove {

inline std::string errno_text(int code) {
  if (code != EMFILE) return std::strerror(code);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return fmt::format("{}: the limit is {}; raise it with `ulimit -n 1024`", std::strerror(code),
                     limit.rlim_cur);
}

}  // namespace allprove
