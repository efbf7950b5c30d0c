// The memory that the ranks of a world share: lanes in which they pass data on, and barriers at
// which they wait for each other. A rank that never comes leaves the others waiting for ever: that
// is what a collective library does, and for the driver to notice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "framework/base/result.h"
#include "framework/base/unique_fd.h"

namespace allprove::reference {

inline constexpr std::size_t kChunkBytes = std::size_t{32} << 10;

// A barrier that any number of processes pass together, again and again.
struct SharedBarrier {
  std::atomic<std::uint32_t> arrived;     // since the beginning
  std::atomic<std::uint32_t> generation;  // how often all have come; a futex
  std::atomic<std::uint32_t> sleepers;
};

// Waits until `members` processes have come for the `round`-th time (from 1).
void pass(SharedBarrier& barrier, std::uint32_t members, std::uint32_t round);

// What one rank shares on one communicator. Two chunks, so that the next can be written while the
// others still read the one before.
struct Lane {
  alignas(64) SharedBarrier barrier;  // of the part whose first member is this rank
  std::atomic<std::int32_t> holders;  // ranks that hold the block; counts in rank 0's lane alone
  alignas(64) std::byte chunks[2][kChunkBytes];
};

// The shared memory of a world, and which of its blocks are in use. A block has a lane for every
// rank of the world, and serves all parts of one group. All ranks take blocks in the same order;
// they give them back when each is done with it (a call under way keeps its block), so that which
// one is free is for one rank to say.
class Arena {
 public:
  // Joins as rank `slot`, or as the next one when that is negative.
  static Result<Arena> join(const UniqueFd& fd, int slot, int size);

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Returns when all ranks of the world have come.
  void meet();

  // A block with its barriers at their beginning, or -1 when all are in use. All ranks meet.
  int take_block();
  void give_back(int block) { lane(block, 0).holders.fetch_sub(1); }
  Lane& lane(int block, int rank) const;

 private:
  struct Header {
    std::atomic<std::int32_t> next_rank;
    std::atomic<std::int32_t> taken;  // the block that was taken last
    SharedBarrier barrier;
  };

  Arena(std::byte* memory, std::size_t blocks, int rank, int size);
  Header& header() const { return *reinterpret_cast<Header*>(memory_); }
  int free_block() const;

  std::byte* memory_ = nullptr;  // mapped until the process ends
  int rank_;
  int size_;
  int blocks_;
  std::uint32_t round_ = 0;
};

}  // namespace allprove::reference
