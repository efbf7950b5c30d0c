#include "framework/run/launch/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "framework/base/errno_text.h"
#include "framework/base/unique_fd.h"

namespace allprove {
namespace {

namespace fs = std::filesystem;

// By prefix: what ranks killed at a bad moment leave. MPICH and UCX make their segments at fixed
// places and unlink them once all ranks have them. Open MPI's place is chosen by launch(), unless
// the user's environment chose another.
constexpr std::array<std::string_view, 4> kPatterns = {"mpich_shar_tmp", "ucx_shm_posix_",
                                                       "vader_segment.", "sm_segment."};
constexpr std::array<const char*, 2> kPlaces = {"/dev/shm", "/tmp"};

bool matches(const std::string& name) {
  for (const auto pattern : kPatterns) {
    if (name.starts_with(pattern)) return true;
  }
  return false;
}

bool is_before(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// Holds the lease until closed. Whoever opens the file meanwhile waits, and we get SIGURG, which
// does nothing.
bool is_unused(int fd) {
  return fcntl(fd, F_SETSIG, SIGURG) == 0 && fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
}

std::string remove_stray_file(const fs::path& path, timespec since) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat file {};
  if (!fd || fstat(fd.get(), &file) != 0) return {};
  if (!S_ISREG(file.st_mode) || file.st_uid != geteuid()) return {};
  if (is_before(file.st_ctim, since) || !is_unused(fd.get())) return {};
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return path.string() + ": " + errno_text(errno);
}

}  // namespace

fs::path shared_memory_directory(const std::string& run_id) {
  return fs::path("/dev/shm") / ("allprove-" + run_id);
}

std::vector<std::string> remove_contents(const fs::path& directory) {
  std::vector<std::string> left;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code failure;
    fs::remove_all(entry->path(), failure);
    if (failure) left.push_back(entry->path().string() + ": " + failure.message());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    left.push_back(directory.string() + ": " + error.message());
  }
  return left;
}

timespec file_time_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

std::vector<std::string> remove_stray_files(timespec since) {
  std::vector<std::string> left;
  for (const auto* const place : kPlaces) {
    std::error_code error;
    for (fs::directory_iterator entry(place, error), end; !error && entry != end;
         entry.increment(error)) {
      if (!matches(entry->path().filename().string())) continue;
      if (auto line = remove_stray_file(entry->path(), since); !line.empty()) {
        left.push_back(std::move(line));
      }
    }
    if (error) left.push_back(std::string(place) + ": " + error.message());
  }
  return left;
}

}  // namespace allprove
