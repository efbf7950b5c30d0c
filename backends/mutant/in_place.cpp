// Bugs of calls in place.
#include <algorithm>

#include "backends/mutant/bugs.h"

namespace allprove::mutant {
namespace {

void own_block_overwritten(MutantCall& call) {
  if (!call.in_place()) return;
  const auto own = call.received_block(static_cast<std::size_t>(call.position()));
  if (!own.empty()) spoil(own.first(call.element_bytes()));
}

// The input is taken from the beginning of the buffer.
void gives_first_block(MutantCall& call) {
  auto& input = call.packed.input;
  if (!call.in_place()) return;
  std::copy_n(call.packed.output.begin(), input.size(), input.begin());
}

void odd_distances_stay(MutantCall& call) {
  if (!call.in_place()) return;
  for (int from = 0; from < call.ranks(); ++from) {
    if ((from - call.position()) % 2 == 0) continue;
    undo(call, call.received_block(static_cast<std::size_t>(from)));
  }
}

// The root's own block, which must stay, is overwritten in the buffer that it sends from.
void roots_block_overwritten(MutantCall& call) {
  if (!call.in_place() || !call.on_root()) return;
  auto& side = call.arguments.send;
  const auto own = static_cast<std::size_t>(call.position());
  if (call.packed.given[own] == 0) return;
  auto blocks = reference::placement_of(call.arguments, side, call.ranks());
  spoil(call.given_block(own).first(call.element_bytes()));
  blocks.scatter(call.packed.input.data(), side.data);
}

void output_unwritten_in_place(MutantCall& call) {
  if (call.in_place() && call.ranks() % 2 == 0) undo(call, call.result());
}

constexpr Mutant kBugs[] = {
    row("gather_in_place_overwrites_own", "matches_reference",
        "In place, the root's own block of a gather is overwritten.",
        {Collective::gather, Collective::gatherv}, Moment::result, own_block_overwritten),
    row("all_gather_in_place_first_block", "matches_reference",
        "In place, a rank gives the first block of its buffer to an all-gather, and not its own.",
        {Collective::all_gather, Collective::all_gatherv}, Moment::input, gives_first_block),
    row("all_to_all_in_place_odd", "matches_reference",
        "In place, an all-to-all leaves blocks of ranks at an odd distance where they are.",
        {Collective::all_to_all, Collective::all_to_allv, Collective::all_to_allw}, Moment::result,
        odd_distances_stay),
    row("scatter_in_place_overwrites_own", "input_untouched",
        "In place, the root's own block of a scatter is overwritten.",
        {Collective::scatter, Collective::scatterv}, Moment::memory, roots_block_overwritten),
    row("in_place_does_nothing", "matches_reference",
        "Among an even number of ranks, a reduction in place leaves the input where it was.",
        kReductions, Moment::result, output_unwritten_in_place),
};

}  // namespace

std::span<const Mutant> in_place_bugs() { return kBugs; }

}  // namespace allprove::mutant
