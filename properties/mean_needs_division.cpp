// A sum leaves the sum: the mean is there only after the caller has divided by the group's size.
#include <fmt/format.h>

#include "properties/each.h"
#include "properties/trial.h"
#include "properties/twins.h"

namespace allprove {
namespace {

bool is_sum(const Operation& operation) {
  return traits_of(operation.collective).reduces && operation.op == Op::sum;
}

// Every rank that is wrong holds the mean instead.
bool is_averaged(const Trial& trial, const TrialCall& call) {
  return call.wrong && trial
                           .ranks_where(call,
                                        [](const Evidence& seen) {
                                          return seen.wrong > 0 &&
                                                 seen.symptom != Symptom::averaged;
                                        })
                           .empty();
}

// The sum is right, and the same sum divided is the only kind that is wrong.
const TrialCall* right_sum(const Trial& trial, const TrialCall& call) {
  if (!call.wrong || !call.operation->divide) return nullptr;
  const auto* sum = plain_twin(trial, call, Aspect::divide);
  const bool only_divided =
      trial.every_wrong_call([](const TrialCall& wrong) { return wrong.operation->divide; });
  return sum != nullptr && sum->checked && only_divided ? sum : nullptr;
}

PropertyResult check(const Trial& trial) {
  bool judged = false;
  bool unclear = false;
  for (const auto& call : trial.calls()) {
    if (!call.checked || !is_sum(*call.operation)) continue;
    if (is_averaged(trial, call)) {
      return failed_by_values(
          trial, call, fmt::format("{}: {}", trial.name_of_call(call), trial.wrong_text(call)));
    }
    if (const auto* sum = right_sum(trial, call)) {
      return failed_by_values(
          trial, call,
          fmt::format("{}: {}; the same sum before division ({}) is right",
                      trial.name_of_call(call), trial.wrong_text(call), trial.name_of_call(*sum)));
    }
    (call.wrong ? unclear : judged) = true;
  }
  if (judged && !unclear) return passed();
  return skipped(unclear ? "a sum is wrong, and not by division" : "no sum");
}

}  // namespace

const Property kMeanNeedsDivision = {
    .name = "mean_needs_division",
    .claim = "A sum leaves the sum; dividing it by the group's size gives the mean.",
    .needs = "a sum",
    .check = check,
};

}  // namespace allprove
