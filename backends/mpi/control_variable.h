// One integer control variable of the MPI library, through its tool interface (MPI 4.0, section
// 15.3): its named values, and reading and writing it while the program runs.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace allprove {

struct NamedValue {
  std::string name;
  int value = 0;

  bool operator==(const NamedValue&) const = default;
};

// Owns a handle of the variable. The tool interface must be initialised for as long as it lives.
class ControlVariable {
 public:
  // Nothing when the library has no such variable, or it is no single integer (or truth value).
  static std::optional<ControlVariable> find(const char* name);

  ControlVariable(ControlVariable&& other) noexcept
      : handle_(std::exchange(other.handle_, MPI_T_CVAR_HANDLE_NULL)),
        is_bool_(other.is_bool_),
        writable_(other.writable_),
        named_values_(std::move(other.named_values_)) {}
  ControlVariable& operator=(ControlVariable&&) = delete;
  ~ControlVariable();

  int read() const;
  void write(int value) const;
  bool writable() const { return writable_; }
  const std::vector<NamedValue>& named_values() const { return named_values_; }

 private:
  ControlVariable(MPI_T_cvar_handle handle, bool is_bool, bool writable,
                  std::vector<NamedValue> named_values)
      : handle_(handle),
        is_bool_(is_bool),
        writable_(writable),
        named_values_(std::move(named_values)) {}

  MPI_T_cvar_handle handle_;
  bool is_bool_;
  bool writable_;
  std::vector<NamedValue> named_values_;
};

// MPICH gives its choices no enumeration: they stand in the description, as "name - explanation" in
// the order of their values from 0 on. Debian's 4.0.2 has lost the line ends between them, so that
// a name is glued to the word before it ("Force smp algorithmrecursive_doubling - Force ..."): a
// glued name is known by the longest of `known` that it ends with, and is left out (its value still
// counts) when it is none of them.
std::vector<NamedValue> parse_choices(std::string_view description);

}  // namespace allprove
