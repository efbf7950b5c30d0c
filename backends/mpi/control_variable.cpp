#include "backends/mpi/control_variable.h"

#include <array>
#include <vector>

#include "framework/base/check.h"

namespace allprove {
namespace {

std::vector<NamedValue> enumerated(MPI_T_enum enumeration) {
  std::vector<NamedValue> values;
  std::array<char, 256> name{};
  int length = static_cast<int>(name.size());
  int count = 0;
  if (MPI_T_enum_get_info(enumeration, &count, name.data(), &length) != MPI_SUCCESS) return values;
  for (int i = 0; i < count; ++i) {
    int value = 0;
    length = static_cast<int>(name.size());
    if (MPI_T_enum_get_item(enumeration, i, &value, name.data(), &length) != MPI_SUCCESS) continue;
    values.push_back({name.data(), value});
  }
  return values;
}

}  // namespace

std::optional<ControlVariable> ControlVariable::find(const char* name) {
  int index = 0;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return std::nullopt;
  std::vector<char> description(16384);
  int description_length = static_cast<int>(description.size());
  int name_length = 0;
  int verbosity = 0;
  int binding = 0;
  int scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  if (MPI_T_cvar_get_info(index, nullptr, &name_length, &verbosity, &type, &enumeration,
                          description.data(), &description_length, &binding,
                          &scope) != MPI_SUCCESS) {
    return std::nullopt;
  }
  const bool is_bool = type == MPI_C_BOOL;
  if (type != MPI_INT && !is_bool) return std::nullopt;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return std::nullopt;
  const bool writable = scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY;
  ControlVariable variable(
      handle, is_bool, writable,
      enumeration != MPI_T_ENUM_NULL ? enumerated(enumeration) : parse_choices(description.data()));
  if (count != 1) return std::nullopt;
  return variable;
}

ControlVariable::~ControlVariable() {
  if (handle_ != MPI_T_CVAR_HANDLE_NULL) MPI_T_cvar_handle_free(&handle_);
}

int ControlVariable::read() const {
  int value = 0;
  bool truth = false;
  void* place = is_bool_ ? static_cast<void*>(&truth) : static_cast<void*>(&value);
  ALLPROVE_CHECK(MPI_T_cvar_read(handle_, place) == MPI_SUCCESS);
  return is_bool_ ? static_cast<int>(truth) : value;
}

void ControlVariable::write(int value) const {
  const bool truth = value != 0;
  const void* place =
      is_bool_ ? static_cast<const void*>(&truth) : static_cast<const void*>(&value);
  ALLPROVE_CHECK(MPI_T_cvar_write(handle_, place) == MPI_SUCCESS);
}

}  // namespace allprove
