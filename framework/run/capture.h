// The output of a short program, within a bound.
#pragma once

#include <string>
#include <vector>

#include "framework/base/clock.h"
#include "framework/base/result.h"

namespace allprove {

// Runs argv and returns what it wrote to stdout (at most 1 MiB; stderr is dropped). An error when
// it cannot be run, exits with another code than 0, or is not done in time; then it is killed.
Result<std::string> capture(const std::vector<std::string>& argv, Milliseconds bound);

}  // namespace allprove
