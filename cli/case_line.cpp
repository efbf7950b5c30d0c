#include "cli/case_line.h"

#include <nlohmann/json.hpp>

#include "framework/base/enum_table.h"
#include "framework/model/case_json.h"

namespace allprove {

nlohmann::ordered_json case_line(const Examined& examined, std::uint64_t id,
                                 const std::string& backend, bool full) {
  nlohmann::ordered_json line;
  line["type"] = "case";
  line["id"] = id;
  line["backend"] = backend;
  line["ranks"] = examined.test_case.ranks;
  line["outcome"] = name_of(examined.outcome);
  line["verdict"] = name_of(examined.verdict);
  line["elapsed_ms"] = static_cast<double>(examined.history.elapsed_ns) / 1e6;
  if (examined.verdict == Verdict::pass && !full) return line;
  if (!examined.reason.empty()) line["reason"] = examined.reason;
  if (!examined.known.empty()) line["known"] = examined.known;
  auto properties = nlohmann::ordered_json::object();
  if (examined.judged) {
    for (const auto& [name, result] : examined.judged->results) {
      properties[std::string(name)] = name_of(result.verdict);
    }
  }
  line["properties"] = properties;
  line["case"] = to_json(examined.test_case);
  return line;
}

}  // namespace allprove
