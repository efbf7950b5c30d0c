// The line of history.jsonl that tells of one case.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/examine.h"

namespace allprove {

// A passing case keeps id to elapsed_ms only, unless `full`.
nlohmann::ordered_json case_line(const Examined& examined, std::uint64_t id,
                                 const std::string& backend, bool full);

}  // namespace allprove
