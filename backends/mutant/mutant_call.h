// One call of this rank in the hands of a bug, and what the bug may know besides.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/mutant/recent_calls.h"
#include "backends/reference/reference_backend.h"

namespace allprove::mutant {

// What a mutant keeps of a communicator.
struct CommunicatorLife {
  std::weak_ptr<const reference::CommunicatorState> state;
  std::vector<int> ranks;  // of the world, by position
  int part = 0;            // of its group
  bool made_anew = false;  // one of the same ranks had been freed before
  std::int64_t calls = 0;  // before this one
  RecentCalls reductions;  // all-reduces, before this one
};

// What a mutant keeps of a request.
struct RequestLife {
  std::vector<std::byte> made_with;    // its input when it was made
  std::vector<std::byte> first_input;  // at its first start
};

// How the library is being asked for the results of requests. A started call is also run when
// another request is asked for, or by the next blocking call on its communicator.
struct Asking {
  OperationKind by = OperationKind::call;  // wait, test, wait_all or wait_some; else nothing is
  const reference::StartedCall* for_request = nullptr;
  std::size_t index = 0;  // of that request, among `of` that are asked for together
  std::size_t of = 1;
};

class MutantCall {
 public:
  MutantCall(reference::CommunicatorState& communicator, const CollectiveArguments& as_given,
             reference::AllReduceAlgorithm by, const reference::StartedCall* of_request)
      : arguments(as_given), request(of_request), communicator_(communicator), algorithm_(by) {}

  CollectiveArguments arguments;          // as the bug reads them
  reference::PackedCall packed;           // from Moment::input on
  std::vector<std::byte> output_before;   // packed.output before the call
  const reference::StartedCall* request;  // null: a blocking call
  Asking asking;
  LibraryStatus status;
  const CommunicatorLife* life = nullptr;
  PastCall now;                               // of an all-reduce, from Moment::exchange on
  bool after_other_call = false;              // the rank's last call was on another communicator
  const RequestLife* request_life = nullptr;  // of a request: from Moment::input on

  reference::Members& members() const { return communicator_.members; }
  int ranks() const { return members().size(); }
  int position() const { return members().position(); }
  bool on_last_rank() const { return position() == ranks() - 1; }
  bool on_root() const { return position() == arguments.root; }
  GroupKind kind() const { return communicator_.kind; }
  bool in_place() const { return arguments.in_place; }
  // Started on the communicator after this call, and not yet run.
  const auto& started_later() const { return communicator_.started; }

  std::size_t element_bytes() const { return size_of(arguments.dtype); }
  std::span<std::byte> result();  // what the call leaves; a prefix of packed.output
  std::int64_t elements() { return static_cast<std::int64_t>(result().size() / element_bytes()); }
  std::span<std::byte> received_block(std::size_t index);
  std::span<std::byte> given_block(std::size_t index);

  // What the reference does.
  void perform() { reference::perform(members(), packed, algorithm_); }

 private:
  reference::CommunicatorState& communicator_;
  reference::AllReduceAlgorithm algorithm_;
};

// Makes the element wrong whatever its type is: the result's, where it has that many.
void spoil(std::span<std::byte> element);
void spoil_result(MutantCall& call, std::int64_t element = 0);
void spoil_result_if(MutantCall& call, bool condition);

// Leaves a part of the output as it was before the call.
void undo(MutantCall& call, std::span<std::byte> part);
void undo_last_element(MutantCall& call, std::span<std::byte> part);

// Reduces the block of these positions' inputs into the result; all members must do it.
void reduce_over(MutantCall& call, const std::vector<int>& positions, std::size_t block = 0);
std::vector<int> positions_between(int from, int until);

// Whether it is true on all members, on each of them; all must ask.
bool all_members(MutantCall& call, bool mine);

}  // namespace allprove::mutant
