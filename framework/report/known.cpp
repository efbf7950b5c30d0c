#include "framework/report/known.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "framework/base/enum_table.h"

namespace allprove {
namespace {

// "4.0.2" as {4, 0, 2}; what is no digit separates.
std::vector<int> parts_of(std::string_view version) {
  std::vector<int> parts;
  bool inside = false;
  for (const char c : version) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !inside) parts.push_back(0);
    if (digit && parts.back() < 100'000'000) parts.back() = parts.back() * 10 + (c - '0');
    inside = digit;
  }
  while (!parts.empty() && parts.back() == 0) parts.pop_back();  // 4.1 is 4.1.0
  return parts;
}

std::optional<std::string> value_of(const KnownFailures::Variables& environment,
                                    const std::string& name) {
  for (const auto& [key, value] : environment) {
    if (key == name) return value;
  }
  if (const char* value = std::getenv(name.c_str())) return value;
  return std::nullopt;
}

bool holds(const std::string& condition, const std::optional<std::string>& value) {
  if (!value) return false;
  if (condition.starts_with(">=")) {
    const auto number = [](std::string_view text) {
      std::int64_t result = -1;
      std::from_chars(text.data(), text.data() + text.size(), result);
      return result;
    };
    return number(*value) >= number(std::string_view(condition).substr(2));
  }
  return condition.substr(1) == *value;
}

// The collective that an operation enters or completes; -1 where it is about none.
int collective_behind(const Case& test_case, int index) {
  const auto size = static_cast<int>(test_case.program.size());
  if (index < 0 || index >= size) return -1;
  const auto& operation = test_case.program[static_cast<std::size_t>(index)];
  if (enters_collective(operation.kind)) return index;
  if (!completes_request(operation.kind)) return -1;
  for (int i = index - 1; i >= 0; --i) {
    const auto& earlier = test_case.program[static_cast<std::size_t>(i)];
    if (earlier.kind == OperationKind::start && earlier.request == operation.request) return i;
  }
  return -1;
}

bool freed_while_pending(const Case& test_case, int start) {
  const auto& started = test_case.program[static_cast<std::size_t>(start)];
  if (started.kind != OperationKind::start) return false;
  for (auto i = static_cast<std::size_t>(start) + 1; i < test_case.program.size(); ++i) {
    const auto& later = test_case.program[i];
    if (completes_request(later.kind) && later.request == started.request) return false;
    const bool frees = later.kind == OperationKind::comm_free ||
                       later.kind == OperationKind::comm_create;  // makes it anew
    if (frees && later.group == started.group) return true;
  }
  return false;
}

// Whether the failure looks as the signature says: on every rank on which it shows.
bool looks_like(const NameSet& symptoms, const History& history, std::string_view property,
                int operation) {
  if (symptoms.has("*")) return true;
  if (property == "completes") return symptoms.has(name_of(history.outcome));
  if (operation < 0) return false;
  bool shows = false;
  for (const auto& rank : history.ranks) {
    if (static_cast<std::size_t>(operation) >= rank.operations.size()) continue;
    const auto& seen = rank.operations[static_cast<std::size_t>(operation)].evidence;
    if (seen.wrong == 0) continue;
    if (!symptoms.has("wrong") && !symptoms.has(name_of(seen.symptom))) return false;
    shows = true;
  }
  return shows || (property == "ranks_agree" && symptoms.has("disagree"));
}

// Whether some part of the operation's group, in which the failure may be, is as the conditions
// say.
bool some_part_fits(const KnownFailure& known, const Case& test_case, const Operation& operation) {
  const auto fits = [&](std::int64_t size) {
    return known.ranks.has(size) && known.root.has(operation.root % size);
  };
  const auto& parts = test_case.groups[static_cast<std::size_t>(operation.group)].parts;
  if (parts.empty()) return fits(test_case.ranks);
  return std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
    return fits(static_cast<std::int64_t>(part.size()));
  });
}

bool explains(const KnownFailure& known, const Case& test_case, int index) {
  const auto& operation = test_case.program[static_cast<std::size_t>(index)];
  const auto count = count_of(operation);
  const auto& algorithm = operation.algorithm.name;
  return known.collective.has(name_of(operation.collective)) &&
         known.mode.has(name_of(operation.mode)) &&
         known.algorithm.has(algorithm.empty() ? "auto" : algorithm) &&
         known.op.has(name_of(operation.op)) && known.dtype.has(name_of(operation.dtype)) &&
         known.family.has(name_of(operation.data.family)) && known.count.has(count) &&
         known.bytes.has(count * static_cast<std::int64_t>(size_of(operation.dtype))) &&
         known.in_place.value_or(operation.in_place) == operation.in_place &&
         some_part_fits(known, test_case, operation);
}

// A communicator that is freed too early brings a process down later, in whatever it does then: any
// operation of the case may be the cause.
bool explains_by_freeing(const KnownFailure& known, const Case& test_case) {
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto start = static_cast<int>(i);
    if (freed_while_pending(test_case, start) && explains(known, test_case, start)) return true;
  }
  return false;
}

}  // namespace

bool NameSet::has(std::string_view name) const {
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& known) { return known == name || known == "*"; });
}

bool applies_to_version(const KnownFailure& known, std::string_view version) {
  const auto parts = parts_of(version);
  return parts_of(known.version_from) <= parts &&
         (!known.version_to || parts <= parts_of(*known.version_to));
}

Result<KnownFailures> KnownFailures::load(const std::filesystem::path& folder,
                                          const std::string& library, std::string_view version,
                                          const Variables& environment) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return internal_error("no folder of known failures at " + folder.string(),
                          "build again, or give --no-known");
  }
  const auto path = folder / (library + ".json");
  if (!std::filesystem::exists(path, ignored)) return KnownFailures{};
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return internal_error("cannot read " + path.string());
  auto all = known_from_text(text.str(), "known/" + path.filename().string());
  if (!all) return tl::unexpected(all.error());
  KnownFailures kept;
  for (auto& known : *all) {
    if (known.library != library) {
      return usage_error(fmt::format("known/{}.json: {}: library '{}' in this file", library,
                                     known.id, known.library));
    }
    const bool applies =
        applies_to_version(known, version) &&
        std::all_of(known.environment.begin(), known.environment.end(), [&](const auto& entry) {
          return holds(entry.second, value_of(environment, entry.first));
        });
    if (applies) kept.known_.push_back(std::move(known));
  }
  return kept;
}

bool KnownFailures::damages_memory(const std::string& id) const {
  return std::any_of(known_.begin(), known_.end(), [&](const KnownFailure& known) {
    return known.id == id && known.damages_memory;
  });
}

std::optional<std::string> KnownFailures::match(const Case& test_case, const History& history,
                                                std::string_view property, int operation) const {
  const int index = collective_behind(test_case, operation);
  for (const auto& known : known_) {
    if (!known.property.has(property) || !looks_like(known.symptom, history, property, index)) {
      continue;
    }
    const bool explained = known.freed_while_pending
                               ? explains_by_freeing(known, test_case)
                               : index >= 0 && explains(known, test_case, index);
    if (explained) return known.id;
  }
  return std::nullopt;
}

}  // namespace allprove
