// What a mutant remembers of the all-reduces that it has run on a communicator: some planted bugs
// show only in a call that stands in a relation to an earlier one, so that only a property about
// that relation can name them.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "backends/reference/collectives.h"
#include "framework/run/worker/backend.h"

namespace allprove::mutant {

struct PastCall {
  Mode mode = Mode::blocking;
  Dtype dtype = Dtype::int32;
  Op op = Op::sum;
  bool in_place = false;
  std::vector<std::byte> input;       // this rank's
  bool telling = false;               // it is too varied to come twice by chance
  std::vector<std::uint64_t> hashes;  // of all members' inputs, by position
};

// A call that the members of a communicator are about to make. All of them must construct it.
PastCall describe_call(const CollectiveArguments& arguments, const reference::PackedCall& packed,
                       reference::Members& members);

// Relations of a call to an earlier one; there is none where an input is not telling.
bool same_inputs(const PastCall& call, const PastCall& earlier);
bool same_inputs_elsewhere(const PastCall& call, const PastCall& earlier);
bool scaled_inputs(const PastCall& call, const PastCall& earlier);
bool begins_with(const PastCall& call, const PastCall& earlier);  // and is longer
bool ends(const PastCall& call, const PastCall& earlier);         // and is shorter
// The one element in which the inputs differ; -1 when there is no such element.
std::int64_t altered_element(const PastCall& call, const PastCall& earlier);

// The last calls on one communicator.
class RecentCalls {
 public:
  void add(PastCall call);
  std::int64_t number() const { return number_; }  // of calls so far

  // Whether some earlier call satisfies the condition.
  template <class Condition>
  bool any(Condition condition) const {
    for (const auto& earlier : calls_) {
      if (condition(earlier)) return true;
    }
    return false;
  }

 private:
  std::deque<PastCall> calls_;
  std::int64_t number_ = 0;
};

}  // namespace allprove::mutant
