// What a rank prints, on its way into a log file that cannot fill the disk: the rank writes into a
// pipe, the spawner reads it. The first kLogBytesMax bytes stay; of what comes later the newest do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/base/result.h"
#include "framework/base/unique_fd.h"

namespace allprove {

// The ends of a pipe; reading does not block.
struct RankPipe {
  UniqueFd reads;
  UniqueFd writes;

  static Result<RankPipe> make();
};

// One rank of one world. Worlds of a run share the files: what an earlier one left past
// kLogBytesMax makes room.
class RankLog {
 public:
  static Result<RankLog> open(const std::string& path, UniqueFd reads);

  // Readable when there is something to take(); -1 once nobody can write any more.
  int poll_fd() const { return reads_.get(); }
  // All that the pipe holds now; does not block.
  void take();

 private:
  RankLog(UniqueFd file, UniqueFd reads) : file_(std::move(file)), reads_(std::move(reads)) {}
  void keep(std::string_view piece);

  UniqueFd file_;
  UniqueFd reads_;
  std::string newest_;         // of what came when the file was full
  std::uint64_t surplus_ = 0;  // how much that was
};

}  // namespace allprove
