// The mutants, which are their worker's own affair: it lists them itself.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "framework/base/result.h"

namespace allprove {

// A list of objects, each with at least `name` and `about`; empty when the worker was not built.
Result<nlohmann::ordered_json> list_mutants();

// For "mutant:NAME": a usage error that names the mutants when there is no NAME among them. Other
// backends pass.
Status check_mutant(std::string_view backend);

}  // namespace allprove
