// The named values of a choice, and reading them from the words that describe it. No MPI here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace allprove {

struct NamedValue {
  std::string name;
  int value = 0;

  bool operator==(const NamedValue&) const = default;
};

// MPICH gives its choices no enumeration: they stand in the description, as "name - explanation" in
// the order of their values from 0 on. Debian's 4.0.2 has lost the line ends between them, so that
// a name is glued to the word before it ("Force smp algorithmrecursive_doubling - Force ..."): a
// glued name is the longest of MPICH's names that it ends with, and is left out (its value still
// counts) when there is none.
std::vector<NamedValue> parse_choices(std::string_view description);

}  // namespace allprove
