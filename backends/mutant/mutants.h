// The planted bugs: each shows that some property can fail. One row per mutant in mutants.cpp.
#pragma once

#include <span>
#include <string_view>

#include "backends/mutant/recent_calls.h"
#include "backends/reference/reference_backend.h"

namespace allprove::mutant {

// One all-reduce or broadcast of this rank, in the hands of a bug.
struct MutantCall {
  const CollectiveArguments& arguments;
  reference::CommunicatorState& communicator;
  const RecentCalls& before;  // all-reduces on the communicator, without this one
  const PastCall& now;        // this one; its input is as it was before the call

  reference::Members& members() const { return communicator.members; }
  int ranks() const { return members().size(); }
  bool on_last_rank() const { return members().position() == ranks() - 1; }
  bool is_sum() const { return arguments.op == Op::sum; }
  std::span<std::byte> output() const { return reference::data_of(arguments); }
};

struct Mutant {
  std::string_view name;
  std::string_view about;      // what it does wrong, as a sentence
  std::string_view caught_by;  // the property that names it first
  // All-reduces go through `instead` where there is one; otherwise `after` is called when the right
  // result is there.
  LibraryStatus (*instead)(const MutantCall& call) = nullptr;
  void (*after)(const MutantCall& call) = nullptr;
};

std::span<const Mutant> all_mutants();
const Mutant* find_mutant(std::string_view name);

}  // namespace allprove::mutant
