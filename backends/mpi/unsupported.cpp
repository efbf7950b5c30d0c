#include "backends/mpi/unsupported.h"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backends/mpi/collectives.h"
#include "backends/mpi/vocabulary.h"
#include "framework/base/enum_table.h"
#include "framework/model/blocks.h"
#include "framework/model/user_operator.h"

namespace allprove {
namespace {

// Open MPI 4.1.4 damages its heap where data lies away from the origin of its type, and no witness
// says yet in which calls.
#ifdef OPEN_MPI
constexpr bool kReducesDerivedTypes = false;
#else
constexpr bool kReducesDerivedTypes = true;
#endif

// What displacements reach at most, holes and gaps of derived types included: items, and bytes
// where MPI counts in those.
std::int64_t span_max(const Case& test_case, const Operation& operation, std::int64_t elements) {
  const auto traits = traits_of(operation.collective);
  if (!traits.irregular || traits.reduces) return 0;
  // A hole is as large as an item, which is a whole block at most.
  const std::int64_t hole = std::max<std::int64_t>(largest_block(operation), 1);
  const std::int64_t items = elements + hole * operation.holes * test_case.ranks;
  const bool in_bytes = operation.collective == Collective::all_to_allw ||
                        operation.collective == Collective::neighbor_all_to_allw;
  // A subarray has the most room: as many rows again, and a gap beside each element.
  constexpr std::int64_t kRoom = 2 * (kLayoutGapMax + 1);
  return in_bytes ? items * kRoom * static_cast<std::int64_t>(size_of(operation.dtype)) : items;
}

// Failures were seen there for which no program without allprove stands yet: Open MPI 4.1.4 hangs
// in nonblocking and persistent calls after others, MPICH 4.0.2 gives wrong data when a persistent
// request is started again.
std::optional<std::string> unsupported_between_sides(const Operation& operation) {
#ifdef OPEN_MPI
  if (operation.mode != Mode::blocking) {
    return "calls on intercommunicators that are not blocking are not driven on Open MPI yet";
  }
#else
  if (operation.mode == Mode::persistent) {
    return "persistent calls on intercommunicators are not driven on this MPI yet";
  }
#endif
  if (operation.algorithm.name.empty()) return std::nullopt;
  return "algorithms are not chosen on intercommunicators";
}

// Failures that have no entry in known/*.json yet. MPICH 4.0.2 leaves receive buffers as they were
// on graphs, and crosses the blocks of two rings of one rank each. Open MPI 4.1.4 keeps hold of a
// data type for every neighbor, also of those beyond the end of a list that has one for every rank.
std::optional<std::string> unsupported_on_topology(const Group& group, const Operation& operation) {
#ifdef OPEN_MPI
  const bool has_neighbors = group.kind == GroupKind::cartesian || group.kind == GroupKind::graph;
  if (has_neighbors && operation.collective == Collective::all_to_allw &&
      operation.mode != Mode::blocking) {
    return "all_to_allw on topologies that is not blocking is not driven on Open MPI yet";
  }
#else
  if (group.kind == GroupKind::graph && operation.collective == Collective::neighbor_all_to_allw) {
    return "neighbor_all_to_allw on graphs is not driven on this MPI yet";
  }
  int rings_of_one = 0;
  for (std::size_t d = 0; d < group.topology.dims.size(); ++d) {
    rings_of_one += group.topology.dims[d] == 1 && group.topology.periods[d] != 0 ? 1 : 0;
  }
  if (rings_of_one > 1 && operation.collective == Collective::neighbor_all_to_all) {
    return "neighbor_all_to_all on several rings of one rank is not driven on this MPI yet";
  }
#endif
  return std::nullopt;
}

std::optional<std::string> unsupported_collective(const Case& test_case,
                                                  const Operation& operation) {
  const auto name = std::string(name_of(operation.collective));
  const auto* calls = find_collective(operation.collective);
  if (calls == nullptr) return name + " is not driven yet";
  if (operation.mode == Mode::persistent && calls->persistent == nullptr) {
    return "this library has no persistent " + name;
  }
  const auto traits = traits_of(operation.collective);
  if (!traits.moves_data) return std::nullopt;
  constexpr auto kIntMax = std::int64_t{std::numeric_limits<int>::max()};
  const auto elements = elements_max(test_case, operation);
  if (elements > kIntMax) {
    return "more elements than an MPI count (int) can say";
  }
  if (span_max(test_case, operation, elements) > kIntMax) {
    return "blocks further apart than an MPI displacement (int) can say";
  }
  const auto dtype = std::string(name_of(operation.dtype));
  if (!traits_of(operation.dtype).runs || mpi_type_of(operation.dtype) == MPI_DATATYPE_NULL) {
    return "dtype " + dtype + " is not driven yet";
  }
  if (!traits.reduces) return std::nullopt;
  const bool derived = operation.send_layout.kind != LayoutKind::dense;
  if (derived && !kReducesDerivedTypes) {
    return "reductions of derived data types are not driven on this library yet";
  }
  if (traits_of(operation.op).kind != OpClass::user && mpi_op_of(operation.op) == MPI_OP_NULL) {
    return "op " + std::string(name_of(operation.op)) + " is not in MPI";
  }
  return std::nullopt;
}

}  // namespace

std::vector<int> sizes_of_parts(const Group& group, int ranks) {
  if (group.parts.empty()) return {ranks};
  std::vector<int> sizes;
  for (const auto& part : group.parts) sizes.push_back(static_cast<int>(part.size()));
  return sizes;
}

std::optional<std::string> unsupported_by_mpi(const Case& test_case, const Operation& operation) {
  if (operation.kind == OperationKind::group_begin || operation.kind == OperationKind::group_end) {
    return "MPI has no groups of calls";
  }
  if (operation.stream != 0) return "MPI has no streams";
  if (!enters_collective(operation.kind)) return std::nullopt;
  const auto& group = test_case.groups[static_cast<std::size_t>(operation.group)];
  if (group.kind == GroupKind::inter) {
    if (auto reason = unsupported_between_sides(operation)) return reason;
  }
  if (auto reason = unsupported_on_topology(group, operation)) return reason;
  if (auto reason = unsupported_collective(test_case, operation)) return reason;
  if (!operation.algorithm.name.empty() && threads_of(test_case) > 1) {
    return "an algorithm is named by a variable that all threads share";
  }
  return std::nullopt;
}

}  // namespace allprove
