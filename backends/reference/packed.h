// The buffers of a call without their gaps: block after block, element after element. The
// collectives work on these; displacements and layouts are left behind on the way in, and met again
// on the way out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/run/worker/backend.h"
#include "framework/run/worker/placement.h"

namespace allprove::reference {

struct PackedCall {
  Collective collective = Collective::all_reduce;
  Dtype dtype = Dtype::int32;
  Op op = Op::sum;
  int root = 0;
  std::vector<std::int64_t> given;     // elements of each block of the input
  std::vector<std::byte> input;        // empty where the member gives nothing
  std::vector<std::int64_t> received;  // elements of each block of the result
  // As the receive buffer is; the call lets its result replace the beginning.
  std::vector<std::byte> output;
};

// A member's call, with its input; and the way back of its output.
PackedCall pack(const CollectiveArguments& arguments, int members, int position);
void unpack(const PackedCall& call, const CollectiveArguments& arguments, int members);

// Elements of the blocks of one of the call's buffers, and where they lie; none without a buffer.
std::vector<std::int64_t> blocks_of(const CollectiveArguments& arguments, const BufferSide& side,
                                    int members);
Placement placement_of(const CollectiveArguments& arguments, const BufferSide& side, int members);

}  // namespace allprove::reference
