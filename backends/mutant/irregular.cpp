// Bugs where blocks differ in size and lie anywhere: counts of zero, displacements, order.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/mutant/bugs.h"

namespace allprove::mutant {
namespace {

// One block behind the other in the order of the positions, `hole` items apart.
void place_in_order(BufferSide& side, std::int64_t hole) {
  std::int64_t next = 0;
  for (std::size_t i = 0; i < side.displacements.size(); ++i) {
    side.displacements[i] = next;
    next += side.counts[i] + hole;
  }
}

void ignores_receive_holes(MutantCall& call) {
  auto& receive = call.arguments.receive;
  if (std::ranges::is_sorted(receive.displacements)) place_in_order(receive, 0);
}
void ignores_send_displacements(MutantCall& call) { place_in_order(call.arguments.send, 0); }

// The holes stay as large as they can be.
void ignores_order_of_blocks(MutantCall& call) {
  auto& side = call.arguments.receive;
  if (side.counts.size() < 2) return;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < side.counts.size(); ++i) {
    end = std::max(end, side.displacements[i] + side.counts[i]);
  }
  const auto free = end - std::accumulate(side.counts.begin(), side.counts.end(), std::int64_t{0});
  place_in_order(side, free / static_cast<std::int64_t>(side.counts.size() - 1));
}

bool has_empty_block(const std::vector<std::int64_t>& blocks) {
  return std::ranges::find(blocks, 0) != blocks.end();
}

// The first two blocks that are not empty begin in each other's place.
void empty_block_swaps_others(MutantCall& call) {
  const auto& given = call.packed.given;
  if (!has_empty_block(given)) return;
  std::vector<std::size_t> full;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] > 0) full.push_back(i);
  }
  if (full.size() < 2) return;
  const auto a = call.given_block(full[0]);
  const auto b = call.given_block(full[1]);
  std::swap_ranges(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
                   b.begin());
}

// What is longer than the first block is cut off there.
void all_as_long_as_the_first(MutantCall& call) {
  auto& packed = call.packed;
  std::vector<std::byte> shortened;
  auto given = packed.given;
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i] = std::min(given[i], given[0]);
    const auto kept =
        call.given_block(i).first(static_cast<std::size_t>(given[i]) * call.element_bytes());
    shortened.insert(shortened.end(), kept.begin(), kept.end());
  }
  packed.given = std::move(given);
  packed.input = std::move(shortened);
}

void longest_block_loses_tail(MutantCall& call) {
  const auto& blocks = call.packed.received;
  if (blocks.empty()) return;
  const auto [shortest, longest] = std::ranges::minmax_element(blocks);
  if (*shortest == *longest) return;
  undo_last_element(call, call.received_block(static_cast<std::size_t>(longest - blocks.begin())));
}

void empty_block_skips_next(MutantCall& call) {
  const auto& blocks = call.packed.received;
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    if (blocks[i] == 0) undo(call, call.received_block(i + 1));
  }
}

void last_block_must_be_full(MutantCall& call) {
  const auto& blocks = call.packed.received;
  if (blocks.size() >= 2 && blocks.back() < blocks.front()) {
    undo(call, call.received_block(blocks.size() - 1));
  }
}

constexpr Mutant kBugs[] = {
    row("gatherv_no_holes", "guard_intact",
        "A gatherv puts one block behind the other, whatever holes there are to be between them.",
        {Collective::gatherv}, Moment::arguments, ignores_receive_holes),
    row("gatherv_in_rank_order", "matches_reference",
        "A gatherv puts its blocks into the order of the ranks.",
        {Collective::gatherv, Collective::all_gatherv}, Moment::arguments, ignores_order_of_blocks),
    row("scatterv_empty_block_swaps", "matches_reference",
        "Two blocks of a scatterv are swapped where another one is empty.", {Collective::scatterv},
        Moment::input, empty_block_swaps_others),
    row("scatterv_first_count", "matches_reference",
        "No block of a scatterv is longer than the first one.", {Collective::scatterv},
        Moment::input, all_as_long_as_the_first),
    row("scatterv_no_displacements", "matches_reference",
        "A scatterv takes one block behind the other, whatever their displacements.",
        {Collective::scatterv}, Moment::arguments, ignores_send_displacements),
    row("all_gatherv_unequal_tail", "matches_reference",
        "Where blocks are unequal, the last element of the longest does not arrive.",
        {Collective::all_gatherv}, Moment::result, longest_block_loses_tail),
    row("all_to_allv_empty_block_skips", "matches_reference",
        "The block behind an empty one of an all-to-allv does not arrive.",
        {Collective::all_to_allv}, Moment::result, empty_block_skips_next),
    row("all_to_allv_no_displacements", "matches_reference",
        "An all-to-allv takes one block behind the other, whatever their displacements.",
        {Collective::all_to_allv}, Moment::arguments, ignores_send_displacements),
    row("all_to_allw_short_last_block", "matches_reference",
        "The last block of an all-to-allw does not arrive where it is shorter than the first.",
        {Collective::all_to_allw}, Moment::result, last_block_must_be_full),
};

}  // namespace

std::span<const Mutant> irregular_bugs() { return kBugs; }

}  // namespace allprove::mutant
