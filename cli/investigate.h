// From a failure to a finding: does it come back, what is the smallest case that shows it, and what
// must run before it.
#pragma once

#include <vector>

#include "cli/examine.h"
#include "framework/report/finding.h"
#include "framework/search/shrink.h"

namespace allprove {

struct InvestigateOptions {
  ShrinkBudget budget;
  int tries = 5;     // fresh worlds in which the result is run again
  int copies = 256;  // in one world, of a case that does not fail every time; more if it is rare
  std::chrono::milliseconds rerun_max{5'000};  // of looking whether one case comes back, one way
};

// `failed` is a case as it failed. A failure seen once is a finding even if it never comes back:
// then it stands as it was, after what its world had run.
Finding investigate(Examiner& examiner, const Examined& failed, const InvestigateOptions& options);

// Runs a finding's case as its file says, once, in a fresh world. The failure if there is one, be
// it the finding's or another.
Result<std::optional<Examined>> run_finding(Examiner& examiner, const Finding& finding,
                                            Milliseconds deadline);

}  // namespace allprove
