#include "backends/mutant/mutants.h"

#include <algorithm>
#include <vector>

#include "backends/mutant/bugs.h"

namespace allprove::mutant {

std::span<const Mutant> all_mutants() {
  static const auto table = [] {
    std::vector<Mutant> all;
    for (const auto bugs :
         {sum_bugs, type_bugs, reduction_bugs, movement_bugs, irregular_bugs, in_place_bugs,
          layout_bugs, memory_bugs, call_bugs, communicator_bugs, request_bugs, relation_bugs,
          neighbor_bugs, side_bugs, ending_bugs}) {
      all.insert(all.end(), bugs().begin(), bugs().end());
    }
    return all;
  }();
  return table;
}

const Mutant* find_mutant(std::string_view name) {
  const auto all = all_mutants();
  const auto found = std::ranges::find(all, name, &Mutant::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace allprove::mutant
