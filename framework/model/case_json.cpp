#include "framework/model/case_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "framework/base/enum_table.h"
#include "framework/model/fields.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

template <class T>
Json write_value(const T& value);

class JsonWriter {
 public:
  template <class T>
  void required(const char* name, const T& value) {
    json_[name] = write_value(value);
  }
  template <class T>
  void optional(const char* name, const T& value, const T& fallback) {
    if (!(value == fallback)) required(name, value);
  }
  Json take() { return std::move(json_); }

 private:
  Json json_ = Json::object();
};

template <class T>
Json write_value(const T& value) {
  if constexpr (NamedEnum<T>) {
    return Json(std::string(name_of(value)));
  } else if constexpr (HasFields<const T>) {
    JsonWriter writer;
    fields(writer, value);
    auto json = writer.take();
    if constexpr (std::is_same_v<T, Operation>) {
      if (enters_collective(value.kind) && traits_of(value.collective).moves_data) {
        json["count"] = count_of(value);
      }
    }
    return json;
  } else if constexpr (requires { value.has_value(); }) {
    return value ? write_value(*value) : Json(nullptr);
  } else if constexpr (kIsList<T>) {
    auto json = Json::array();
    for (const auto& element : value) json.push_back(write_value(element));
    return json;
  } else {
    return Json(value);
  }
}

// Reads one object; remembers the first error, and which keys it was asked for.
class JsonReader {
 public:
  JsonReader(const Json& json, std::string path, std::string& error)
      : json_(json), path_(std::move(path)), error_(error) {
    if (!json.is_object()) complain("", "expected an object");
  }

  template <class T>
  void required(const char* name, T& value) {
    known_.insert(name);
    if (!error_.empty()) return;
    const auto found = json_.find(name);
    if (found == json_.end()) return complain(name, "missing");
    read(*found, path_of(name), value);
  }
  template <class T>
  void optional(const char* name, T& value, const T& fallback) {
    known_.insert(name);
    if (!error_.empty()) return;
    const auto found = json_.find(name);
    if (found == json_.end()) {
      value = fallback;
    } else {
      read(*found, path_of(name), value);
    }
  }
  void refuse_unknown_keys() {
    if (!error_.empty()) return;
    for (const auto& item : json_.items()) {
      if (!known_.contains(item.key())) return complain(item.key(), "unknown field");
    }
  }

  template <class T>
  void read(const Json& json, const std::string& path, T& value) {
    if constexpr (NamedEnum<T>) {
      read_enum(json, path, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) return note(path, "expected true or false");
      value = json.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      read_integer(json, path, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!json.is_string()) return note(path, "expected a string");
      value = json.get<std::string>();
    } else if constexpr (HasFields<T>) {
      read_object(json, path, value);
    } else {
      if (!json.is_array()) return note(path, "expected a list");
      value.clear();
      for (std::size_t i = 0; i < json.size() && error_.empty(); ++i) {
        read(json[i], fmt::format("{}[{}]", path, i), value.emplace_back());
      }
    }
  }

 private:
  template <class T>
  void read_enum(const Json& json, const std::string& path, T& value) {
    if (!json.is_string()) return note(path, "expected a name");
    const auto name = json.get<std::string>();
    const auto found = from_name<T>(name);
    if (!found) return note(path, fmt::format("'{}' is none of: {}", name, joined_names<T>()));
    value = *found;
  }
  template <class T>
  void read_integer(const Json& json, const std::string& path, T& value) {
    if (json.is_number_unsigned()) {
      const auto wide = json.get<std::uint64_t>();
      if (!std::in_range<T>(wide)) return note(path, "out of range");
      value = static_cast<T>(wide);
    } else if (json.is_number_integer()) {
      const auto wide = json.get<std::int64_t>();
      if (!std::in_range<T>(wide)) return note(path, "out of range");
      value = static_cast<T>(wide);
    } else {
      note(path, "expected a whole number");
    }
  }
  template <class T>
  void read_object(const Json& json, const std::string& path, T& value) {
    JsonReader reader(json, path, error_);
    fields(reader, value);
    if constexpr (std::is_same_v<T, Operation>) reader.read_count(value);
    reader.refuse_unknown_keys();
  }
  void read_count(Operation& operation) {
    std::int64_t count = -1;
    optional("count", count, std::int64_t{-1});
    if (!error_.empty() || count < 0) return;
    if (!json_.contains("shape") && count != 1) operation.shape = {count};
    if (count_of(operation) != count) complain("count", "differs from the product of the shape");
  }

  std::string path_of(const std::string& name) const {
    if (path_.empty() || name.empty()) return path_ + name;
    return path_ + "." + name;
  }
  void complain(const std::string& name, const std::string& what) { note(path_of(name), what); }
  void note(const std::string& path, const std::string& what) {
    if (error_.empty()) error_ = fmt::format("{}: {}", path.empty() ? "the case" : path, what);
  }

  const Json& json_;
  std::string path_;
  std::string& error_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace

Json to_json(const Case& test_case) { return write_value(test_case); }

Json to_json(const History& history) {
  Json json = Json::object();
  json["outcome"] = write_value(history.outcome);
  if (history.proof != Proof::none) json["proof"] = write_value(history.proof);
  json["elapsed_ns"] = history.elapsed_ns;
  if (!history.blame.empty()) json["blame"] = history.blame;
  if (!history.diagnosis.empty()) json["diagnosis"] = history.diagnosis;
  if (!history.skipped.empty()) json["skipped"] = history.skipped;
  if (history.trouble) json["trouble"] = *history.trouble;
  json["ranks"] = write_value(history.ranks);
  return json;
}

Result<Case> case_from_json(const Json& json) {
  std::string error;
  Case test_case;
  JsonReader root(json, "", error);
  if (error.empty()) root.read(json, "", test_case);
  if (!error.empty()) return usage_error(error);
  if (auto status = validate(test_case); !status) return tl::unexpected(status.error());
  return test_case;
}

Result<Case> case_from_text(std::string_view text) {
  const auto json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return usage_error("not a JSON text");
  return case_from_json(json);
}

}  // namespace allprove
