#include "framework/run/launch/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace allprove {

Environment Environment::own() {
  Environment copy;
  for (char** entry = environ; *entry != nullptr; ++entry) copy.entries_.emplace_back(*entry);
  return copy;
}

void Environment::set(std::string_view name, std::string_view value) {
  set_entry(std::string(name) + "=" + std::string(value));
}

void Environment::set_entry(std::string_view entry) {
  const auto name = entry.substr(0, entry.find('=') + 1);
  const auto old = std::find_if(entries_.begin(), entries_.end(),
                                [&](const std::string& e) { return e.starts_with(name); });
  if (old != entries_.end()) {
    *old = entry;
  } else {
    entries_.emplace_back(entry);
  }
}

void Environment::remove_prefixed(std::string_view prefix) {
  std::erase_if(entries_, [&](const std::string& e) { return e.starts_with(prefix); });
}

std::vector<char*> Environment::pointers() { return pointers_to(entries_); }

std::vector<char*> pointers_to(std::vector<std::string>& values) {
  std::vector<char*> pointers;
  pointers.reserve(values.size() + 1);
  for (auto& value : values) pointers.push_back(value.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return name;
}

}  // namespace allprove
