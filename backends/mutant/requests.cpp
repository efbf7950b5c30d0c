// Bugs of nonblocking and persistent calls: how they are completed, and what is under way.
#include <algorithm>

#include "backends/mutant/bugs.h"

namespace allprove::mutant {
namespace {

constexpr std::size_t kCrowd = 3;

int starts(const MutantCall& call) { return call.request == nullptr ? 0 : call.request->starts; }

// Whether this is the call whose result the library is asked for; a call may also be run since a
// later one is asked for.
bool is_asked_for(const MutantCall& call, OperationKind by) {
  return call.request != nullptr && call.asking.by == by && call.asking.for_request == call.request;
}

void gives_first_data(MutantCall& call) {
  if (starts(call) > 1) call.packed.input = call.request_life->first_input;
}

void reads_when_made(MutantCall& call) {
  if (starts(call) == 1) call.packed.input = call.request_life->made_with;
}

void third_start_does_nothing(MutantCall& call) {
  if (starts(call) >= 3) undo(call, call.result());
}

void tested_too_early(MutantCall& call) {
  if (is_asked_for(call, OperationKind::test)) undo(call, call.result());
}

void last_of_all_undone(MutantCall& call) {
  const bool last = call.asking.of >= 2 && call.asking.index + 1 == call.asking.of;
  if (is_asked_for(call, OperationKind::wait_all) && last) undo(call, call.result());
}

void first_of_some_undone(MutantCall& call) {
  const bool first = call.asking.of >= 2 && call.asking.index == 0;
  if (is_asked_for(call, OperationKind::wait_some) && first) undo(call, call.result());
}

// Of two calls under way at once, both of as many bytes, the last rank gives the later one's data.
void gives_data_of_later(MutantCall& call) {
  if (!call.on_last_rank() || call.request == nullptr) return;
  for (const auto* later : call.started_later()) {
    auto other = reference::pack(later->arguments, call.ranks(), call.position());
    if (other.input.size() != call.packed.input.size()) continue;
    call.packed.input = std::move(other.input);
    return;
  }
}

void undone_where_overtaken(MutantCall& call) {
  const bool waited = call.request != nullptr && call.asking.by != OperationKind::call;
  if (waited && call.asking.for_request != call.request) undo(call, call.result());
}

void root_is_zero(MutantCall& call) {
  if (call.request != nullptr) call.arguments.root = 0;
}

void crowd_wrong(MutantCall& call) {
  const bool crowded = call.request != nullptr && call.started_later().size() + 1 >= kCrowd;
  spoil_result_if(call, crowded);
}

void persistent_in_place_wrong(MutantCall& call) {
  spoil_result_if(call, call.arguments.mode == Mode::persistent && call.in_place());
}

constexpr Collectives kRooted = {Collective::broadcast, Collective::reduce,  Collective::gather,
                                 Collective::gatherv,   Collective::scatter, Collective::scatterv};

constexpr Mutant kBugs[] = {
    row("persistent_first_data", "matches_reference",
        "A persistent request gives the data of its first start ever after.", kWithData,
        Moment::input, gives_first_data),
    row("persistent_init_data", "matches_reference",
        "The first start of a persistent request gives what its buffers held when it was made.",
        kWithData, Moment::input, reads_when_made),
    row("persistent_third_start", "matches_reference",
        "From the third start on, a persistent request leaves nothing.", kWithData, Moment::result,
        third_start_does_nothing),
    row("persistent_in_place_wrong", "matches_reference",
        "The first element is wrong in persistent calls in place.", kWithData, Moment::result,
        persistent_in_place_wrong),
    row("test_completes_early", "matches_reference",
        "A test says that a call is done before its result is there.", kWithData, Moment::result,
        tested_too_early),
    row("wait_all_leaves_last", "matches_reference",
        "The last of several requests that are waited for together is left undone.", kWithData,
        Moment::result, last_of_all_undone),
    row("wait_some_leaves_first", "matches_reference",
        "The first of several requests is left undone where some are waited for.", kWithData,
        Moment::result, first_of_some_undone),
    row("requests_mixed_up", "matches_reference",
        "Of two calls under way, the last rank gives the data of the later one to the earlier.",
        kWithData, Moment::input, gives_data_of_later),
    row("overtaken_undone", "matches_reference",
        "A call is left undone where a later one is waited for first.", kWithData, Moment::result,
        undone_where_overtaken),
    row("started_root_is_zero", "matches_reference",
        "A call that is started has rank 0 for its root.", kRooted, Moment::arguments,
        root_is_zero),
    row("three_under_way_wrong", "matches_reference",
        "The first element is wrong where three calls are under way.", kWithData, Moment::result,
        crowd_wrong),
};

}  // namespace

std::span<const Mutant> request_bugs() { return kBugs; }

}  // namespace allprove::mutant
