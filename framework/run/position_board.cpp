#include "framework/run/position_board.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <new>
#include <utility>

#include "framework/base/check.h"
#include "framework/base/errno_text.h"

namespace allprove {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
// Stands in a line while begin_case() changes it: a reader of that moment sees no operation.
constexpr std::uint32_t kNoCase = 0;

std::size_t lines_for(int ranks) { return static_cast<std::size_t>(ranks) * kThreadsMax; }
std::size_t bytes_for(int ranks) { return lines_for(ranks) * sizeof(BoardLine); }

Phase phase_of(const BoardLine& line) {
  const int phase = line.phase.load(std::memory_order_acquire);
  return phase >= 0 && phase <= static_cast<int>(Phase::finished)
             ? static_cast<Phase>(phase)
             : Phase::idle;  // the library has overwritten the board
}

Result<BoardLine*> map_lines(int fd, std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    return internal_error(fmt::format("mapping the position board: {}", errno_text(errno)));
  }
  return static_cast<BoardLine*>(memory);
}

}  // namespace

Result<PositionBoard> PositionBoard::create(int ranks) {
  ALLPROVE_CHECK(ranks >= 1 && ranks <= kRanksMax);
  const auto bytes = bytes_for(ranks);
  UniqueFd fd(memfd_create("allprove-positions", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Of a fixed size: no rank can take it away under the driver's feet (SIGBUS).
  if (!fd || ftruncate(fd.get(), static_cast<off_t>(bytes)) ||
      fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
    return internal_error(fmt::format("making the position board: {}", errno_text(errno)));
  }
  const auto lines = map_lines(fd.get(), bytes);
  if (!lines) return tl::unexpected(lines.error());
  PositionBoard board(std::move(fd), *lines, bytes);
  for (std::size_t i = 0; i < lines_for(ranks); ++i) {
    new (board.lines_ + i) BoardLine{};
    board.lines_[i].operation.store(-1, kRelaxed);
  }
  return board;
}

Result<PositionBoard> PositionBoard::open(int fd, int ranks) {
  const auto bytes = bytes_for(ranks);
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_size != static_cast<off_t>(bytes)) {
    return internal_error("the position board is not of the size of this world");
  }
  const auto lines = map_lines(fd, bytes);
  if (!lines) return tl::unexpected(lines.error());
  return PositionBoard(UniqueFd(), *lines, bytes);
}

PositionBoard::PositionBoard(UniqueFd fd, BoardLine* lines, std::size_t bytes)
    : fd_(std::move(fd)), lines_(lines), bytes_(bytes) {}

PositionBoard::PositionBoard(PositionBoard&& other) noexcept
    : fd_(std::move(other.fd_)),
      lines_(std::exchange(other.lines_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

PositionBoard& PositionBoard::operator=(PositionBoard&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(lines_, other.lines_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PositionBoard::~PositionBoard() {
  if (lines_ != nullptr) munmap(lines_, bytes_);
}

void PositionBoard::begin_case(int rank, std::uint32_t number, int threads) {
  auto& case_number = line(rank, 0).case_number;
  case_number.store(kNoCase, kRelaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (int thread = 0; thread < kThreadsMax; ++thread) {
    auto& of_thread = line(rank, thread);
    const auto phase = thread < threads ? Phase::idle : Phase::finished;
    of_thread.phase.store(static_cast<int>(phase), kRelaxed);
    of_thread.operation.store(-1, kRelaxed);
    for (auto& count : of_thread.entered) count.store(0, kRelaxed);
  }
  case_number.store(number, std::memory_order_release);
}

void PositionBoard::enter_collective(int rank, int operation, int group, int thread) {
  auto& count = line(rank, thread).entered[group];
  const int call_number = count.load(kRelaxed) + 1;  // this thread is the only writer
  count.store(call_number, kRelaxed);
  enter_wait(rank, operation, group, call_number, thread);
}

void PositionBoard::enter_wait(int rank, int operation, int group, int call_number, int thread) {
  auto& of_thread = line(rank, thread);
  of_thread.operation.store(operation, kRelaxed);
  of_thread.group.store(group, kRelaxed);
  of_thread.call_number.store(call_number, kRelaxed);
  of_thread.phase.store(static_cast<int>(Phase::called), std::memory_order_release);
}

void PositionBoard::leave(int rank, int thread) {
  line(rank, thread).phase.store(static_cast<int>(Phase::idle), std::memory_order_release);
}

void PositionBoard::finish_case(int rank, int thread) {
  line(rank, thread).phase.store(static_cast<int>(Phase::finished), std::memory_order_release);
}

int PositionBoard::entered(int rank, int group, int thread) const {
  return line(rank, thread).entered[group].load(kRelaxed);
}

const BoardLine& PositionBoard::telling_line(int rank) const {
  for (const auto phase : {Phase::called, Phase::idle}) {
    for (int thread = 0; thread < kThreadsMax; ++thread) {
      if (phase_of(line(rank, thread)) == phase) return line(rank, thread);
    }
  }
  return line(rank, 0);
}

Position PositionBoard::read(int rank, std::uint32_t number, int groups) const {
  ALLPROVE_CHECK(groups >= 0 && groups <= kBoardGroupsMax);
  const auto& case_number = line(rank, 0).case_number;
  const auto at = case_number.load(std::memory_order_acquire);
  Position position;
  position.entered.resize(static_cast<std::size_t>(groups), 0);
  if (at == kNoCase || at < number) return position;
  if (at == number) {
    const auto& telling = telling_line(rank);
    position.phase = phase_of(telling);
    position.operation = telling.operation.load(kRelaxed);
    if (position.phase == Phase::called) {
      position.group = telling.group.load(kRelaxed);
      position.call_number = telling.call_number.load(kRelaxed);
    }
    for (int thread = 0; thread < kThreadsMax; ++thread) {
      for (int group = 0; group < groups; ++group) {
        position.entered[static_cast<std::size_t>(group)] += entered(rank, group, thread);
      }
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (case_number.load(kRelaxed) == at) return position;
  }
  // At a later case by now.
  position = Position{};
  position.phase = Phase::finished;
  position.entered.resize(static_cast<std::size_t>(groups), kEnteredAll);
  return position;
}

}  // namespace allprove
