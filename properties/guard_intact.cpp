// The bytes around every buffer are as they were.
#include <fmt/format.h>

#include "framework/model/wording.h"
#include "properties/each.h"
#include "properties/trial.h"

namespace allprove {
namespace {

PropertyResult check(const Trial& trial) {
  bool judged = false;
  for (const auto& call : trial.calls()) {
    judged |= call.completed;
    auto ranks =
        trial.ranks_where(call, [](const Evidence& seen) { return seen.guard_changed > 0; });
    if (ranks.empty()) continue;
    const auto& seen = trial.evidence(ranks.front(), call);
    PropertyResult result;
    result.verdict = Verdict::fail;
    result.operation = call.index;
    result.reason = fmt::format("{}: rank {}: {} byte{} outside of the buffers changed ({}); on {}",
                                trial.name_of_call(call), ranks.front(), seen.guard_changed,
                                seen.guard_changed == 1 ? "" : "s",
                                seen.guard_place.empty() ? "place unknown" : seen.guard_place,
                                ranks_text(ranks));
    result.ranks = std::move(ranks);
    result.symptom = seen.symptom;
    return result;
  }
  return judged ? passed() : skipped("no call that moves data came to its end");
}

}  // namespace

const Property kGuardIntact = {
    .name = "guard_intact",
    .claim = "A collective writes nothing outside of its buffers.",
    .needs = "a call that moves data",
    .check = check,
};

}  // namespace allprove
