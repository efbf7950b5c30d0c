// The entry of a known failure that tests start from.
#pragma once

#include <nlohmann/json.hpp>

namespace allprove {

using Json = nlohmann::json;

inline Json entry() {
  return Json::parse(R"({
    "id": "sum-saturates", "title": "sums saturate", "library": "openmpi",
    "versions": {"from": "4.1.0", "to": "4.1.4"},
    "signature": {"collective": ["all_reduce"], "mode": ["blocking", "nonblocking"],
                  "algorithm": ["*"], "property": ["*"], "symptom": ["wrong"]},
    "when": {"op": ["sum"], "dtype": ["int8", "int16"], "ranks_min": 2, "bytes_min": 16},
    "witness": "known/witness/a.c", "run": {"ranks": 3, "environment": {}},
    "upstream": null, "page": "docs/found/a.md"})");
}

}  // namespace allprove
