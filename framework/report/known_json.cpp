// Reading known/<library>.json, strictly: a field that is missing, unknown or of the wrong kind is
// an error, so that a slip never hides a finding.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "framework/base/enum_table.h"
#include "framework/report/known.h"

namespace allprove {
namespace {

using Json = nlohmann::json;

// The first error of a file; later ones are not kept.
struct Complaint {
  std::string text;

  void note(const std::string& path, const std::string& what) {
    if (text.empty()) text = path + ": " + what;
  }
};

// One object, whose fields must all be asked for.
class Object {
 public:
  Object(const Json& json, std::string path, Complaint& complaint)
      : json_(json), path_(std::move(path)), complaint_(complaint) {
    if (!json.is_object()) complaint_.note(path_, "expected an object");
  }

  std::string path_of(const std::string& name) const { return path_ + "." + name; }
  void complain(const std::string& name, const std::string& what) const {
    complaint_.note(path_of(name), what);
  }

  // Null when it is not there.
  const Json* find(const std::string& name) {
    asked_.insert(name);
    if (!json_.is_object() || !json_.contains(name)) return nullptr;
    return &json_.at(name);
  }
  const Json* need(const std::string& name) {
    const auto* found = find(name);
    if (found == nullptr) complain(name, "missing");
    return found;
  }

  void text(const std::string& name, std::string& to) {
    const auto* found = need(name);
    if (found == nullptr) return;
    if (!found->is_string() || found->get<std::string>().empty()) {
      return complain(name, "expected a text");
    }
    to = found->get<std::string>();
  }
  void text_or_null(const std::string& name, std::optional<std::string>& to) {
    const auto* found = need(name);
    if (found == nullptr || found->is_null()) return;
    text(name, to.emplace());
  }
  void flag(const std::string& name, bool& to) {
    const auto* found = find(name);
    if (found == nullptr) return;
    if (!found->is_boolean()) return complain(name, "expected true or false");
    to = found->get<bool>();
  }
  void flag_or_none(const std::string& name, std::optional<bool>& to) {
    if (find(name) != nullptr) flag(name, to.emplace());
  }
  void whole(const std::string& name, std::int64_t& to) {
    const auto* found = find(name);
    if (found == nullptr) return;
    if (!found->is_number_integer() || found->get<std::int64_t>() < 0) {
      return complain(name, "expected a whole number, not negative");
    }
    to = found->get<std::int64_t>();
  }
  void range(const std::string& name, Range& to) {
    whole(name + "_min", to.min);
    whole(name + "_max", to.max);
    if (to.min > to.max) complain(name + "_min", "above " + name + "_max");
  }
  void texts(const std::string& name, std::map<std::string, std::string>& to) {
    const auto* found = find(name);
    if (found == nullptr) return;
    if (!found->is_object()) return complain(name, "expected an object");
    for (const auto& [key, value] : found->items()) {
      if (!value.is_string()) return complain(name + "." + key, "expected a text");
      to[key] = value.get<std::string>();
    }
  }

  // A list of names, each of which `is_name` accepts. "*" stands alone.
  template <class IsName>
  void names(const Json* found, const std::string& name, NameSet& to, IsName is_name) {
    if (found == nullptr) return;
    if (!found->is_array() || found->empty()) return complain(name, "expected a list of names");
    to.names.clear();
    for (const auto& element : *found) {
      if (!element.is_string()) return complain(name, "expected a list of names");
      const auto text = element.get<std::string>();
      if (text == "*" && found->size() > 1) return complain(name, "'*' stands alone");
      if (text != "*" && !is_name(text)) {
        return complain(name, fmt::format("'{}' is not one of them", text));
      }
      to.names.push_back(text);
    }
  }
  template <NamedEnum E>
  void enum_names_in(const Json* found, const std::string& name, NameSet& to) {
    names(found, name, to, [](const std::string& text) { return from_name<E>(text).has_value(); });
  }

  void refuse_unknown() const {
    if (!json_.is_object()) return;
    for (const auto& [key, value] : json_.items()) {
      if (!asked_.contains(key)) return complain(key, "unknown field");
    }
  }

