// Every output is what the oracle allows.
#include <fmt/format.h>

#include "properties/each.h"
#include "properties/trial.h"

namespace allprove {
namespace {

PropertyResult check(const Trial& trial) {
  bool judged = false;
  for (const auto& call : trial.calls()) {
    judged |= call.checked;
    if (!call.wrong) continue;
    return failed_by_values(
        trial, call, fmt::format("{}: {}", trial.name_of_call(call), trial.wrong_text(call)));
  }
  return judged ? passed() : skipped("no output was compared with the reference");
}

}  // namespace

const Property kMatchesReference = {
    .name = "matches_reference",
    .claim = "Every output is what an independent reference allows.",
    .needs = "a call that moves data",
    .check = check,
};

}  // namespace allprove
