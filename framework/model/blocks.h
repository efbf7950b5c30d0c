// Blocks: the runs of elements that a collective moves as one, by the rules of the MPI standard
// (4.0, chapter 6). A position's input is all that it gives, block after block in the order of the
// positions that get them; its output is all that it gets, in the order of those that gave them.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "framework/model/case.h"

namespace allprove {

// What the sizes of a call's blocks follow from.
struct BlockSizes {
  Collective collective = Collective::all_reduce;
  std::int64_t count = 1;                // of every block, where `counts` is empty
  std::span<const std::int64_t> counts;  // see Operation::counts
  bool in_place = false;
  int members = 1;
  int root = 0;  // position

  // Elements of the block that `from` gives `to`; of a reduction, of what `to` gets.
  std::int64_t block(int from, int to) const;
};
BlockSizes block_sizes_of(const Operation& operation, int members);

// Blocks of a position's input and of its output, in elements; none where it has no such buffer.
std::vector<std::int64_t> given_blocks(const BlockSizes& sizes, int position);
std::vector<std::int64_t> received_blocks(const BlockSizes& sizes, int position);

inline std::int64_t total(const std::vector<std::int64_t>& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
}

// Whether the position passes MPI_IN_PLACE: of a rooted collective, the root alone may.
bool is_in_place(const BlockSizes& sizes, int position);

// What the buffers of a position hold.
struct BufferPlan {
  std::vector<std::int64_t> send;     // blocks of the send buffer; empty: there is none
  std::vector<std::int64_t> receive;  // blocks of the receive buffer; empty: there is none
  // Where in the receive buffer the input lies before the call, in elements; -1: it does not.
  std::int64_t input_at = -1;
};
BufferPlan buffer_plan(const BlockSizes& sizes, int position);

// Elements that a position's input and output hold at most, over all positions.
std::int64_t elements_max(const BlockSizes& sizes);

}  // namespace allprove
