#include "faults/apply.h"

#include <algorithm>
#include <numeric>

namespace allprove {
namespace {

void apply(const Case& test_case, const Fault& fault, std::vector<int>& order) {
  const auto at = std::find(order.begin(), order.end(), fault.operation);
  if (at == order.end()) return;
  if (fault.kind == FaultKind::skip) {
    order.erase(at);
  } else if (fault.kind == FaultKind::reorder) {
    const auto next = std::find_if(at + 1, order.end(), [&](int operation) {
      return enters_collective(test_case.program[static_cast<std::size_t>(operation)].kind);
    });
    if (next != order.end()) std::rotate(at, next, next + 1);
  }
}

}  // namespace

std::vector<int> order_of(const Case& test_case, int rank) {
  std::vector<int> order(test_case.program.size());
  std::iota(order.begin(), order.end(), 0);
  for (const auto& fault : test_case.faults) {
    if (fault.rank == rank) apply(test_case, fault, order);
  }
  return order;
}

std::int64_t lateness_us(const Case& test_case, int rank, int operation) {
  std::int64_t total = 0;
  for (const auto& fault : test_case.faults) {
    const bool here = fault.rank == rank && fault.operation == operation;
    if (here && fault.kind == FaultKind::late) total += fault.amount;
  }
  return total;
}

}  // namespace allprove
