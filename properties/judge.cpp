#include "properties/judge.h"

#include <algorithm>
#include <exception>

#include "properties/trial.h"

namespace allprove {
namespace {

PropertyResult checked(const Property& property, const Trial& trial) {
  try {
    return property.check(trial);
  } catch (const std::exception& error) {
    return result_of(Verdict::unknown, std::string("the check itself failed: ") + error.what());
  }
}

std::string why_not_judged(const Case& test_case, const History& history) {
  if (!history.skipped.empty()) return "the backend cannot run it: " + history.skipped;
  const bool faulty = std::any_of(test_case.faults.begin(), test_case.faults.end(),
                                  [](const Fault& fault) { return changes_meaning(fault.kind); });
  return faulty ? "a fault is injected: see the outcome" : "";
}

}  // namespace

bool changes_meaning(FaultKind kind) {
  return kind != FaultKind::late && kind != FaultKind::starve;
}

const PropertyResult* Judged::failure() const {
  if (first_failed == nullptr) return nullptr;
  for (const auto& [name, result] : results) {
    if (name == first_failed->name) return &result;
  }
  return nullptr;
}

Judged judge_case(const Case& test_case, const History& history,
                  std::span<const Property> properties) {
  Judged judged;
  judged.results.reserve(properties.size());
  if (history.trouble) {
    judged.verdict = Verdict::unknown;
    for (const auto& property : properties) {
      judged.results.emplace_back(property.name, result_of(Verdict::unknown, *history.trouble));
    }
    return judged;
  }
  if (const auto why = why_not_judged(test_case, history); !why.empty()) {
    for (const auto& property : properties) {
      judged.results.emplace_back(property.name, skipped(why));
    }
    return judged;
  }
  const Trial trial(test_case, history);
  for (const auto& property : properties) {
    const auto& [name, result] =
        judged.results.emplace_back(property.name, checked(property, trial));
    judged.verdict = merge(judged.verdict, result.verdict);
    if (result.verdict == Verdict::fail && judged.first_failed == nullptr) {
      judged.first_failed = &property;
    }
  }
  return judged;
}

}  // namespace allprove
