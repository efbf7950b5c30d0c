// Bugs that show in a call that is related to an earlier one, and nowhere else.
#include "backends/mutant/bugs.h"

namespace allprove::mutant {
namespace {

template <class Condition>
bool any_before(const MutantCall& call, Condition condition) {
  return call.life->reductions.any(
      [&](const PastCall& earlier) { return condition(call.now, earlier); });
}

void in_place_wrong(MutantCall& call) {
  spoil_result_if(call, call.in_place() && any_before(call, [](const auto& now, const auto& past) {
                          return !past.in_place && past.mode == now.mode && same_inputs(now, past);
                        }));
}

void nonblocking_wrong(MutantCall& call) {
  const bool nonblocking = call.arguments.mode == Mode::nonblocking;
  spoil_result_if(call, nonblocking && any_before(call, [](const auto& now, const auto& past) {
                          return past.mode == Mode::blocking && past.in_place == now.in_place &&
                                 same_inputs(now, past);
                        }));
}

void order_dependent(MutantCall& call) {
  spoil_result_if(call, any_before(call, same_inputs_elsewhere));
}

void nonlinear(MutantCall& call) {
  spoil_result_if(call, all_members(call, any_before(call, scaled_inputs)));
}

void neighbour_bleeds(MutantCall& call) {
  std::int64_t altered = -1;
  const bool mine = any_before(call, [&](const auto& now, const auto& past) {
    altered = altered_element(now, past);
    return altered >= 0;
  });
  if (!all_members(call, mine)) return;
  spoil_result(call, altered + 1 < call.elements() ? altered + 1 : altered - 1);
}

void split_wrong(MutantCall& call) {
  const bool mine = any_before(call, [](const auto& now, const auto& past) {
    return begins_with(now, past) || ends(now, past);
  });
  spoil_result_if(call, all_members(call, mine));
}

constexpr Mutant kBugs[] = {
    row("in_place_wrong", "in_place_equals_out_of_place",
        "A call in place is wrong after the same one out of place.", {Collective::all_reduce},
        Moment::result, in_place_wrong),
    row("nonblocking_wrong", "nonblocking_equals_blocking",
        "A nonblocking call is wrong after the same blocking one.", {Collective::all_reduce},
        Moment::result, nonblocking_wrong),
    row("order_dependent", "permutation_invariant",
        "A call is wrong after one with the same inputs on other ranks.", {Collective::all_reduce},
        Moment::result, order_dependent),
    row("nonlinear", "scaling_linear",
        "A call is wrong after one whose inputs were a fraction of its own.",
        {Collective::all_reduce}, Moment::result, nonlinear),
    row("neighbour_bleeds", "elementwise",
        "After a call that differed in one input, the element beside it is wrong.",
        {Collective::all_reduce}, Moment::result, neighbour_bleeds),
    row("split_wrong", "split_equals_whole",
        "A call is wrong after one on a part of its buffer, or on more than it.",
        {Collective::all_reduce}, Moment::result, split_wrong),
};

}  // namespace

std::span<const Mutant> relation_bugs() { return kBugs; }

}  // namespace allprove::mutant
