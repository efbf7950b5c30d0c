#include "framework/search/topology.h"

#include <algorithm>
#include <numeric>

namespace allprove {
namespace {

using Edges = std::vector<std::vector<int>>;

// Factors of the number of members, any of them 1.
std::vector<int> draw_dims(int members, int dimensions, RandomStream& stream) {
  std::vector<int> dims;
  for (int left = dimensions; left > 1; --left) {
    std::vector<int> divisors;
    for (int extent = 1; extent <= members; ++extent) {
      if (members % extent == 0) divisors.push_back(extent);
    }
    dims.push_back(divisors[stream.below(divisors.size())]);
    members /= dims.back();
  }
  dims.push_back(members);
  return dims;
}

std::vector<int> draw_periods(std::size_t dimensions, RandomStream& stream) {
  std::vector<int> periods(dimensions);
  for (auto& period : periods) period = static_cast<int>(stream.below(2));
  return periods;
}

Edges ring_edges(int members, int times) {
  Edges edges(static_cast<std::size_t>(members));
  for (int i = 0; i < members; ++i) {
    edges[static_cast<std::size_t>(i)].assign(static_cast<std::size_t>(times), (i + 1) % members);
  }
  return edges;
}

// The first member and all others, both ways.
Edges star_edges(int members) {
  Edges edges(static_cast<std::size_t>(members));
  for (int i = 1; i < members; ++i) {
    edges[0].push_back(i);
    edges[static_cast<std::size_t>(i)].push_back(0);
  }
  return edges;
}

Edges complete_edges(int members) {
  Edges edges(static_cast<std::size_t>(members));
  for (auto& sent : edges) {
    sent.resize(edges.size());
    std::iota(sent.begin(), sent.end(), 0);
  }
  return edges;
}

// Any edges, also to the member itself and several times to one. Nobody has any to or from `alone`.
Edges random_edges(int members, int alone, RandomStream& stream) {
  constexpr std::uint64_t kOutgoingMax = 4;
  Edges edges(static_cast<std::size_t>(members));
  for (int from = 0; from < members; ++from) {
    for (auto left = stream.below(kOutgoingMax + 1); left > 0; --left) {
      const int to = static_cast<int>(stream.below(static_cast<std::uint64_t>(members)));
      if (from != alone && to != alone) edges[static_cast<std::size_t>(from)].push_back(to);
    }
  }
  return edges;
}

Edges draw_edges(Net net, int members, RandomStream& stream) {
  switch (net) {
    case Net::ring:
      return ring_edges(members, 1);
    case Net::star:
      return star_edges(members);
    case Net::complete:
      return complete_edges(members);
    case Net::repeated:
      return ring_edges(members, 2);
    case Net::random:
      return random_edges(members, -1, stream);
    case Net::one_alone:
      return random_edges(
          members, static_cast<int>(stream.below(static_cast<std::uint64_t>(members))), stream);
  }
  return Edges(static_cast<std::size_t>(members));
}

void set_dims(Topology& topology, Grid grid, int members, RandomStream& stream) {
  switch (grid) {
    case Grid::line:
      topology.dims = {members};
      topology.periods = {0};
      return;
    case Grid::ring:
    case Grid::ring_of_two:
    case Grid::ring_of_one:
      topology.dims = {members};
      topology.periods = {1};
      return;
    case Grid::plane:
    case Grid::space:
      topology.dims = draw_dims(members, grid == Grid::plane ? 2 : 3, stream);
      topology.periods = draw_periods(topology.dims.size(), stream);
      return;
    case Grid::flat:  // a ring of one across a line or ring
      topology.dims = {members, 1};
      topology.periods = {static_cast<int>(stream.below(2)), 1};
      return;
  }
}

}  // namespace

Topology draw_grid(Grid grid, int members, RandomStream& stream) {
  Topology topology;
  set_dims(topology, grid, members, stream);
  topology.reorder = stream.chance(1, 4);
  return topology;
}

Topology draw_net(Net net, int members, RandomStream& stream) {
  Topology topology;
  topology.edges = draw_edges(net, members, stream);
  topology.reorder = stream.chance(1, 4);
  return topology;
}

void keep_members(Topology& topology, const std::vector<int>& new_positions) {
  const auto left = static_cast<int>(
      std::ranges::count_if(new_positions, [](int position) { return position >= 0; }));
  auto& dims = topology.dims;
  if (!dims.empty() && left != static_cast<int>(new_positions.size())) {
    dims.assign(dims.size(), 1);
    dims.front() = left;
  }
  Edges edges;
  for (std::size_t from = 0; from < topology.edges.size(); ++from) {
    if (new_positions[from] < 0) continue;
    auto& sent = edges.emplace_back();
    for (const int to : topology.edges[from]) {
      const int now = new_positions[static_cast<std::size_t>(to)];
      if (now >= 0) sent.push_back(now);
    }
  }
  topology.edges = std::move(edges);
}

}  // namespace allprove
