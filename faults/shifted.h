// Wrong data that is right for the calls that met: what a skipped or reordered call leaves when its
// successors match. The k-th call on a communicator is matched with the k-th call of the others.
#pragma once

#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"

namespace allprove {

// Per rank, the operations that enter collectives, in the order in which the rank entered them.
using Orders = std::vector<std::vector<int>>;

// As the history has it.
Orders orders_of(const Case& test_case, const History& history);

// World ranks that entered collectives in another order than the program's, or not all those up to
// the last that they entered.
std::vector<int> out_of_order(const Case& test_case, const Orders& orders);

// One rank's output of one operation.
struct Shifted {
  int rank = 0;
  int operation = 0;

  bool operator==(const Shifted&) const = default;
};

// The outputs that are wrong for the program but to the bit what the calls that met must leave.
// Only where the oracle allows one value; by rank, then by order.
std::vector<Shifted> find_shifted(const Case& test_case, const History& history,
                                  const Orders& orders);

// Gives those outputs their symptom.
void mark_shifted(const Case& test_case, const Orders& orders, History& history);

}  // namespace allprove
