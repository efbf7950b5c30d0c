#include "framework/model/topology.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/model/case.h"

namespace allprove {
namespace {

// Beside a position along one dimension; `stride` is how far apart positions of equal other
// coordinates lie.
struct Line {
  int extent;
  int stride;
  bool ring;

  int beside(int position, int step) const {
    const int coordinate = position / stride % extent;
    const int wanted = coordinate + step;
    if (!ring && (wanted < 0 || wanted >= extent)) return kNoNeighbor;
    const int wrapped = (wanted + extent) % extent;
    return position + (wrapped - coordinate) * stride;
  }
};

// What a rank sends in one direction comes from the opposite direction where it arrives, also when
// both neighbours are one rank or the rank itself (periodic dimensions of 1 or 2). MPI 4.0 says so
// in 8.6, and corrects MPI 3.1, whose text let blocks match in the order of the calls (B.1.1).
Neighbors cartesian_neighbors(const Topology& topology, int position) {
  Neighbors neighbors;
  const auto dimensions = topology.dims.size();
  int stride = 1;
  for (const int extent : topology.dims) stride *= extent;
  for (std::size_t d = 0; d < dimensions; ++d) {
    stride /= topology.dims[d];
    const Line line{topology.dims[d], stride, topology.periods[d] != 0};
    const int negative = static_cast<int>(2 * d);
    const int positive = negative + 1;
    for (const auto& [step, arrives_as] : {std::pair(-1, positive), std::pair(1, negative)}) {
      const int neighbor = line.beside(position, step);
      neighbors.outgoing.push_back(neighbor);
      neighbors.incoming.push_back(neighbor < 0 ? Incoming{} : Incoming{neighbor, arrives_as});
    }
  }
  return neighbors;
}

Neighbors graph_neighbors(const Topology& topology, int position) {
  Neighbors neighbors;
  neighbors.outgoing = topology.edges[static_cast<std::size_t>(position)];
  for (std::size_t source = 0; source < topology.edges.size(); ++source) {
    const auto& sent = topology.edges[source];
    for (std::size_t block = 0; block < sent.size(); ++block) {
      if (sent[block] != position) continue;
      neighbors.incoming.push_back({static_cast<int>(source), static_cast<int>(block)});
    }
  }
  return neighbors;
}

Status validate_cartesian(const Topology& topology, int members, const std::string& path) {
  const auto dimensions = topology.dims.size();
  if (dimensions < 1 || dimensions > kDimensionsMax) {
    return usage_error(fmt::format("{}.dims: not 1 to {} dimensions", path, kDimensionsMax));
  }
  std::int64_t positions = 1;
  for (const int extent : topology.dims) {
    positions = extent < 1 ? 0 : std::min<std::int64_t>(positions * extent, kRanksMax + 1);
  }
  if (positions != members) {
    return usage_error(path + ".dims: their product is not the number of members");
  }
  const auto is_flag = [](int period) { return period == 0 || period == 1; };
  if (topology.periods.size() != dimensions || !std::ranges::all_of(topology.periods, is_flag)) {
    return usage_error(path + ".periods: 0 or 1 for each dimension");
  }
  if (!topology.edges.empty()) return usage_error(path + ".edges: for graphs alone");
  return {};
}

Status validate_graph(const Topology& topology, int members, const std::string& path) {
  if (!topology.dims.empty() || !topology.periods.empty()) {
    return usage_error(path + ": dims and periods are for Cartesian groups alone");
  }
  if (topology.edges.size() != static_cast<std::size_t>(members)) {
    return usage_error(path + ".edges: one list for each member");
  }
  for (const auto& sent : topology.edges) {
    if (sent.size() > kRanksMax) return usage_error(path + ".edges: too many of one position");
    for (const int position : sent) {
      if (position < 0 || position >= members) {
        return usage_error(path + ".edges: no such position");
      }
    }
  }
  return {};
}

}  // namespace

Neighbors neighbors_of(const Topology& topology, int position) {
  return topology.dims.empty() ? graph_neighbors(topology, position)
                               : cartesian_neighbors(topology, position);
}

Status validate_topology(const Group& group, int members, const std::string& path) {
  if (group.kind == GroupKind::cartesian) return validate_cartesian(group.topology, members, path);
  if (group.kind == GroupKind::graph) return validate_graph(group.topology, members, path);
  if (group.topology != Topology{}) return usage_error(path + ": not for this kind of group");
  return {};
}

}  // namespace allprove
