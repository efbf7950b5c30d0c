// Bugs in which block goes where, of collectives whose blocks are alike.
#include <algorithm>
#include <cstring>

#include "backends/mutant/bugs.h"

namespace allprove::mutant {
namespace {

constexpr std::size_t kLargeBytes = 1024;

void swap_contents(std::span<std::byte> a, std::span<std::byte> b) {
  std::swap_ranges(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
                   b.begin());
}

void root_is_zero(MutantCall& call) { call.arguments.root = 0; }

void large_broadcast_loses_tail(MutantCall& call) {
  const auto result = call.result();
  if (result.size() > kLargeBytes && !call.on_root()) undo_last_element(call, result);
}

void last_blocks_swapped(MutantCall& call) {
  const auto last = static_cast<std::size_t>(call.ranks() - 1);
  if (last >= 2) swap_contents(call.received_block(last - 1), call.received_block(last));
}

// As in a tree that counts positions from the root, where the data was not put into that order.
void blocks_count_from_root(MutantCall& call) {
  if (!call.on_root()) return;
  auto& input = call.packed.input;
  const auto block = call.given_block(0).size();
  const auto by = static_cast<std::size_t>(call.ranks() - call.arguments.root) * block;
  std::rotate(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(by), input.end());
}

void ring_stops_early(MutantCall& call) {
  const auto next = (call.position() + 1) % call.ranks();
  if (call.ranks() >= 3) undo(call, call.received_block(static_cast<std::size_t>(next)));
}

void large_result_ends_wrong(MutantCall& call) {
  if (call.result().size() > kLargeBytes) spoil_result(call, call.elements() - 1);
}

void last_rank_gives_first_block(MutantCall& call) {
  if (!call.on_last_rank()) return;
  for (int to = 1; to < call.ranks(); ++to) {
    std::ranges::copy(call.given_block(0), call.given_block(static_cast<std::size_t>(to)).begin());
  }
}

void own_block_missing(MutantCall& call) {
  if (call.in_place()) return;
  undo(call, call.received_block(static_cast<std::size_t>(call.position())));
}

void bytes_in_words(MutantCall& call) {
  if (call.element_bytes() != 1) return;
  const auto result = call.result();
  undo(call, result.last(result.size() % 4));
}

void first_and_last_swapped(MutantCall& call) {
  const auto last = static_cast<std::size_t>(call.ranks() - 1);
  if (call.ranks() == 5) swap_contents(call.received_block(0), call.received_block(last));
}

void loses_signed_zero(MutantCall& call) {
  if (!is_floating(call.arguments.dtype)) return;
  const auto result = call.result();
  const auto bytes = call.element_bytes();
  for (std::size_t at = 0; at < result.size(); at += bytes) {
    const auto element = result.subspan(at, bytes);
    const bool is_zero = std::ranges::all_of(element.first(bytes - 1),
                                             [](std::byte byte) { return byte == std::byte{0}; });
    if (is_zero && element.back() == std::byte{0x80}) element.back() = std::byte{0};
  }
}

constexpr Mutant kBugs[] = {
    row("broadcast_from_rank_zero", "matches_reference",
        "A broadcast is from rank 0 whatever its root.", {Collective::broadcast}, Moment::arguments,
        root_is_zero),
    row("broadcast_loses_tail", "matches_reference",
        "The last element of a broadcast of more than 1,024 bytes does not arrive.",
        {Collective::broadcast}, Moment::result, large_broadcast_loses_tail),
    row("gather_swaps_last_blocks", "matches_reference",
        "The last two blocks of a gather from three ranks or more are swapped.",
        {Collective::gather}, Moment::result, last_blocks_swapped),
    row("scatter_counts_from_root", "matches_reference",
        "A scatter counts its blocks from the root's on.", {Collective::scatter}, Moment::input,
        blocks_count_from_root),
    row("all_gather_stops_early", "matches_reference",
        "Among three ranks or more, the last step of an all-gather is left out.",
        {Collective::all_gather, Collective::all_gatherv}, Moment::result, ring_stops_early),
    row("all_gather_large_end", "matches_reference",
        "The last element of an all-gather of more than 1,024 bytes is wrong.",
        {Collective::all_gather}, Moment::result, large_result_ends_wrong),
    row("all_gather_of_five", "matches_reference",
        "Among five ranks, the first and the last block of an all-gather are swapped.",
        {Collective::all_gather}, Moment::result, first_and_last_swapped),
    row("all_to_all_wrong_offset", "matches_reference",
        "The last rank gives everyone its first block of an all-to-all.", {Collective::all_to_all},
        Moment::input, last_rank_gives_first_block),
    row("all_to_all_own_block", "matches_reference",
        "Out of place, an all-to-all forgets the block that a rank gives itself.",
        {Collective::all_to_all}, Moment::result, own_block_missing),
    row("all_to_allw_own_block", "matches_reference",
        "Out of place, an all-to-allw forgets the block that a rank gives itself.",
        {Collective::all_to_allw}, Moment::result, own_block_missing),
    row("moves_bytes_in_words", "matches_reference",
        "Of data of one-byte types, the last size % 4 bytes do not arrive.", kMoves, Moment::result,
        bytes_in_words),
    row("loses_signed_zero", "matches_reference", "A negative zero arrives as a positive one.",
        kMoves, Moment::result, loses_signed_zero),
};

}  // namespace

std::span<const Mutant> movement_bugs() { return kBugs; }

}  // namespace allprove::mutant
