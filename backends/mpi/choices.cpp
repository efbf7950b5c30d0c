#include "backends/mpi/choices.h"

#include <array>

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
    const bool glued = start == 0 || description[start - 1] != '\n';
    if (glued) name = known_ending(name);
    if (!name.empty()) values.push_back({std::string(name), value});
    ++value;
  }
  return values;
}

}  // namespace allprove
