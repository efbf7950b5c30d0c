// One integer control variable of the MPI library, through its tool interface (MPI 4.0, section
// 15.3): its named values, and reading and writing it while the program runs.
#pragma once

#include <mpi.h>

#include <optional>
#include <utility>
#include <vector>

#include "backends/mpi/choices.h"

namespace allprove {

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

}  // namespace allprove