 private:
  const Json& json_;
  std::string path_;
  Complaint& complaint_;
  std::set<std::string> asked_;
};

void read_signature(Object signature, KnownFailure& known) {
  const auto any = [](const std::string& text) { return !text.empty(); };
  signature.enum_names_in<Collective>(signature.need("collective"), "collective", known.collective);
  signature.enum_names_in<Mode>(signature.need("mode"), "mode", known.mode);
  signature.names(signature.need("algorithm"), "algorithm", known.algorithm, any);
  signature.names(signature.need("property"), "property", known.property, any);
  signature.names(signature.need("symptom"), "symptom", known.symptom, [](const auto& text) {
    return std::find(std::begin(kKnownSymptoms), std::end(kKnownSymptoms), text) !=
           std::end(kKnownSymptoms);
  });
  signature.refuse_unknown();
}

void read_when(Object when, KnownFailure& known) {
  when.enum_names_in<Op>(when.find("op"), "op", known.op);
  when.enum_names_in<Dtype>(when.find("dtype"), "dtype", known.dtype);
  when.enum_names_in<Family>(when.find("family"), "family", known.family);
  when.enum_names_in<LayoutKind>(when.find("send_layout"), "send_layout", known.send_layout);
  when.enum_names_in<LayoutKind>(when.find("receive_layout"), "receive_layout",
                                 known.receive_layout);
  when.enum_names_in<GroupKind>(when.find("group"), "group", known.group);
  when.flag("short_ring", known.short_ring);
  when.flag("repeated_edge", known.repeated_edge);
  when.range("ranks", known.ranks);
  when.range("root", known.root);
  when.range("count", known.count);
  when.range("bytes", known.bytes);
  when.range("total_bytes", known.total_bytes);
  when.flag_or_none("block_beyond_first", known.block_beyond_first);
  when.flag_or_none("empty_block", known.empty_block);
  when.flag_or_none("empty_rank", known.empty_rank);
  when.flag_or_none("item_sizes_differ", known.item_sizes_differ);
  when.flag_or_none("stride_minus_one", known.stride_minus_one);
  when.flag_or_none("ranks_power_of_two", known.ranks_power_of_two);
  when.flag_or_none("in_place", known.in_place);
  when.enum_names_in<LayoutKind>(when.find("layout"), "layout", known.layout);
  when.range("restart", known.restart);
  if (const auto* freed = when.find("communicator_freed")) {
    known.freed_while_pending = *freed == "pending";
    if (!known.freed_while_pending) when.complain("communicator_freed", "expected \"pending\"");
  }
  when.enum_names_in<OperationKind>(when.find("completed_by"), "completed_by", known.completed_by);
  if (const auto* with = when.find("completed_with")) {
    when.enum_names_in<Mode>(with, "completed_with", known.completed_with.emplace());
  }
  if (when.find("message") != nullptr) when.text("message", known.message);
  when.texts("environment", known.environment);
  for (const auto& [name, condition] : known.environment) {
    const bool at_least = condition.starts_with(">=") && condition.size() > 2 &&
                          condition.find_first_not_of("0123456789", 2) == std::string::npos;
    if (!at_least && !condition.starts_with("=")) {
      when.complain("environment." + name, "expected \">=number\" or \"=value\"");
    }
  }
  when.refuse_unknown();
}

KnownFailure read_one(const Json& json, const std::string& path, Complaint& complaint) {
  static const Json kNothing = Json::object();
  KnownFailure known;
  Object object(json, path, complaint);
  const auto inner = [&](const char* name) {
    const auto* found = object.need(name);
    return Object(found != nullptr ? *found : kNothing, object.path_of(name), complaint);
  };
  object.text("id", known.id);
  object.text("title", known.title);
  object.text("library", known.library);
  auto versions = inner("versions");
  versions.text("from", known.version_from);
  versions.text_or_null("to", known.version_to);
  versions.refuse_unknown();
  read_signature(inner("signature"), known);
  read_when(inner("when"), known);
  object.text("witness", known.witness);
  object.text("page", known.page);
  object.text_or_null("upstream", known.upstream);
  object.flag("damages_memory", known.damages_memory);
  auto run = inner("run");
  std::int64_t ranks = 0;
  run.need("ranks");
  run.whole("ranks", ranks);
  if (ranks < 1 || ranks > kRanksMax) run.complain("ranks", "no such number of ranks");
  known.run_ranks = static_cast<int>(ranks);
  run.texts("environment", known.run_environment);
  run.refuse_unknown();
  object.refuse_unknown();
  return known;
}

}  // namespace

Result<std::vector<KnownFailure>> known_from_text(std::string_view text, const std::string& file) {
  const auto json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return usage_error(file + ": not a JSON text");
  if (!json.is_array()) return usage_error(file + ": expected a list");
  Complaint complaint;
  std::vector<KnownFailure> all;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto path = fmt::format("{}: [{}]", file, i);
    all.push_back(read_one(json[i], path, complaint));
    if (!ids.insert(all.back().id).second) complaint.note(path + ".id", "used twice");
  }
  if (!complaint.text.empty()) return usage_error(complaint.text);
  return all;
}

}  // namespace allprove
