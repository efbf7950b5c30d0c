#include "cli/mutants.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "framework/run/capture.h"
#include "framework/run/target.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPrefix = "mutant:";

}  // namespace

Result<Json> list_mutants() {
  const auto target = make_target("mutant:averages", {});  // any name: the worker is the same
  if (!target) return Json::array();
  const auto text = capture({target->worker.string(), "--list"}, Milliseconds(5000));
  if (!text) return tl::unexpected(text.error());
  auto list = Json::parse(*text, nullptr, false);
  if (!list.is_array()) return internal_error("the mutants' worker lists something else than them");
  return list;
}

Status check_mutant(std::string_view backend) {
  if (!backend.starts_with(kPrefix)) return {};
  const auto name = backend.substr(kPrefix.size());
  const auto mutants = list_mutants();
  if (!mutants) return tl::unexpected(mutants.error());
  std::string known;
  for (const auto& mutant : *mutants) {
    if (mutant.value("name", "") == name) return {};
    known += (known.empty() ? "" : ", ") + mutant.value("name", "");
  }
  return usage_error(fmt::format("there is no mutant '{}'", name), "one of: " + known);
}

}  // namespace allprove
