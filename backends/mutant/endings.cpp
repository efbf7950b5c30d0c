// Bugs after which there is no result, and barriers that end too early.
#include <signal.h>
#include <unistd.h>

#include "backends/mutant/bugs.h"

namespace allprove::mutant {
namespace {

[[noreturn]] void stay() {
  for (;;) pause();
}

void hangs(MutantCall& call) {
  if (call.elements() == 7 && call.position() == 1) stay();
}

void crashes(MutantCall& call) {
  if (call.elements() == 13 && call.on_last_rank()) raise(SIGSEGV);
}

void exits(MutantCall& call) {
  if (call.elements() == 11 && call.on_last_rank()) _exit(3);
}

void errors(MutantCall& call) {
  if (call.elements() == 17) {
    call.status = {16, "seventeen elements are too many"};
  } else {
    call.perform();
  }
}

void refuses_in_place(MutantCall& call) {
  if (call.in_place()) {
    call.status = {16, "in place is not for an all-gather"};
  } else {
    call.perform();
  }
}

void crashes_without_input(MutantCall& call) {
  if (call.packed.input.empty() && call.ranks() > 1) raise(SIGSEGV);
}

// The rank waits for a message that has been taken for an earlier call's.
void hangs_out_of_order(MutantCall& call) {
  const bool overtaken =
      call.request != nullptr && call.asking.for_request != call.request && call.ranks() > 1;
  if (overtaken && call.on_last_rank()) stay();
}

void returns_at_once(MutantCall&) {}

void returns_at_once_where_started(MutantCall& call) {
  if (call.request == nullptr) call.perform();
}

constexpr Mutant kBugs[] = {
    row("hangs_sometimes", "completes", "The second rank never returns from a call on 7 elements.",
        {Collective::all_reduce}, Moment::input, hangs),
    row("hangs_out_of_order", "completes",
        "The last rank never returns where calls are completed out of order.",
        {Collective::all_reduce, Collective::broadcast, Collective::all_gather}, Moment::input,
        hangs_out_of_order),
    row("crashes", "completes", "The last rank crashes in a call on 13 elements.",
        {Collective::all_reduce}, Moment::input, crashes),
    row("crashes_without_input", "completes",
        "A rank that gives nothing to an all-gatherv crashes.", {Collective::all_gatherv},
        Moment::input, crashes_without_input),
    row("exits", "completes", "The last rank exits in a call on 11 elements.",
        {Collective::all_reduce}, Moment::input, exits),
    row("errors", "completes", "A call on 17 elements returns an error.", {Collective::all_reduce},
        Moment::exchange, errors),
    row("refuses_in_place", "completes", "An all-gather in place returns an error.",
        {Collective::all_gather}, Moment::exchange, refuses_in_place),
    row("barrier_does_not_wait", "barrier_waits", "A barrier waits for nobody.",
        {Collective::barrier}, Moment::exchange, returns_at_once),
    row("started_barrier_does_not_wait", "barrier_waits",
        "A barrier that is not blocking waits for nobody.", {Collective::barrier}, Moment::exchange,
        returns_at_once_where_started),
};

}  // namespace

std::span<const Mutant> ending_bugs() { return kBugs; }

}  // namespace allprove::mutant
