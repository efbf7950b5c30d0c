// Bugs in whose input is reduced and where the result goes: roots, scans, blocks.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/mutant/bugs.h"
#include "backends/reference/reduce.h"

namespace allprove::mutant {
namespace {

// Reduces the member's own input into the result once more.
void add_own(MutantCall& call) {
  const auto result = call.result();
  const auto count = std::min(result.size(), call.packed.input.size()) / call.element_bytes();
  reference::combine(call.packed.op, call.packed.dtype, result.data(), call.packed.input.data(),
                     count);
}

void root_is_zero(MutantCall& call) { call.arguments.root = 0; }

void drops_neighbour_of_root(MutantCall& call) {
  auto positions = positions_between(0, call.ranks());
  if (call.ranks() >= 3 && call.arguments.root != 0) {
    std::erase(positions, (call.arguments.root + call.ranks() - 1) % call.ranks());
  }
  reduce_over(call, positions);
}

void own_counts_twice_in_place(MutantCall& call) {
  if (call.in_place()) add_own(call);
}

void includes_successor(MutantCall& call) {
  reduce_over(call, positions_between(0, std::min(call.position() + 2, call.ranks())));
}

void forgets_predecessor(MutantCall& call) {
  const bool short_of_one = call.on_last_rank() && call.ranks() >= 3;
  reduce_over(call, positions_between(0, call.position() - (short_of_one ? 1 : 0)));
}

void includes_itself(MutantCall& call) {
  if (call.position() > 0) add_own(call);
}

void equal_blocks(MutantCall& call) {
  auto& given = call.packed.given;
  const auto total = std::accumulate(given.begin(), given.end(), std::int64_t{0});
  std::ranges::fill(given, total / call.ranks());
  given.back() += total % call.ranks();
  call.perform();
}

// An empty block takes an element of the next one that is not empty.
void empty_block_shifts(MutantCall& call) {
  auto& given = call.packed.given;
  const auto empty = std::ranges::find(given, 0);
  const auto next = std::find_if(empty, given.end(), [](auto block) { return block > 0; });
  if (next != given.end()) {
    ++*empty;
    --*next;
  }
  call.perform();
}

void last_gets_first_block(MutantCall& call) {
  const int block = call.on_last_rank() ? 0 : call.position();
  reduce_over(call, positions_between(0, call.ranks()), static_cast<std::size_t>(block));
}

// The result lies where the member's block was, and the input's beginning is still there.
void result_at_own_block(MutantCall& call) {
  if (!call.in_place() || call.elements() == 0) return;
  const auto result = call.result();
  const std::vector<std::byte> copy(result.begin(), result.end());
  undo(call, result);
  const auto before = call.packed.given.begin();
  const auto at = std::accumulate(before, before + call.position(), std::int64_t{0});
  std::ranges::copy(
      copy, call.packed.output.begin() + at * static_cast<std::int64_t>(call.element_bytes()));
}

constexpr Mutant kBugs[] = {
    row("reduce_to_rank_zero", "matches_reference",
        "A reduction to another root goes to rank 0, which has no use for it.",
        {Collective::reduce}, Moment::arguments, root_is_zero),
    row("reduce_drops_neighbour", "matches_reference",
        "With another root than rank 0, the rank before the root is left out.",
        {Collective::reduce}, Moment::exchange, drops_neighbour_of_root),
    row("reduce_in_place_root_twice", "matches_reference",
        "In place, the root's input counts twice in a reduction.", {Collective::reduce},
        Moment::result, own_counts_twice_in_place),
    row("scan_includes_successor", "matches_reference", "A scan takes one rank too many.",
        {Collective::scan}, Moment::exchange, includes_successor),
    row("scan_in_place_twice", "matches_reference",
        "In place, a rank's own input counts twice in a scan.", {Collective::scan}, Moment::result,
        own_counts_twice_in_place),
    row("exscan_misses_one", "matches_reference",
        "The last of three ranks or more misses one contribution to an exclusive scan.",
        {Collective::exscan}, Moment::exchange, forgets_predecessor),
    row("exscan_is_inclusive", "matches_reference", "An exclusive scan includes the rank itself.",
        {Collective::exscan}, Moment::result, includes_itself),
    row("reduce_scatter_equal_blocks", "matches_reference",
        "A reduce-scatter makes all blocks equally large.", {Collective::reduce_scatter},
        Moment::exchange, equal_blocks),
    row("reduce_scatter_empty_block", "matches_reference",
        "The block behind an empty one of a reduce-scatter begins one element late.",
        {Collective::reduce_scatter}, Moment::exchange, empty_block_shifts),
    row("reduce_scatter_last_block", "matches_reference",
        "The last rank gets the first block of a reduce-scatter.",
        {Collective::reduce_scatter_block}, Moment::exchange, last_gets_first_block),
    row("reduce_scatter_in_place_elsewhere", "matches_reference",
        "In place, the result of a reduce-scatter lies where the rank's block was.",
        {Collective::reduce_scatter, Collective::reduce_scatter_block}, Moment::result,
        result_at_own_block),
};

}  // namespace

std::span<const Mutant> reduction_bugs() { return kBugs; }

}  // namespace allprove::mutant
