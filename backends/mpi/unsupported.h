// What an MPI library is not asked to do, whatever its algorithms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/model/case.h"

namespace allprove {

// The sizes of the communicators that a group stands for.
std::vector<int> sizes_of_parts(const Group& group, int ranks);

// Why the operation is left out, the same on every rank; empty: it is not.
std::optional<std::string> unsupported_by_mpi(const Case& test_case, const Operation& operation);

}  // namespace allprove
