// A property: a claim about a history, with what it needs and a pure check. One file per property;
// the table of all of them is table.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"

namespace allprove {

// What a property says of one case.
struct PropertyResult {
  Verdict verdict = Verdict::skip;
  std::string reason;      // why it is skipped, or what is wrong, in one line
  int operation = -1;      // index of the operation that breaks the claim
  std::vector<int> ranks;  // world ranks on which it shows
  Symptom symptom = Symptom::none;
};

struct Property {
  std::string_view name;
  std::string_view claim;  // one sentence, for `list`
  std::string_view needs;  // what a case must have for the claim to say something
  // Pure: depends on nothing but its arguments. Says `skip` when the case has nothing to judge.
  PropertyResult (*check)(const Case& test_case, const History& history);
};

}  // namespace allprove
