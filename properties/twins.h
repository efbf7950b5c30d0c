// What the relations between an operation and its twin share: finding twins, and when a difference
// between them is told as the relation's failure (see property.h).
#pragma once

#include <string_view>

#include "properties/trial.h"

namespace allprove {

// Whether the operation is a variation in the aspect, rather than plain.
bool varies(const TrialCall& call, Aspect aspect);

// The first plain call that is the variation but for the aspect; null when there is none.
const TrialCall* plain_twin(const Trial& trial, const TrialCall& variation, Aspect aspect);

// The wrong one of two twins, when the other is right and all that is wrong in the case is of the
// wrong one's kind, a variation or plain; null otherwise.
const TrialCall* wrong_twin(const Trial& trial, const TrialCall& a, const TrialCall& b,
                            Aspect aspect);

// A relation "the variation leaves the same output as the plain call".
struct TwinRelation {
  Aspect aspect;
  bool (*applies)(const Operation& operation);  // to the variation
  std::string_view variation;                   // "in place"
  std::string_view plain;                       // "out of place"
};

// Judges every pair. Where the oracle allows more than one value, a difference is no failure.
PropertyResult judge_twins(const Trial& trial, const TwinRelation& relation);

}  // namespace allprove
