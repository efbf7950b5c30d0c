// The neighbourhoods of communicators with a topology: drawing them, and making them smaller.
#pragma once

#include <vector>

#include "framework/base/random.h"
#include "framework/model/topology.h"

namespace allprove {

// Each kind is one entry of the pool of groups (group.h).
enum class Grid { line, ring, plane, space, ring_of_two, ring_of_one, flat };
inline constexpr std::uint64_t kGrids = 7;
enum class Net { ring, star, complete, repeated, random, one_alone };
inline constexpr std::uint64_t kNets = 6;

// For so many members, at least one; `ring_of_two` wants one or two, `ring_of_one` one.
Topology draw_grid(Grid grid, int members, RandomStream& stream);
Topology draw_net(Net net, int members, RandomStream& stream);

// What is left of a topology when members go: `new_positions` has -1 for them. A grid that its
// dimensions no longer hold becomes one line or ring in as many dimensions, so that each member
// has as many blocks as before; a graph loses the edges of those who go.
void keep_members(Topology& topology, const std::vector<int>& new_positions);

}  // namespace allprove
