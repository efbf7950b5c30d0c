// Where a fault makes sense in a case that was drawn without one.
#include "framework/base/check.h"
#include "framework/search/generate.h"

namespace allprove {
namespace {

// Whether the rank meets others in the operation.
bool meets_others(const Case& test_case, const Operation& operation, int rank) {
  return enters_collective(operation.kind) &&
         membership_of(test_case, operation.group, rank).members.size() >= 2;
}

// The next operation that enters a collective: what `reorder` moves. -1: none.
int next_entering(const Case& test_case, int operation) {
  for (auto i = static_cast<std::size_t>(operation) + 1; i < test_case.program.size(); ++i) {
    if (enters_collective(test_case.program[i].kind)) return static_cast<int>(i);
  }
  return -1;
}

bool matters(const Case& test_case, const Fault& fault) {
  const auto& operation = test_case.program[static_cast<std::size_t>(fault.operation)];
  if (!meets_others(test_case, operation, fault.rank)) return false;
  if (fault.kind != FaultKind::reorder) return true;
  const int next = next_entering(test_case, fault.operation);
  if (next < 0) return false;
  const auto& partner = test_case.program[static_cast<std::size_t>(next)];
  // Calls only: a start cannot change places with the wait for it. Equal ones would stay equal.
  return operation.kind == OperationKind::call && partner.kind == OperationKind::call &&
         !(operation == partner) && meets_others(test_case, partner, fault.rank);
}

}  // namespace

std::optional<Case> with_fault(const Case& test_case, FaultKind kind, RandomStream& stream) {
  ALLPROVE_CHECK(is_drawn(kind));
  std::vector<Fault> places;
  for (int rank = 0; rank < test_case.ranks; ++rank) {
    for (std::size_t i = 0; i < test_case.program.size(); ++i) {
      const Fault fault{.kind = kind, .rank = rank, .operation = static_cast<int>(i)};
      if (matters(test_case, fault)) places.push_back(fault);
    }
  }
  if (places.empty()) return std::nullopt;
  Case faulty = test_case;
  faulty.faults.push_back(places[stream.below(places.size())]);
  return faulty;
}

}  // namespace allprove
