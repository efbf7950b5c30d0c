// Making a failing case small. The tree of simpler cases is a pure function of the case (gen.h);
// `shrink` walks it within budgets.
#pragma once

#include <chrono>
#include <functional>

#include "framework/model/case.h"

namespace allprove {

struct ShrinkBudget {
  int tries_max = 500;
  std::chrono::milliseconds time_max{20'000};
};

struct Shrunk {
  Case test_case;
  int tries = 0;
  int steps = 0;           // simpler cases that still failed
  bool exhausted = false;  // a budget ended it before a minimum was reached
};

// The smallest case found for which `still_fails` holds; `still_fails(original)` is taken as true.
// No case is tried twice. Ends also when `still_fails` is fickle.
Shrunk shrink(const Case& original, const std::function<bool(const Case&)>& still_fails,
              ShrinkBudget budget);

}  // namespace allprove
