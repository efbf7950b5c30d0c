// Making a failing case small. `shrinks` is a pure function; `shrink` walks it within budgets.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "framework/base/clock.h"
#include "framework/model/case.h"

namespace allprove {

// Simpler cases, the boldest first: fewer ranks, fewer operations, fewer groups, smaller counts,
// plainer everything. Every one is valid, and none is the case itself; following them always ends.
std::vector<Case> shrinks(const Case& test_case);

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

// The smallest case found for which `still_fails` holds. `still_fails(original)` is taken as true.
Shrunk shrink(const Case& original, const std::function<bool(const Case&)>& still_fails,
              ShrinkBudget budget);

}  // namespace allprove
