#include "framework/report/results.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <nlohmann/json.hpp>

#include "framework/base/errno_text.h"

namespace allprove {
namespace {

namespace fs = std::filesystem;

std::string utc(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  const auto size = std::strftime(text, sizeof text, format, &parts);
  return std::string(text, size);
}

Result<fs::path> new_folder(std::string_view command) {
  const fs::path parent = "allprove-results";
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) {
    return usage_error(fmt::format("cannot make {}: {}", parent.string(), error.message()),
                       "give a folder that can be written with --out DIR");
  }
  const auto name = fmt::format("{}-{}", utc("%Y%m%dT%H%M%SZ"), command);
  for (int again = 0; again < 1000; ++again) {
    const auto folder = parent / (again == 0 ? name : fmt::format("{}-{}", name, again));
    if (fs::create_directory(folder, error)) {
      const auto link = parent / fmt::format(".latest-{}", getpid());
      fs::create_directory_symlink(folder.filename(), link, error);
      if (!error) fs::rename(link, parent / "latest", error);  // a link is a help, not a must
      return folder;
    }
    if (error) break;
  }
  return usage_error(fmt::format("cannot make a folder in {}: {}", parent.string(),
                                 error ? error.message() : "too many of this second"),
                     "give a folder that can be written with --out DIR");
}

Result<fs::path> given_folder(const fs::path& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (!error && !fs::is_directory(out)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) {
    return usage_error(fmt::format("--out {}: {}", out.string(), error.message()),
                       "give a folder that can be written");
  }
  // What a run writes as it goes must not be mixed with another's; nothing is removed.
  if (fs::exists(out / "history.jsonl")) {
    return usage_error(fmt::format("--out {}: holds the results of another run", out.string()),
                       "give another folder, or move that one away");
  }
  return out;
}

Error write_error(const fs::path& path, int code) {
  return Error{ErrorKind::internal,
               fmt::format("cannot write {}: {}", path.string(), errno_text(code)),
               code == ENOSPC ? "make room, or give another folder with --out DIR" : ""};
}

Status write_all(int fd, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return tl::unexpected(write_error(path, written < 0 ? errno : ENOSPC));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

std::string utc_now() { return utc("%Y-%m-%dT%H:%M:%SZ"); }

Result<ResultsFolder> ResultsFolder::create(const std::optional<fs::path>& out,
                                            std::string_view command) {
  auto folder = out ? given_folder(*out) : new_folder(command);
  if (!folder) return tl::unexpected(folder.error());
  const auto path = *folder / "history.jsonl";
  UniqueFd history(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644));
  if (!history) {
    return usage_error(fmt::format("cannot write {}: {}", path.string(), errno_text(errno)),
                       "give a folder that can be written with --out DIR");
  }
  return ResultsFolder(std::move(*folder), std::move(history));
}

Status ResultsFolder::append(const nlohmann::ordered_json& line) {
  const auto text =
      line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  struct stat before {};
  fstat(history_.get(), &before);
  auto status = write_all(history_.get(), text, folder_ / "history.jsonl");
  // Half a line would break every reader.
  if (!status && ftruncate(history_.get(), before.st_size) != 0) {
    status.error().message += "; half a line is left in it";
  }
  return status;
}

Status ResultsFolder::write(const fs::path& name, std::string_view text) {
  const auto path = folder_ / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const auto temporary = path.string() + ".part";
  {
    UniqueFd file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) return tl::unexpected(write_error(path, errno));
    auto status = write_all(file.get(), text, path);
    // EINVAL: a file system that does not know fsync().
    if (status && fsync(file.get()) != 0 && errno != EINVAL) {
      status = tl::unexpected(write_error(path, errno));
    }
    if (!status) {
      fs::remove(temporary, error);
      return status;
    }
  }
  fs::rename(temporary, path, error);
  if (error) return tl::unexpected(write_error(path, error.value()));
  return {};
}

}  // namespace allprove
