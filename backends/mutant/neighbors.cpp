// Bugs in neighborhood collectives: on short rings, repeated edges, in the order that the library
// chose.
#include <algorithm>

#include "backends/mutant/bugs.h"

namespace allprove::mutant {
namespace {

// Both neighbors are one rank then; its blocks must cross all the same.
void rings_of_two_crossed(MutantCall& call) {
  const auto& [dims, periods, edges, reorder] = call.topology();
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != 2 || periods[d] == 0) continue;
    const auto before = call.received_block(2 * d);
    const auto after = call.received_block(2 * d + 1);
    const auto bytes = static_cast<std::ptrdiff_t>(std::min(before.size(), after.size()));
    std::swap_ranges(before.begin(), before.begin() + bytes, after.begin());
  }
}

void repeated_edge_once(MutantCall& call) {
  const auto& incoming = call.members().relations().incoming;
  if (call.kind() != GroupKind::graph) return;
  for (std::size_t i = 1; i < incoming.size(); ++i) {
    if (incoming[i].from == incoming[i - 1].from) undo(call, call.received_block(i));
  }
}

// As if each rank were still where it stood when the communicator was made.
void ignores_reorder(MutantCall& call) {
  auto& relations = call.members().relations();
  const auto right = relations;
  if (call.topology().reorder) {
    const int ranks = call.ranks();
    const std::vector<int> members(static_cast<std::size_t>(ranks));
    relations = reference::relations_of(call.group(), {0, ranks - 1 - call.position(), members});
  }
  call.perform();
  relations = right;
}

void first_edge_counts_for_all(MutantCall& call) {
  const auto first = call.received_block(0).size();
  for (std::size_t i = 1; i < call.packed.received.size(); ++i) {
    const auto block = call.received_block(i);
    undo(call, block.subspan(std::min(first, block.size())));
  }
}

// The byte beside a block that is there, in the place of one that is not.
void touches_missing_neighbor(MutantCall& call) {
  const auto& side = call.arguments.receive;
  if (side.data == nullptr || side.layout.kind != LayoutKind::dense || side.count == 0) return;
  const auto& incoming = call.members().relations().incoming;
  const auto block = side.count * static_cast<std::int64_t>(call.element_bytes());
  for (std::size_t i = 1; i < incoming.size(); ++i) {
    const bool ends = incoming[i - 1].from >= 0 && incoming[i].from < 0;
    const bool begins = incoming[i - 1].from < 0 && incoming[i].from >= 0;
    if (!ends && !begins) continue;
    auto& byte = side.data[static_cast<std::int64_t>(i) * block - (begins ? 1 : 0)];
    byte = ~byte;
  }
}

constexpr Collectives kToAll = {Collective::neighbor_all_to_all, Collective::neighbor_all_to_allv,
                                Collective::neighbor_all_to_allw};
constexpr Collectives kFromAll = {Collective::neighbor_all_gather,
                                  Collective::neighbor_all_gatherv};

constexpr Mutant kBugs[] = {
    row("neighbor_rings_of_two_crossed", "matches_reference",
        "In a periodic dimension of two ranks the blocks of both directions are exchanged.", kToAll,
        Moment::result, rings_of_two_crossed),
    row("neighbor_repeated_edge_once", "matches_reference",
        "Of several edges between two ranks of a graph only the first one delivers.",
        kToAll | kFromAll, Moment::result, repeated_edge_once),
    row("neighbor_ignores_reorder", "matches_reference",
        "On a reordered communicator the neighbors are those of the rank's old position.",
        kToAll | kFromAll, Moment::exchange, ignores_reorder),
    row("neighbor_count_of_first_edge", "matches_reference",
        "No block is longer than the one from the first neighbor.",
        {Collective::neighbor_all_gatherv, Collective::neighbor_all_to_allv}, Moment::result,
        first_edge_counts_for_all),
    row("neighbor_missing_touched", "guard_intact",
        "Something is written where the block of a missing neighbor would lie.",
        {Collective::neighbor_all_gather, Collective::neighbor_all_to_all}, Moment::memory,
        touches_missing_neighbor),
};

}  // namespace

std::span<const Mutant> neighbor_bugs() { return kBugs; }

}  // namespace allprove::mutant
