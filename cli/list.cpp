// `allprove list`: the names that the options take, and what they stand for.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/mutants.h"
#include "framework/base/enum_table.h"
#include "framework/report/console.h"
#include "framework/run/target.h"
#include "properties/table.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

template <class E>
Json names_json() {
  Json list = Json::array();
  for (const auto name : names_of<E>()) list.push_back({{"name", std::string(name)}});
  return list;
}

Json backends_json() {
  Json list = Json::array();
  for (const auto& backend : all_backends()) {
    std::error_code ignored;
    const bool built =
        std::filesystem::is_regular_file(programs_folder() / backend.worker, ignored);
    list.push_back({{"name", std::string(backend.name)},
                    {"about", built ? "built in" : "not built in: see `./allprove doctor`"}});
  }
  return list;
}

Json properties_json() {
  Json list = Json::array();
  for (const auto& property : all_properties()) {
    list.push_back({{"name", std::string(property.name)},
                    {"about", std::string(property.claim)},
                    {"needs", std::string(property.needs)}});
  }
  return list;
}

Result<Json> everything() {
  auto mutants = list_mutants();
  if (!mutants) return mutants;
  return Json{{"backends", backends_json()},
              {"properties", properties_json()},
              {"mutants", *mutants},
              {"faults", names_json<FaultKind>()},
              {"collectives", names_json<Collective>()},
              {"dtypes", names_json<Dtype>()},
              {"ops", names_json<Op>()},
              {"families", names_json<Family>()}};
}

void print(Console& console, const std::string& title, const Json& list) {
  console.line(title + ":");
  for (const auto& entry : list) {
    const auto name = entry.value("name", "");
    const auto about = entry.value("about", "");
    console.line(about.empty() ? "  " + name : fmt::format("  {:28} {}", name, about));
  }
}

}  // namespace

Result<int> run_list(const std::string& what, bool json) {
  auto listed = everything();
  if (!listed) return tl::unexpected(listed.error());
  auto& all = *listed;
  if (!what.empty()) {
    if (!all.contains(what)) {
      std::string known;
      for (const auto& item : all.items()) known += (known.empty() ? "" : ", ") + item.key();
      return usage_error(fmt::format("list {}: not known", what), "one of: " + known);
    }
    all = Json{{what, all[what]}};
  }
  Console console;
  if (json) {
    console.line(all.dump(2));
    return kExitPass;
  }
  for (const auto& item : all.items()) print(console, item.key(), item.value());
  return kExitPass;
}

}  // namespace allprove
