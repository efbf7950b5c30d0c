// Where all members must hold the same, they hold the same bits.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "framework/model/wording.h"
#include "properties/each.h"
#include "properties/trial.h"

namespace allprove {
namespace {

bool must_agree(const Evidence& seen) { return seen.checked && seen.agreement; }

// Whether all members of the part hold the same bits; `compared` when there were two to compare.
bool agree(const Trial& trial, const TrialCall& call, const std::vector<int>& part,
           bool& compared) {
  const Evidence* first = nullptr;
  for (const int rank : part) {
    const auto& seen = trial.evidence(rank, call);
    if (!must_agree(seen)) continue;
    if (first == nullptr) {
      first = &seen;
    } else {
      compared = true;
      if (seen.digests.whole != first->digests.whole) return false;
    }
  }
  return true;
}

// The ranks that hold the same bits, the largest camp first.
std::vector<std::vector<int>> camps_of(const Trial& trial, const TrialCall& call,
                                       const std::vector<int>& part) {
  std::map<std::uint64_t, std::vector<int>> holders;
  for (const int rank : part) {
    const auto& seen = trial.evidence(rank, call);
    if (must_agree(seen)) holders[seen.digests.whole].push_back(rank);
  }
  std::vector<std::vector<int>> camps;
  for (auto& [digest, ranks] : holders) {
    std::sort(ranks.begin(), ranks.end());
    camps.push_back(std::move(ranks));
  }
  std::sort(camps.begin(), camps.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return camps;
}

// Shows on the ranks that differ from what most hold; on all, where no camp is the largest.
PropertyResult disagreement(const Trial& trial, const TrialCall& call,
                            const std::vector<int>& part) {
  const auto camps = camps_of(trial, call, part);
  const bool tie = camps[0].size() == camps[1].size();
  PropertyResult result;
  result.verdict = Verdict::fail;
  result.operation = call.index;
  std::string text;
  for (std::size_t i = 0; i < camps.size(); ++i) {
    if (i > 0) text += i + 1 < camps.size() ? ", " : " and ";
    text += ranks_text(camps[i]);
    if (i > 0 || tie) {
      result.ranks.insert(result.ranks.end(), camps[i].begin(), camps[i].end());
    }
  }
  std::sort(result.ranks.begin(), result.ranks.end());
  result.symptom = trial.evidence(result.ranks.front(), call).symptom;
  result.reason = fmt::format("{}: {} hold different bits{}", trial.name_of_call(call), text,
                              call.wrong ? "" : ", each allowed by itself");
  return result;
}

PropertyResult check(const Trial& trial) {
  const auto& test_case = trial.test_case();
  std::vector<int> everyone(static_cast<std::size_t>(test_case.ranks));
  std::iota(everyone.begin(), everyone.end(), 0);
  bool judged = false;
  for (const auto& call : trial.calls()) {
    if (!call.checked) continue;
    const auto& parts = test_case.groups[static_cast<std::size_t>(call.operation->group)].parts;
    if (parts.empty()) {
      if (!agree(trial, call, everyone, judged)) return disagreement(trial, call, everyone);
    }
    for (const auto& part : parts) {
      if (!agree(trial, call, part, judged)) return disagreement(trial, call, part);
    }
  }
  return judged ? passed() : skipped("no two ranks must hold the same");
}

}  // namespace

const Property kRanksAgree = {
    .name = "ranks_agree",
    .claim = "Where all ranks must hold the same, they hold the same bits.",
    .needs = "a call whose output is the same on two ranks or more",
    .check = check,
};

}  // namespace allprove
