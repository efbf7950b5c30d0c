// Bugs on some communicators: of a size, an order, a part; made anew; used in turns.
#include <algorithm>
#include <functional>

#include "backends/mutant/bugs.h"

namespace allprove::mutant {
namespace {

void duplicate_wrong(MutantCall& call) {
  spoil_result_if(call, call.kind() == GroupKind::duplicate);
}

void of_three_wrong(MutantCall& call) { spoil_result_if(call, call.ranks() == 3); }

void reversed_wrong(MutantCall& call) {
  const auto& ranks = call.life->ranks;
  spoil_result_if(call, ranks.size() > 1 && std::ranges::is_sorted(ranks, std::greater{}));
}

void out_of_order_root_wrong(MutantCall& call) {
  const bool sorted = std::ranges::is_sorted(call.life->ranks);
  spoil_result_if(call, !sorted && call.arguments.root != 0);
}

void second_part_wrong(MutantCall& call) { spoil_result_if(call, call.life->part > 0); }

void made_anew_wrong(MutantCall& call) { spoil_result_if(call, call.life->made_anew); }

void after_other_call_wrong(MutantCall& call) {
  spoil_result_if(call, call.after_other_call && call.life->calls > 0);
}

void alone_does_nothing(MutantCall& call) {
  if (call.ranks() == 1) undo(call, call.result());
}

constexpr Mutant kBugs[] = {
    row("duplicate_only_wrong", "matches_reference",
        "The first element is wrong on duplicated communicators.", {Collective::all_reduce},
        Moment::result, duplicate_wrong),
    row("three_ranks_wrong", "matches_reference",
        "The first element of an all-to-all is wrong among three ranks.", {Collective::all_to_all},
        Moment::result, of_three_wrong),
    row("reversed_wrong", "matches_reference",
        "The first element is wrong on communicators whose ranks are reversed.", kMoves,
        Moment::result, reversed_wrong),
    row("reordered_root_wrong", "matches_reference",
        "The first element is wrong where ranks are reordered and the root is not the first.",
        {Collective::broadcast, Collective::reduce, Collective::gather, Collective::scatter},
        Moment::result, out_of_order_root_wrong),
    row("second_part_wrong", "matches_reference",
        "The first element is wrong on the second communicator of a split.", kReductions,
        Moment::result, second_part_wrong),
    row("made_anew_wrong", "matches_reference",
        "The first element is wrong on a communicator that is made again after it was freed.",
        kWithData, Moment::result, made_anew_wrong),
    row("after_other_communicator_wrong", "matches_reference",
        "The first element is wrong after a call on another communicator.",
        {Collective::all_gather, Collective::all_reduce}, Moment::result, after_other_call_wrong),
    row("alone_does_nothing", "matches_reference", "A call of one rank alone leaves nothing.",
        kWithData, Moment::result, alone_does_nothing),
};

}  // namespace

std::span<const Mutant> communicator_bugs() { return kBugs; }

}  // namespace allprove::mutant
