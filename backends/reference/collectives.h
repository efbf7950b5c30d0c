// Collectives over the lanes of one communicator. Every step is the same: each member writes a
// chunk into its lane, all meet, and each reads what it wants of the others' chunks.
//
// Calls are matched by order alone. Members that make different calls exchange whatever chunks they
// have: the data is then wrong, or, where one has more chunks than the other, someone waits for
// ever. Nothing is detected, as in a simple real library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/reference/arena.h"
#include "backends/reference/packed.h"

namespace allprove::reference {

enum class AllReduceAlgorithm {
  everyone_reduces,       // each member reads all inputs, and reduces them in the members' order
  gather_then_broadcast,  // the first member does, and the others read the result
  recursive_doubling,     // partial results are exchanged between members ever further apart
};
constexpr auto enum_names(AllReduceAlgorithm) {
  return std::to_array<std::string_view>(
      {"everyone_reduces", "gather_then_broadcast", "recursive_doubling"});
}

// A member's view of the communicator of its part.
class Members {
 public:
  // `lanes` by position in the part.
  Members(std::vector<Lane*> lanes, int position) : lanes_(std::move(lanes)), position_(position) {}

  int size() const { return static_cast<int>(lanes_.size()); }
  int position() const { return position_; }

  // One step: gives at most kChunkBytes to the others, and returns when they have given theirs,
  // which chunk() shows until this member's next step but one.
  void exchange(std::span<const std::byte> mine);
  const std::byte* chunk(int position) const;

 private:
  std::vector<Lane*> lanes_;
  int position_;
  std::uint32_t steps_ = 0;
};

// Takes part in one call, from its input to its output.
void perform(Members& members, PackedCall& call, AllReduceAlgorithm algorithm);

// Every member reads the inputs of these positions, and reduces them in this order.
void all_reduce_over(Members& members, std::span<std::byte> data, Dtype dtype, Op op,
                     std::span<const int> positions);

}  // namespace allprove::reference
