#include "backends/reference/relations.h"

#include <algorithm>

namespace allprove::reference {
namespace {

using Coordinates = std::vector<int>;

Coordinates coordinates_of(int position, const std::vector<int>& dims) {
  Coordinates at(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    at[d] = position % dims[d];
    position /= dims[d];
  }
  return at;
}

int position_of(const Coordinates& at, const std::vector<int>& dims) {
  int position = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) position = position * dims[d] + at[d];
  return position;
}

// One step along a dimension; -1 past its end.
int after_step(const Topology& topology, Coordinates at, std::size_t dimension, int step) {
  const int extent = topology.dims[dimension];
  at[dimension] += step;
  if (topology.periods[dimension] != 0) at[dimension] = (at[dimension] + extent) % extent;
  const bool inside = at[dimension] >= 0 && at[dimension] < extent;
  return inside ? position_of(at, topology.dims) : -1;
}

// Of each dimension the negative direction comes first. What arrives from there was given in the
// positive direction.
void add_grid(const Topology& topology, int position, Relations& relations) {
  const auto at = coordinates_of(position, topology.dims);
  for (std::size_t d = 0; d < topology.dims.size(); ++d) {
    const int before = after_step(topology, at, d, -1);
    const int after = after_step(topology, at, d, 1);
    relations.incoming.push_back({before, 2 * d + 1});
    relations.incoming.push_back({after, 2 * d});
    relations.outgoing.push_back(before >= 0);
    relations.outgoing.push_back(after >= 0);
  }
}

void add_net(const Topology& topology, int position, Relations& relations) {
  const auto sources = static_cast<int>(topology.edges.size());
  for (int from = 0; from < sources; ++from) {
    const auto& sent = topology.edges[static_cast<std::size_t>(from)];
    for (std::size_t edge = 0; edge < sent.size(); ++edge) {
      if (sent[edge] == position) relations.incoming.push_back({from, edge});
    }
  }
  relations.outgoing.assign(topology.edges[static_cast<std::size_t>(position)].size(), true);
}

}  // namespace

Relations relations_of(const Group& group, const Membership& membership) {
  const int members = static_cast<int>(membership.members.size());
  Relations relations{{0, members}, {0, members}, {}, {}};
  if (membership.part < 0) return relations;
  if (group.kind == GroupKind::inter) {
    const Side first{0, static_cast<int>(group.parts[0].size())};
    const Side second{first.size, static_cast<int>(group.parts[1].size())};
    relations.own = membership.part == 0 ? first : second;
    relations.other = membership.part == 0 ? second : first;
  }
  if (group.kind == GroupKind::cartesian) {
    add_grid(group.topology, membership.position, relations);
  }
  if (group.kind == GroupKind::graph) add_net(group.topology, membership.position, relations);
  return relations;
}

}  // namespace allprove::reference
