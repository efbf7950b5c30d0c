// Who is to blame for a standstill, and the paragraph that tells it to a person.
#pragma once

#include <string>
#include <vector>

#include "faults/standstill.h"

namespace allprove {

// Ranks that are not where the program's order would have them, and ranks that died where others
// wait for them; ascending. Ranks that keep to the order cannot block each other by order alone.
std::vector<int> blame_of(const Standstill& world);

// "rank 1 never entered operation 4 all_reduce(float32[1024], sum); ranks 0, 2, 3 wait there for
// rank 1; rank 1 waits in operation 5 broadcast(int8[1], root 0) for ranks 0, 2, 3"
std::string diagnosis_of(const Standstill& world, const std::vector<int>& blame);

}  // namespace allprove
