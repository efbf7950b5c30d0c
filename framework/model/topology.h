// Who is whose neighbour in a communicator with a topology, and which block of a neighbourhood
// collective comes from where (MPI 4.0, 8.5 to 8.7). Positions are those in the communicator.
#pragma once

#include <string>
#include <vector>

#include "framework/base/result.h"

namespace allprove {

struct Group;

// Of a group of kind `cartesian` (dims and periods) or `graph` (edges); all others have none.
struct Topology {
  std::vector<int> dims;     // ranks along each dimension; the last one varies fastest
  std::vector<int> periods;  // 1 for a dimension that closes to a ring, else 0
  // By position: where its outgoing blocks go, in their order. A position may stand there several
  // times, and may be its own neighbour.
  std::vector<std::vector<int>> edges;
  bool reorder = false;  // the library may give the ranks other positions

  bool operator==(const Topology&) const = default;
};

inline constexpr int kDimensionsMax = 8;
inline constexpr int kNoNeighbor = -1;  // past the end of a dimension: MPI_PROC_NULL

// An incoming block: whose it is, and which of the outgoing blocks there. Both are kNoNeighbor for
// a block that no call touches.
struct Incoming {
  int position = kNoNeighbor;
  int block = kNoNeighbor;

  bool operator==(const Incoming&) const = default;
};

// The blocks of one position, in the order in which they lie in its buffers.
struct Neighbors {
  std::vector<Incoming> incoming;
  std::vector<int> outgoing;
};

// Cartesian: for each dimension first the neighbour in the negative direction, then the one in the
// positive. Graph: outgoing as in `edges`, incoming by ascending source; what one position sends to
// another several times arrives in the order in which it is sent.
// The topology must be one that validate_topology() accepts, and not empty.
Neighbors neighbors_of(const Topology& topology, int position);

// Whether the group, of so many members, has the topology that its kind asks for. A usage error
// that starts with `path` otherwise.
Status validate_topology(const Group& group, int members, const std::string& path);

}  // namespace allprove
