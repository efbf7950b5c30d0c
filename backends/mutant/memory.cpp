// Writes beside the buffers, into holes between blocks, and into the send buffer.
#include <algorithm>

#include "backends/mutant/bugs.h"
#include "backends/mutant/gaps.h"

namespace allprove::mutant {
namespace {

// The element at this distance from the beginning of the receive buffer, in elements; the buffer
// is dense.
void spoil_beside(MutantCall& call, std::int64_t element) {
  const auto bytes = static_cast<std::int64_t>(call.element_bytes());
  spoil({call.arguments.receive.data + element * bytes, call.element_bytes()});
}

// Elements from the beginning of the send buffer on, which may have gaps.
void spoil_input(MutantCall& call, std::size_t elements) {
  const auto& side = call.arguments.send;
  if (side.data == nullptr || call.packed.input.empty()) return;
  auto changed = call.packed.input;
  spoil(std::span(changed).first(std::min(changed.size(), elements * call.element_bytes())));
  reference::placement_of(call.arguments, side, call.ranks()).scatter(changed.data(), side.data);
}

void changes_input(MutantCall& call) { spoil_input(call, 1); }

void scratch_on_others(MutantCall& call) {
  if (!call.on_root()) spoil_input(call, call.packed.input.size());
}

void rotates_input(MutantCall& call) {
  if (call.ranks() >= 3) spoil_input(call, call.packed.input.size());
}

void writes_past_end(MutantCall& call) {
  if (call.elements() > 0) spoil_beside(call, call.elements());
}

void writes_before_start(MutantCall& call) {
  if (call.elements() > 0) spoil_beside(call, -1);
}

void writes_into_hole(MutantCall& call) {
  const auto& side = call.arguments.receive;
  if (side.counts.size() < 2) return;
  spoil_first_gap(reference::placement_of(call.arguments, side, call.ranks()), side.data);
}

constexpr Mutant kBugs[] = {
    row("changes_input", "input_untouched", "The first element of the send buffer is changed.",
        {Collective::all_reduce}, Moment::memory, changes_input),
    row("reduce_scratch_in_input", "input_untouched",
        "A reduction keeps partial results in the send buffers of ranks that are not the root.",
        {Collective::reduce}, Moment::memory, scratch_on_others),
    row("all_to_all_scratch_in_input", "input_untouched",
        "Among three ranks or more, an all-to-all uses its send buffer as scratch memory.",
        {Collective::all_to_all, Collective::all_to_allv}, Moment::memory, rotates_input),
    row("writes_past_end", "guard_intact", "The element behind the output is written.",
        {Collective::all_reduce}, Moment::memory, writes_past_end),
    row("writes_before_start", "guard_intact", "The element before the output is written.",
        {Collective::all_reduce}, Moment::memory, writes_before_start),
    row("writes_into_hole", "guard_intact",
        "The hole behind a block is written where blocks may lie apart.", kIrregular,
        Moment::memory, writes_into_hole),
};

}  // namespace

std::span<const Mutant> memory_bugs() { return kBugs; }

}  // namespace allprove::mutant
