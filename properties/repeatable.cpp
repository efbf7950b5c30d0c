// The same call twice leaves the same bits. No library promises it in general: a note.
#include <fmt/format.h>

#include <unordered_map>

#include "framework/model/wording.h"
#include "properties/each.h"
#include "properties/trial.h"

namespace allprove {
namespace {

PropertyResult check(const Trial& trial) {
  std::unordered_map<std::uint64_t, const TrialCall*> first_of;
  bool judged = false;
  for (const auto& call : trial.calls()) {
    if (!call.checked) continue;
    const auto [found, is_first] = first_of.emplace(call.signature.all(), &call);
    if (is_first) continue;
    const auto& earlier = *found->second;
    judged = true;
    std::vector<int> ranks;
    for (int rank = 0; rank < trial.test_case().ranks; ++rank) {
      const auto& a = trial.evidence(rank, earlier);
      const auto& b = trial.evidence(rank, call);
      if (a.checked && b.checked && a.digests.whole != b.digests.whole) ranks.push_back(rank);
    }
    if (ranks.empty()) continue;
    PropertyResult result;
    result.verdict = Verdict::note;
    result.reason = fmt::format("{} left other bits than operation {}, the same call, on {}",
                                trial.name_of_call(call), earlier.index, ranks_text(ranks));
    result.operation = call.index;
    result.ranks = std::move(ranks);
    return result;
  }
  return judged ? passed() : skipped("no call is there twice");
}

}  // namespace

const Property kRepeatable = {
    .name = "repeatable",
    .claim = "The same call twice leaves the same bits (a note: not every library promises it).",
    .needs = "the same call twice",
    .check = check,
};

}  // namespace allprove
