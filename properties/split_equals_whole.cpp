// A buffer in two calls gives what it gives in one.
#include <fmt/format.h>

#include "properties/each.h"
#include "properties/trial.h"

namespace allprove {
namespace {

// Collectives whose output is as long as their input, element by element.
bool can_split(const Operation& operation) {
  switch (operation.collective) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::broadcast:
    case Collective::scan:
    case Collective::exscan:
      return operation.cut > 0;
    default:
      return false;
  }
}

// The call on `count` elements from `first` that is `whole` otherwise; null when there is none.
const TrialCall* find_piece(const Trial& trial, const TrialCall& whole, std::int64_t first,
                            std::int64_t count) {
  const auto wanted = whole.signature.without(Aspect::extent);
  for (const auto& call : trial.calls()) {
    if (call.signature.without(Aspect::extent) == wanted && call.operation->data.first == first &&
        count_of(*call.operation) == count) {
      return &call;
    }
  }
  return nullptr;
}

bool same(const Trial& trial, const TrialCall& whole, const TrialCall& head,
          const TrialCall& tail) {
  for (int rank = 0; rank < trial.test_case().ranks; ++rank) {
    const auto& of_whole = trial.evidence(rank, whole);
    const auto& of_head = trial.evidence(rank, head);
    const auto& of_tail = trial.evidence(rank, tail);
    if (!of_whole.checked || !of_head.checked || !of_tail.checked) continue;
    if (of_whole.digests.head != of_head.digests.whole ||
        of_whole.digests.tail != of_tail.digests.whole) {
      return false;
    }
  }
  return true;
}

// The wrong one, when either the whole or its pieces are right, and all that is wrong in the case
// has the wrong one's length.
const TrialCall* culprit(const Trial& trial, const TrialCall& whole, const TrialCall& head,
                         const TrialCall& tail) {
  if (whole.wrong == (head.wrong || tail.wrong)) return nullptr;
  const auto* wrong = whole.wrong ? &whole : head.wrong ? &head : &tail;
  const auto count = count_of(*wrong->operation);
  const bool alone = trial.every_wrong_call(
      [count](const TrialCall& call) { return count_of(*call.operation) == count; });
  return alone ? wrong : nullptr;
}

PropertyResult check(const Trial& trial) {
  int equal = 0;
  int unclear = 0;
  int inexact = 0;
  for (const auto& whole : trial.calls()) {
    if (!whole.checked || !can_split(*whole.operation)) continue;
    const auto cut = whole.operation->cut;
    const auto first = whole.operation->data.first;
    const auto* head = find_piece(trial, whole, first, cut);
    const auto* tail = find_piece(trial, whole, first + cut, count_of(*whole.operation) - cut);
    if (head == nullptr || tail == nullptr || !head->checked || !tail->checked) continue;
    if (!whole.exact || !head->exact || !tail->exact) {
      ++inexact;
    } else if (same(trial, whole, *head, *tail)) {
      ++equal;
    } else if (const auto* wrong = culprit(trial, whole, *head, *tail)) {
      return failed_by_values(
          trial, *wrong,
          fmt::format("{}: {}; the same elements {} are right", trial.name_of_call(*wrong),
                      trial.wrong_text(*wrong),
                      wrong == &whole ? fmt::format("in two calls (operations {} and {})",
                                                    head->index, tail->index)
                                      : fmt::format("in one call (operation {})", whole.index)));
    } else {
      ++unclear;
    }
  }
  if (equal > 0 && unclear == 0) return passed();
  if (unclear > 0) return skipped("the buffer is wrong both in one call and in two");
  if (inexact > 0) return skipped("only results that may differ in rounding");
  return skipped("no buffer both in one call and in two");
}

}  // namespace

const Property kSplitEqualsWhole = {
    .name = "split_equals_whole",
    .claim = "A buffer in two calls gives what it gives in one.",
    .needs = "a buffer in one call and in two, with exact results",
    .check = check,
};

}  // namespace allprove
