// The bytes of a buffer that belong to no element.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/run/worker/placement.h"

namespace allprove::mutant {

// For each byte from the first element to the last: whether it belongs to one.
std::vector<bool> bytes_of_elements(const Placement& placement);

// Does nothing where there is no gap.
void spoil_first_gap(const Placement& placement, std::byte* base);

}  // namespace allprove::mutant
