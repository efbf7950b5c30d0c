// Element i of the result depends on element i of the inputs alone: where the inputs differ in one
// element, the results differ nowhere else.
#include <fmt/format.h>

#include "framework/model/wording.h"
#include "properties/each.h"
#include "properties/twins.h"

namespace allprove {
namespace {

// World ranks on which an element other than the one at the cut differs.
std::vector<int> ranks_that_differ(const Trial& trial, const TrialCall& altered,
                                   const TrialCall& plain) {
  std::vector<int> ranks;
  for (int rank = 0; rank < trial.test_case().ranks; ++rank) {
    const auto& a = trial.evidence(rank, altered);
    const auto& b = trial.evidence(rank, plain);
    if (!a.checked || !b.checked) continue;
    if (a.digests.head != b.digests.head || a.digests.after != b.digests.after) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

PropertyResult check(const Trial& trial) {
  PropertyResult noted = skipped("no call beside the same one with one element altered");
  for (const auto& call : trial.calls()) {
    if (!call.checked || !call.operation->data.altered || call.operation->cut == kNoCut) continue;
    const auto* plain = plain_twin(trial, call, Aspect::altered);
    if (plain == nullptr || !plain->checked) continue;
    auto ranks = ranks_that_differ(trial, call, *plain);
    if (ranks.empty()) {
      if (noted.verdict == Verdict::skip) noted = passed();
      continue;
    }
    auto reason = fmt::format(
        "{} differs from operation {} in an element other than {}, the only one altered",
        trial.name_of_call(call), plain->index, call.operation->cut);
    if (const auto* wrong = wrong_twin(trial, call, *plain, Aspect::altered)) {
      return failed_by_values(trial, *wrong, reason + "; " + trial.wrong_text(*wrong));
    }
    if (call.wrong || plain->wrong) return skipped("calls of both kinds are wrong");
    noted.verdict = Verdict::note;
    noted.reason = reason + "; on " + ranks_text(ranks) + ", within what rounding allows";
    noted.operation = call.index;
    noted.ranks = std::move(ranks);
  }
  return noted;
}

}  // namespace

const Property kElementwise = {
    .name = "elementwise",
    .claim = "Element i of the result depends on element i of the inputs alone.",
    .needs = "the same call twice, once with one element of its inputs altered",
    .check = check,
};

}  // namespace allprove
