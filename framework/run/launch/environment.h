// A set of environment variables, as execve() wants it. Later settings override earlier ones.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace allprove {

class Environment {
 public:
  Environment() = default;
  // A copy of this process's own.
  static Environment own();

  void set(std::string_view name, std::string_view value);
  void set_entry(std::string_view entry);  // "NAME=value"
  void remove_prefixed(std::string_view prefix);

  const std::vector<std::string>& entries() const { return entries_; }
  // Null-terminated; valid until the next change.
  std::vector<char*> pointers();

 private:
  std::vector<std::string> entries_;
};

// Null-terminated pointers into `values`, for exec.
std::vector<char*> pointers_to(std::vector<std::string>& values);

// The program that exec would take: looked up in PATH when it has no '/', else as given.
std::string find_program(const std::string& name);

}  // namespace allprove
