// Blocks: the runs of elements that a collective moves as one, by the rules of the MPI standard
// (4.0, chapter 6). A position's input is all that it gives, block after block in the order of the
// positions that get them; its output is all that it gets, in the order of those that gave them.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/intercomm.h"

namespace allprove {

// What the sizes of a call's blocks follow from, on one communicator.
struct BlockSizes {
  Collective collective = Collective::all_reduce;
  std::int64_t count = 1;                // of every block, where `counts` is empty
  std::span<const std::int64_t> counts;  // see Operation::counts
  bool in_place = false;
  int members = 1;                     // of the caller's side
  int root = 0;                        // position
  const Topology* topology = nullptr;  // of neighborhood collectives
  int remote = 0;                      // members of an intercommunicator's other side; 0: has none
  InterRole role = InterRole::remote;  // of a rooted collective on an intercommunicator

  // Elements of the block that `from` gives `to`; of a reduction, of what `to` gets.
  std::int64_t block(int from, int to) const;
  // From how many positions blocks come, and to how many they go, where all take part.
  int peers() const { return remote > 0 ? remote : members; }
};
// The values must outlive what is returned.
BlockSizes block_sizes_of(const Case& test_case, const Operation& operation,
                          const Membership& membership);

// Blocks of a position's input and of its output, in elements; none where it has no such buffer. A
// block for or from no neighbor (topology.h) is empty.
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

// Elements of the larger of a position's buffers; and of the largest buffer of any rank.
std::int64_t elements_of(const BlockSizes& sizes, int position);
std::int64_t elements_max(const Case& test_case, const Operation& operation);

}  // namespace allprove
