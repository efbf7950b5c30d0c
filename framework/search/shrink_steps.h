// The steps that shrinking may try from a case.
#pragma once

#include <functional>
#include <vector>

#include "framework/model/case.h"

namespace allprove {

// Makes the case of which the list was made simpler. It may also leave it as it is, or spoil it:
// what comes out is looked at before it is used.
using Step = std::function<void(Case&)>;

// The boldest first.
std::vector<Step> shrink_steps(const Case& test_case);

}  // namespace allprove
