#include "framework/report/finding.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "framework/base/enum_table.h"
#include "framework/model/case_json.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

Json cases_json(const std::vector<Case>& cases) {
  auto list = Json::array();
  for (const auto& test_case : cases) list.push_back(to_json(test_case));
  return list;
}

Json reproduced_json(const Reproduced& reproduced) {
  return Json{{"hits", reproduced.hits}, {"tries", reproduced.tries}};
}

// Reads the member if it is there and of the right type; a message otherwise.
template <class T>
Status take(const Json& json, const char* name, T& value, bool (Json::*is)() const noexcept) {
  const auto found = json.find(name);
  if (found == json.end() || !(*found.*is)()) {
    return usage_error(fmt::format("{}: missing, or of the wrong type", name));
  }
  value = found->get<T>();
  return {};
}

namespace fs = std::filesystem;

// As a shell reads it back.
std::string quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// Below the current folder: from there; elsewhere: from the root.
std::string path_from_here(const fs::path& path) {
  std::error_code unknown;
  const auto here = fs::current_path(unknown);
  const auto whole = (here / path).lexically_normal();
  const auto relative = whole.lexically_relative(here);
  const bool below = !unknown && !relative.empty() && *relative.begin() != "..";
  return below ? relative.string() : whole.string();
}

// The program as the user can call it. The script `allprove` at the root of the sources says that
// it was the one (kCommandVariable).
std::string program_path() {
  std::error_code unknown;
  const char* const script = std::getenv(kCommandVariable);
  const fs::path program = script != nullptr ? script : fs::read_symlink("/proc/self/exe", unknown);
  const auto path = path_from_here(program);
  return path.find('/') == std::string::npos ? "./" + path : path;
}

Status take_case(const Json& json, const std::string& name, Case& test_case) {
  auto read = case_from_json(json);
  if (!read) return usage_error(fmt::format("{}.{}", name, read.error().message));
  test_case = std::move(*read);
  return {};
}

Status take_target(const Json& json, TargetRecord& target) {
  const auto found = json.find("target");
  if (found == json.end() || !found->is_object()) return usage_error("target: missing");
  if (auto status = take(*found, "name", target.name, &Json::is_string); !status) return status;
  const auto environment = found->find("environment");
  if (environment == found->end()) return {};
  if (!environment->is_object()) return usage_error("target.environment: expected an object");
  for (const auto& item : environment->items()) {
    if (!item.value().is_string()) return usage_error("target.environment: expected texts");
    target.environment.emplace_back(item.key(), item.value().get<std::string>());
  }
  for (const auto& [name, field] :
       {std::pair{"library", &target.library}, std::pair{"version", &target.version},
        std::pair{"launcher", &target.launcher}, std::pair{"sandbox", &target.sandbox}}) {
    if (found->contains(name)) {
      if (auto status = take(*found, name, *field, &Json::is_string); !status) return status;
    }
  }
  return {};
}

}  // namespace

Json to_json(const TargetRecord& target) {
  Json environment = Json::object();
  for (const auto& [name, value] : target.environment) environment[name] = value;
  return Json{{"name", target.name},       {"library", target.library},
              {"version", target.version}, {"launcher", target.launcher},
              {"sandbox", target.sandbox}, {"worker", target.worker},
              {"environment", environment}};
}

std::string reproduce_line(const std::string& file) {
  return fmt::format("{} replay {}", quoted(program_path()), quoted(path_from_here(file)));
}

Json finding_line(const Finding& finding, const std::string& file) {
  Json line;
  line["type"] = "finding";
  line["id"] = finding.id;
  line["backend"] = finding.target.name;
  line["property"] = finding.property;
  line["outcome"] = name_of(finding.outcome);
  line["ranks"] = finding.test_case.ranks;
  line["steps"] = finding.test_case.program.size();
  line["summary"] = finding.summary;
  line["blame"] = finding.blame;
  line["known"] = finding.known ? Json(*finding.known) : Json(nullptr);
  line["reproduced"] = reproduced_json(finding.reproduced);
  line["target"] = to_json(finding.target);
  line["before"] = cases_json(finding.before);
  line["repeats"] = finding.repeats;
  line["case"] = to_json(finding.test_case);
  line["file"] = file;
  line["reproduce"] = reproduce_line(file);
  return line;
}

Json finding_file(const Finding& finding) {
  Json json;
  json["schema"] = kSchema;
  json["id"] = finding.id;
  json["property"] = finding.property;
  json["outcome"] = name_of(finding.outcome);
  json["summary"] = finding.summary;
  json["blame"] = finding.blame;
  json["known"] = finding.known ? Json(*finding.known) : Json(nullptr);
  json["reproduced"] = reproduced_json(finding.reproduced);
  json["target"] = to_json(finding.target);
  json["deadline_ms"] = finding.deadline_ms;
  json["before"] = cases_json(finding.before);
  json["repeats"] = finding.repeats;
  json["case"] = to_json(finding.test_case);
  json["original"] = to_json(finding.original);
  json["shrink"] = Json{{"tries", finding.shrink_tries}, {"complete", finding.shrink_complete}};
  if (!finding.trouble.empty()) json["trouble"] = finding.trouble;
  json["history"] = to_json(finding.history);
  return json;
}

Result<Finding> finding_from_text(const std::string& text) {
  const auto json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) return usage_error("not a JSON object");
  Finding finding;
  int schema = 0;
  if (auto status = take(json, "schema", schema, &Json::is_number_integer); !status) {
    return tl::unexpected(status.error());
  }
  if (schema != kSchema)
    return usage_error(fmt::format("schema {}: this reads {}", schema, kSchema));
  Status status = take_target(json, finding.target);
  if (status) status = take(json, "property", finding.property, &Json::is_string);
  if (status && json.contains("id")) {
    status = take(json, "id", finding.id, &Json::is_number_unsigned);
  }
  std::int64_t repeats = finding.repeats;
  if (status && json.contains("repeats")) {
    status = take(json, "repeats", repeats, &Json::is_number_integer);
  }
  if (status && json.contains("deadline_ms")) {
    status = take(json, "deadline_ms", finding.deadline_ms, &Json::is_number_integer);
  }
  if (status && (finding.deadline_ms < 0 || finding.deadline_ms > kDeadlineMaxMs)) {
    status = usage_error("deadline_ms: not in 0 to 24 hours");
  }
  if (status && (repeats < 1 || repeats > 100'000)) {
    status = usage_error("repeats: not in 1 to 100000");
  }
  finding.repeats = static_cast<int>(repeats);
  if (status && !json.contains("case")) status = usage_error("case: missing");
  if (status) status = take_case(json["case"], "case", finding.test_case);
  if (status && json.contains("before")) {
    if (!json["before"].is_array()) return usage_error("before: expected a list");
    for (const auto& entry : json["before"]) {
      if (status) status = take_case(entry, "before", finding.before.emplace_back());
    }
  }
  if (!status) return tl::unexpected(status.error());
  for (const auto& earlier : finding.before) {
    if (earlier.ranks != finding.test_case.ranks) {
      return usage_error("before: its cases have another number of ranks than the case");
    }
  }
  if (json.contains("outcome") && json["outcome"].is_string()) {
    const auto outcome = from_name<Outcome>(json["outcome"].get<std::string>());
    if (!outcome) return usage_error("outcome: not a known one");
    finding.outcome = *outcome;
  }
  return finding;
}

}  // namespace allprove
