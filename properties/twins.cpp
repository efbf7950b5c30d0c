#include "properties/twins.h"

#include <fmt/format.h>

namespace allprove {
namespace {

// Whether the digests differ on a rank on which both calls have an output.
bool differ(const Trial& trial, const TrialCall& a, const TrialCall& b) {
  for (int rank = 0; rank < trial.test_case().ranks; ++rank) {
    const auto& of_a = trial.evidence(rank, a);
    const auto& of_b = trial.evidence(rank, b);
    if (of_a.checked && of_b.checked && of_a.digests.whole != of_b.digests.whole) return true;
  }
  return false;
}

}  // namespace

bool varies(const TrialCall& call, Aspect aspect) {
  const auto& operation = *call.operation;
  switch (aspect) {
    case Aspect::in_place:
      return operation.in_place;
    case Aspect::mode:
      return operation.mode != Mode::blocking;
    case Aspect::rotate:
      return operation.data.rotate != 0;
    case Aspect::scale:
      return operation.data.scale != 0;
    case Aspect::altered:
      return operation.data.altered;
    case Aspect::divide:
      return operation.divide;
    case Aspect::extent:
      return operation.data.first != 0;
  }
  return false;
}

const TrialCall* plain_twin(const Trial& trial, const TrialCall& variation, Aspect aspect) {
  const auto wanted = variation.signature.without(aspect);
  for (const auto& call : trial.calls()) {
    if (call.signature.without(aspect) == wanted && !varies(call, aspect)) {
      return &call;
    }
  }
  return nullptr;
}

const TrialCall* wrong_twin(const Trial& trial, const TrialCall& a, const TrialCall& b,
                            Aspect aspect) {
  if (a.wrong == b.wrong) return nullptr;
  const auto& wrong = a.wrong ? a : b;
  const bool only_its_kind = trial.every_wrong_call(
      [&](const TrialCall& other) { return varies(other, aspect) == varies(wrong, aspect); });
  return only_its_kind ? &wrong : nullptr;
}

PropertyResult judge_twins(const Trial& trial, const TwinRelation& relation) {
  int equal = 0;
  int unclear = 0;
  int inexact = 0;
  for (const auto& call : trial.calls()) {
    if (!call.checked || !varies(call, relation.aspect) || !relation.applies(*call.operation)) {
      continue;
    }
    const auto* twin = plain_twin(trial, call, relation.aspect);
    if (twin == nullptr || !twin->checked) continue;
    if (!call.exact || !twin->exact) {
      ++inexact;
    } else if (!differ(trial, call, *twin)) {
      ++equal;
    } else if (const auto* wrong = wrong_twin(trial, call, *twin, relation.aspect)) {
      const auto& right = wrong == &call ? *twin : call;
      return failed_by_values(trial, *wrong,
                              fmt::format("{}: {}; {} ({}) the same call is right",
                                          trial.name_of_call(*wrong), trial.wrong_text(*wrong),
                                          wrong == &call ? relation.plain : relation.variation,
                                          trial.name_of_call(right)));
    } else {
      ++unclear;
    }
  }
  if (equal > 0 && unclear == 0) return passed();
  if (unclear > 0) return skipped("calls of both kinds are wrong");
  if (inexact > 0) return skipped("only results that may differ in rounding");
  return skipped(
      fmt::format("no call {} beside the same one {}", relation.variation, relation.plain));
}

}  // namespace allprove
