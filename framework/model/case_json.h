// The JSON text of the model's values. A case round-trips exactly: from_json(to_json(c)) == c, and
// fields that keep their default are left out, so that the text of a small case is small.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "framework/base/result.h"
#include "framework/model/case.h"
#include "framework/model/history.h"

namespace allprove {

// Key order is the order of fields.h. Operations that move data also carry `count`, the product of
// the shape, for readers of the file; a reader that finds both checks that they agree.
nlohmann::ordered_json to_json(const Case& test_case);
nlohmann::ordered_json to_json(const History& history);

// Usage errors name the field ("program[3].data.seed: ..."): malformed text, unknown or missing
// fields, values out of range, and what validate() refuses.
Result<Case> case_from_json(const nlohmann::ordered_json& json);
Result<Case> case_from_text(std::string_view text);

}  // namespace allprove
