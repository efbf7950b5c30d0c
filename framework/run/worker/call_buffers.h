// The buffers of a collective call: made, filled and guarded before it, judged after it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/model/blocks.h"
#include "framework/model/case.h"
#include "framework/oracle/oracle.h"
#include "framework/run/worker/backend.h"
#include "framework/run/worker/buffer_pool.h"
#include "framework/run/worker/placement.h"

namespace allprove {

// The byte with which outputs are filled before a call.
inline constexpr std::byte kUntouched{0xA5};

// One buffer, as the call sees it.
struct PlacedBuffer {
  Buffer memory;                       // none where the call has no such buffer
  std::byte* base = nullptr;           // what the library is given
  std::optional<Placement> placement;  // none: block after block, without a gap
  std::int64_t elements = 0;
};

// Both buffers of one call on one rank, from its start to its end.
struct CallBuffers {
  const Operation* operation = nullptr;
  const Membership* membership = nullptr;
  BufferPlan plan;
  PlacedBuffer send;
  PlacedBuffer receive;
};

// Not thread-safe. Throws InternalError when something of ours fails.
class Stage {
 public:
  // What is made of the data of the next cases: see Batch.
  void set_manner(bool bare, bool samples) {
    bare_ = bare;
    samples_ = samples;
  }

  // Makes the buffers of an operation, and the arguments that speak of them, but for the
  // communicator. The operation must have buffers.
  CallBuffers make(const Case& test_case, const Operation& operation, const Membership& membership,
                   CollectiveArguments& arguments);
  // Leaves nothing in them of what is to come.
  void blank(CallBuffers& buffers) const;
  // Fills them with the operation's data.
  void fill(const Case& test_case, CallBuffers& buffers);
  // What the call has left in them.
  void judge(const Case& test_case, CallBuffers& buffers, Evidence& evidence);
  void release(CallBuffers& buffers);

  BufferPool& pool() { return pool_; }

 private:
  // The side's layout is known.
  PlacedBuffer place(const Operation& operation, const std::vector<std::int64_t>& blocks,
                     BufferSide& side);
  void fill_receive(int position, const CallBuffers& buffers, std::size_t element_bytes);
  // The elements without gaps: in the buffer itself, or copied out of it until the next call.
  std::byte* packed(const PlacedBuffer& buffer, std::size_t element_bytes);
  void take_samples(Dtype dtype, const std::byte* output, std::int64_t count,
                    Evidence& evidence) const;

  Oracle oracle_;
  BufferPool pool_;
  bool bare_ = false;
  bool samples_ = false;
  std::vector<std::byte> packed_;
};

}  // namespace allprove
