#include "framework/run/launch/spawner/rank_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "framework/base/errno_text.h"
#include "framework/run/launch/launcher.h"

namespace allprove {
namespace {

constexpr std::size_t kNewestBytesMax = 8192;
constexpr std::size_t kPieceBytes = std::size_t{1} << 16;  // as much as a pipe holds
constexpr int kPiecesMax = 4;  // in one go: a rank that prints without end is not the only one

// What a full disk does not take is lost: a log is a help, not a must.
void append(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

Result<RankPipe> RankPipe::make() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return internal_error("pipe: " + errno_text(errno));
  RankPipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
    return internal_error("pipe: " + errno_text(errno));
  }
  return pipe;
}

Result<RankLog> RankLog::open(const std::string& path, UniqueFd reads) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  struct stat before {};
  if (!file || fstat(file.get(), &before) != 0 ||
      (before.st_size > kLogBytesMax && ftruncate(file.get(), kLogBytesMax) != 0)) {
    return internal_error(path + ": " + errno_text(errno));
  }
  return RankLog(std::move(file), std::move(reads));
}

void RankLog::take() {
  char piece[kPieceBytes];
  for (int i = 0; i < kPiecesMax && reads_; ++i) {
    const auto size = read(reads_.get(), piece, sizeof piece);
    if (size > 0) {
      keep({piece, static_cast<std::size_t>(size)});
    } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
      reads_.reset();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

void RankLog::keep(std::string_view piece) {
  struct stat now {};
  if (fstat(file_.get(), &now) != 0) return;
  if (now.st_size < kLogBytesMax) {
    const auto head = piece.substr(0, static_cast<std::size_t>(kLogBytesMax - now.st_size));
    append(file_.get(), head);
    piece.remove_prefix(head.size());
  }
  if (piece.empty()) return;
  surplus_ += piece.size();
  newest_ += piece;
  if (newest_.size() > kNewestBytesMax) newest_.erase(0, newest_.size() - kNewestBytesMax);
  if (ftruncate(file_.get(), kLogBytesMax) != 0) return;
  append(file_.get(), fmt::format("\n[the log is full: {} bytes are left out here]\n{}",
                                  surplus_ - newest_.size(), newest_));
}

}  // namespace allprove
