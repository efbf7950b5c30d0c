#include "backends/reference/arena.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>

namespace allprove::reference {
namespace {

constexpr std::size_t kHeaderBytes = 4096;
// Ranks often share cores: a waiting one looks a few times and then sleeps. It does not yield
// instead: on a busy machine that was 20 times slower, since whoever else wants the core gets a
// whole time slice, while a sleeper that is woken runs at once.
constexpr int kLooks = 64;

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  // Not FUTEX_PRIVATE: the word is shared between processes. Waking too early, being interrupted
  // and a changed word all mean the same to the caller: look again.
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, nullptr, nullptr,
          0);
}

// Rounds are compared by their distance, so that they may wrap.
bool reached(std::uint32_t generation, std::uint32_t round) {
  return static_cast<std::int32_t>(generation - round) >= 0;
}

bool wait_awake(const std::atomic<std::uint32_t>& generation, std::uint32_t round) {
  for (int i = 0; i < kLooks; ++i) {
    if (reached(generation.load(std::memory_order_acquire), round)) return true;
    __builtin_ia32_pause();
  }
  return false;
}

}  // namespace

void pass(SharedBarrier& barrier, std::uint32_t members, std::uint32_t round) {
  if (barrier.arrived.fetch_add(1) + 1 == members * round) {
    barrier.generation.store(round);
    if (barrier.sleepers.load() > 0) futex(barrier.generation, FUTEX_WAKE, INT_MAX);
    return;
  }
  if (wait_awake(barrier.generation, round)) return;
  // Announced before the last look: whoever comes last sees the sleeper or is seen.
  barrier.sleepers.fetch_add(1);
  for (;;) {
    const auto seen = barrier.generation.load();
    if (reached(seen, round)) break;
    futex(barrier.generation, FUTEX_WAIT, seen);
  }
  barrier.sleepers.fetch_sub(1);
}

Result<Arena> Arena::join(const UniqueFd& fd, int slot, int size) {
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) {
    return internal_error(fmt::format("the shared memory of the world: {}", std::strerror(errno)));
  }
  const auto bytes = static_cast<std::size_t>(info.st_size);
  const auto block_bytes = sizeof(Lane) * static_cast<std::size_t>(size);
  if (bytes < kHeaderBytes + block_bytes) {
    return internal_error(
        fmt::format("{} bytes of shared memory are too few for {} ranks", bytes, size));
  }
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd.get(), 0);
  if (memory == MAP_FAILED) {
    return internal_error(fmt::format("mapping the shared memory: {}", std::strerror(errno)));
  }
  auto* const header = static_cast<Header*>(memory);  // a new file is all zero, as it must begin
  const int rank = slot >= 0 ? slot : header->next_rank.fetch_add(1);
  if (rank >= size) {
    return internal_error(fmt::format("rank {} in a world of {} ranks", rank, size));
  }
  return Arena(static_cast<std::byte*>(memory), (bytes - kHeaderBytes) / block_bytes, rank, size);
}

Arena::Arena(std::byte* memory, std::size_t blocks, int rank, int size)
    : memory_(memory), rank_(rank), size_(size), blocks_(static_cast<int>(blocks)) {}

void Arena::meet() { pass(header().barrier, static_cast<std::uint32_t>(size_), ++round_); }

int Arena::free_block() const {
  for (int block = 0; block < blocks_; ++block) {
    if (lane(block, 0).holders.load() == 0) return block;
  }
  return -1;
}

int Arena::take_block() {
  meet();  // whoever took a block before has counted as its holder
  if (rank_ == 0) header().taken.store(free_block());
  meet();
  const int block = header().taken.load();
  if (block < 0) return block;
  lane(block, 0).holders.fetch_add(1);
  new (&lane(block, rank_).barrier) SharedBarrier{};
  meet();
  return block;
}

Lane& Arena::lane(int block, int rank) const {
  auto* const lanes = reinterpret_cast<Lane*>(memory_ + kHeaderBytes);
  return lanes[static_cast<std::ptrdiff_t>(block) * size_ + rank];
}

}  // namespace allprove::reference
