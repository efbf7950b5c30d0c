// The send buffer is as it was.
#include <fmt/format.h>

#include "framework/model/wording.h"
#include "properties/each.h"
#include "properties/trial.h"

namespace allprove {
namespace {

PropertyResult check(const Trial& trial) {
  bool judged = false;
  for (const auto& call : trial.calls()) {
    // In place, the root alone of some collectives has no send buffer.
    judged |= call.completed && !call.operation->in_place;
    auto ranks =
        trial.ranks_where(call, [](const Evidence& seen) { return seen.input_changed > 0; });
    if (ranks.empty()) continue;
    const auto& seen = trial.evidence(ranks.front(), call);
    PropertyResult result;
    result.verdict = Verdict::fail;
    result.operation = call.index;
    result.reason = fmt::format("{}: rank {}: {} element{} of the send buffer changed",
                                trial.name_of_call(call), ranks.front(), seen.input_changed,
                                seen.input_changed == 1 ? "" : "s");
    if (seen.first_input_changed) {
      result.reason +=
          fmt::format(", element {} from {} to {}", seen.first_input_changed->index,
                      seen.first_input_changed->expected, seen.first_input_changed->got);
    }
    if (ranks.size() > 1) result.reason += "; on " + ranks_text(ranks);
    result.ranks = std::move(ranks);
    result.symptom = seen.symptom;
    return result;
  }
  return judged ? passed() : skipped("no call with a send buffer came to its end");
}

}  // namespace

const Property kInputUntouched = {
    .name = "input_untouched",
    .claim = "A collective leaves the send buffer as it was.",
    .needs = "a call out of place",
    .check = check,
};

}  // namespace allprove
