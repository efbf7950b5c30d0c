// A property: a claim about a history, with what it needs and a pure check. One file per property;
// the table of all of them is table.h, and judge.h applies them to a case.
//
// Which property names a finding. A wrong value breaks several claims at once, so they share the
// work: a property speaks only where it says more than those after it in the table.
//  - Relations between two operations (in place and not, split and whole, ...) compare a variation
//    with its plain twin, and speak only where one of them is right and all that is wrong in the
//    case is of the other's kind. A call that is wrong whatever its kind is the business of
//    matches_reference, which needs that one operation only.
//  - ranks_agree comes after matches_reference: it names what the oracle allows on each rank but
//    not together.
//  - A claim that no library promises (repeatable; any relation on inexact results) gives `note`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"

namespace allprove {

class Trial;

// What a property says of one case.
struct PropertyResult {
  Verdict verdict = Verdict::skip;
  std::string reason;      // why it is skipped, or what is wrong, in one line
  int operation = -1;      // index of the operation that breaks the claim (of the start, where it
                           // was taken apart)
  std::vector<int> ranks;  // world ranks on which it shows
  Symptom symptom = Symptom::none;
};

struct Property {
  std::string_view name;
  std::string_view claim;  // one sentence, for `list`
  std::string_view needs;  // what a case must have for the claim to say something
  // Pure: depends on nothing but the case and history in the trial (trial.h). Says `skip`, with the
  // reason, when they hold nothing to judge.
  PropertyResult (*check)(const Trial& trial);
};

}  // namespace allprove
