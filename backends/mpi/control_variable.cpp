#include "backends/mpi/control_variable.h"

#include <algorithm>
#include <array>
#include <vector>

#include "framework/base/check.h"

namespace allprove {
namespace {

// Every name that MPICH has given to an algorithm of a collective that allprove runs.
constexpr auto kMpichChoices = std::to_array<std::string_view>({
    "auto",
    "nb",
    "smp",
    "binomial",
    "dissemination",
    "recexch",
    "recursive_doubling",
    "reduce_scatter_allgather",
    "ring",
    "tree",
    "pipelined_tree",
    "k_reduce_scatter_allgather",
    "scatter_recursive_doubling_allgather",
    "scatter_ring_allgather",
    "sched_auto",
    "sched_naive",
    "sched_smp",
    "sched_binomial",
    "sched_recursive_doubling",
    "sched_reduce_scatter_allgather",
    "sched_scatter_recursive_doubling_allgather",
    "sched_scatter_ring_allgather",
    "tsp_tree",
    "tsp_ring",
    "tsp_recexch",
    "tsp_k_dissemination",
    "tsp_recexch_single_buffer",
    "tsp_recexch_multiple_buffer",
    "tsp_recexch_reduce_scatter_recexch_allgatherv",
    "tsp_scatterv_recexch_allgatherv",
    "tsp_scatterv_ring_allgatherv",
});

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The name at the end of a word that may begin with the last word of the explanation before it.
std::string_view known_ending(std::string_view word) {
  std::string_view best;
  for (const auto name : kMpichChoices) {
    if (word.ends_with(name) && name.size() > best.size()) best = name;
  }
  return best;
}

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

std::vector<NamedValue> parse_choices(std::string_view description) {
  static constexpr std::string_view kSeparator = " - ";
  std::vector<NamedValue> values;
  int value = 0;
  for (auto at = description.find(kSeparator); at != std::string_view::npos;
       at = description.find(kSeparator, at + kSeparator.size())) {
    auto end = at;
    while (end > 0 && description[end - 1] == ' ') --end;
    auto start = end;
    while (start > 0 && is_word(description[start - 1])) --start;
    auto name = description.substr(start, end - start);
    const bool glued = start > 0 && description[start - 1] != '\n';
    if (glued) name = known_ending(name);
    if (!name.empty()) values.push_back({std::string(name), value});
    ++value;
  }
  return values;
}

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
