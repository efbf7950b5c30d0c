// Applies properties to what happened in a case.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "properties/table.h"

namespace allprove {

struct Judged {
  Verdict verdict = Verdict::skip;                                   // of all, by merge()
  const Property* first_failed = nullptr;                            // names the finding
  std::vector<std::pair<std::string_view, PropertyResult>> results;  // in the order of the table

  // What first_failed says; null when nothing failed.
  const PropertyResult* failure() const;
};

// A case that a fault was injected into is not judged by values or outcome: everything is skipped
// (see changes_meaning() for the faults that leave all claims as they are). Nor is one that did not
// run. A check that throws gives `unknown`; so does a history with trouble of our own.
Judged judge_case(const Case& test_case, const History& history,
                  std::span<const Property> properties = all_properties());

// Whether a program under the fault may do other than what it does without it. A rank that is only
// slow may not.
bool changes_meaning(FaultKind kind);

}  // namespace allprove
