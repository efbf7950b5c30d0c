// The positions of a world's ranks in a shared memory file (memfd) that the driver made and passed
// to the workers: it can be read when a rank hangs, is stopped, or is dead.
#pragma once

#include <atomic>
#include <cstdint>

#include "framework/base/result.h"
#include "framework/base/unique_fd.h"
#include "framework/model/case.h"
#include "framework/model/position.h"

namespace allprove {

inline constexpr int kBoardGroupsMax = 64;  // as many groups as a case may have

// The line of one thread of a rank. Written by that thread alone; plain values, since each is read
// on its own and a reader that needs a consistent view reads twice.
struct alignas(64) BoardLine {
  std::atomic<std::uint32_t> case_number;
  std::atomic<std::int32_t> operation;
  std::atomic<std::int32_t> phase;
  std::atomic<std::int32_t> group;
  std::atomic<std::int32_t> call_number;
  std::atomic<std::int32_t> entered[kBoardGroupsMax];
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

class PositionBoard {
 public:
  // Driver: a new board.
  static Result<PositionBoard> create(int ranks);
  // Worker: the board behind a descriptor. The descriptor may be closed afterwards.
  static Result<PositionBoard> open(int fd, int ranks);

  PositionBoard(PositionBoard&& other) noexcept;
  PositionBoard& operator=(PositionBoard&& other) noexcept;
  ~PositionBoard();

  int fd() const { return fd_.get(); }

  // Worker's side. `begin_case` also sets every count to zero, and lets threads `threads` and up
  // have nothing to do.
  void begin_case(int rank, std::uint32_t number, int threads = 1);
  // Counts one more call on the group.
  void enter_collective(int rank, int operation, int group, int thread = 0);
  void enter_wait(int rank, int operation, int group, int call_number, int thread = 0);
  void leave(int rank, int thread = 0);        // back from the library
  void finish_case(int rank, int thread = 0);  // every operation of the thread is done
  int entered(int rank, int group, int thread = 0) const;

  // Driver's side. A rank that is still at an earlier case than `number` (they count from 1) has no
  // operation yet; one that is at a later case has finished this one, and `entered` is kEnteredAll
  // for every group. Of several threads, the position is that of the first one inside the library,
  // else of the first that has not finished.
  Position read(int rank, std::uint32_t number, int groups) const;

 private:
  PositionBoard(UniqueFd fd, BoardLine* lines, std::size_t bytes);
  BoardLine& line(int rank, int thread) const { return lines_[rank * kThreadsMax + thread]; }
  const BoardLine& telling_line(int rank) const;

  UniqueFd fd_;
  BoardLine* lines_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace allprove
