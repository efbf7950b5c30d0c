// Which properties that compare operations have something to judge in a case.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/model/case.h"

namespace allprove {

const std::vector<std::string>& comparing_properties();

// Whether the property says anything about the collective.
bool speaks_of(const std::string& property, Collective collective);

// The pairs of a property and a collective about which it has something to judge.
std::set<std::pair<std::string, Collective>> served_by(const Case& test_case);

}  // namespace allprove
