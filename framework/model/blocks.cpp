#include "framework/model/blocks.h"

#include <algorithm>

namespace allprove {
namespace {

using Blocks = std::vector<std::int64_t>;

Blocks blocks_from(const BlockSizes& sizes, int from) {
  Blocks blocks;
  for (int to = 0; to < sizes.peers(); ++to) blocks.push_back(sizes.block(from, to));
  return blocks;
}

Blocks blocks_to(const BlockSizes& sizes, int to) {
  Blocks blocks;
  for (int from = 0; from < sizes.peers(); ++from) blocks.push_back(sizes.block(from, to));
  return blocks;
}

Blocks blocks_to_neighbors(const BlockSizes& sizes, int position) {
  Blocks blocks;
  for (const int to : neighbors_of(*sizes.topology, position).outgoing) {
    blocks.push_back(to == kNoNeighbor ? 0 : sizes.block(position, to));
  }
  return blocks;
}

Blocks blocks_from_neighbors(const BlockSizes& sizes, int position) {
  Blocks blocks;
  for (const auto& from : neighbors_of(*sizes.topology, position).incoming) {
    blocks.push_back(from.position == kNoNeighbor ? 0 : sizes.block(from.position, position));
  }
  return blocks;
}

// Of a rooted collective: whether the position is the root, and whether it takes part at all.
bool is_root(const BlockSizes& sizes, int position) {
  return sizes.remote > 0 ? sizes.role == InterRole::root : position == sizes.root;
}
bool stands_aside(const BlockSizes& sizes) {
  return sizes.remote > 0 && sizes.role == InterRole::beside_root;
}
// On an intercommunicator the root itself does not belong to those that it serves.
bool is_served(const BlockSizes& sizes, int position) {
  return sizes.remote > 0 ? sizes.role == InterRole::remote : position < sizes.members;
}

}  // namespace

std::int64_t BlockSizes::block(int from, int to) const {
  if (counts.empty()) return count;
  const auto at = [this](int index) {
    return counts[static_cast<std::size_t>(index) % counts.size()];
  };
  switch (collective) {
    case Collective::gatherv:
    case Collective::all_gatherv:
    case Collective::neighbor_all_gatherv:
      return at(from);
    case Collective::reduce_scatter:
    case Collective::scatterv:
      return at(to);
    case Collective::all_to_allv:
    case Collective::all_to_allw:
    case Collective::neighbor_all_to_allv:
    case Collective::neighbor_all_to_allw:
      // What stays in place must be as large as what replaces it.
      return in_place ? at(std::min(from, to) * members + std::max(from, to))
                      : at(from * (members + remote) + to);
    default:
      return count;
  }
}

BlockSizes block_sizes_of(const Case& test_case, const Operation& operation,
                          const Membership& membership) {
  const auto& group = test_case.groups[static_cast<std::size_t>(operation.group)];
  BlockSizes sizes;
  sizes.collective = operation.collective;
  sizes.count = count_of(operation);
  sizes.counts = operation.counts;
  sizes.in_place = operation.in_place;
  sizes.members = static_cast<int>(membership.members.size());
  sizes.topology = &group.topology;
  if (group.kind != GroupKind::inter) {
    sizes.root = operation.root % std::max(sizes.members, 1);
    return sizes;
  }
  const auto& others = group.parts[static_cast<std::size_t>(remote_part(membership.part))];
  sizes.remote = static_cast<int>(others.size());
  sizes.root = inter_place_at(group, operation.root).position;
  sizes.role = inter_role_of(group, operation.root, {membership.part, membership.position});
  return sizes;
}

Blocks given_blocks(const BlockSizes& sizes, int position) {
  const auto traits = traits_of(sizes.collective);
  if (!traits.moves_data || (traits.rooted && stands_aside(sizes))) return {};
  const bool at_root = traits.rooted && is_root(sizes, position);
  switch (sizes.collective) {
    case Collective::broadcast:
      return at_root ? Blocks{sizes.count} : Blocks();
    case Collective::scatter:
    case Collective::scatterv:
      return at_root ? blocks_from(sizes, position) : Blocks();
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
      return is_served(sizes, position) ? Blocks{sizes.block(position, sizes.root)} : Blocks();
    case Collective::all_reduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::all_gather:
    case Collective::all_gatherv:
    case Collective::neighbor_all_gather:
    case Collective::neighbor_all_gatherv:
      return {sizes.block(position, 0)};
    case Collective::neighbor_all_to_all:
    case Collective::neighbor_all_to_allv:
    case Collective::neighbor_all_to_allw:
      return blocks_to_neighbors(sizes, position);
    default:
      return blocks_from(sizes, position);
  }
}

Blocks received_blocks(const BlockSizes& sizes, int position) {
  const auto traits = traits_of(sizes.collective);
  if (!traits.moves_data || (traits.rooted && stands_aside(sizes))) return {};
  const bool at_root = traits.rooted && is_root(sizes, position);
  switch (sizes.collective) {
    case Collective::reduce:
      return at_root ? Blocks{sizes.count} : Blocks();
    case Collective::gather:
    case Collective::gatherv:
      return at_root ? blocks_to(sizes, position) : Blocks();
    case Collective::broadcast:
    case Collective::scatter:
    case Collective::scatterv:
      return is_served(sizes, position) ? Blocks{sizes.block(sizes.root, position)} : Blocks();
    case Collective::all_reduce:
    case Collective::scan:
    case Collective::exscan:
      return {sizes.count};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return {sizes.block(position, position)};
    case Collective::neighbor_all_gather:
    case Collective::neighbor_all_gatherv:
    case Collective::neighbor_all_to_all:
    case Collective::neighbor_all_to_allv:
    case Collective::neighbor_all_to_allw:
      return blocks_from_neighbors(sizes, position);
    default:
      return blocks_to(sizes, position);
  }
}

bool is_in_place(const BlockSizes& sizes, int position) {
  return sizes.in_place && (!traits_of(sizes.collective).rooted || position == sizes.root);
}

BufferPlan buffer_plan(const BlockSizes& sizes, int position) {
  BufferPlan plan;
  plan.send = given_blocks(sizes, position);
  plan.receive = received_blocks(sizes, position);
  if (sizes.collective == Collective::broadcast) {
    if (!plan.send.empty()) {
      plan.receive = plan.send;  // the one buffer
      plan.input_at = 0;
    }
    plan.send.clear();
    return plan;
  }
  if (!is_in_place(sizes, position)) return plan;
  switch (sizes.collective) {
    case Collective::scatter:
    case Collective::scatterv:
      plan.receive.clear();  // the root's own block stays where it is
      return plan;
    case Collective::gather:
    case Collective::gatherv:
    case Collective::all_gather:
    case Collective::all_gatherv:
      plan.input_at =
          std::accumulate(plan.receive.begin(), plan.receive.begin() + position, std::int64_t{0});
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      plan.receive = plan.send;  // all of the input; the result replaces its beginning
      plan.input_at = 0;
      break;
    default:
      plan.input_at = 0;
      break;
  }
  plan.send.clear();
  return plan;
}

std::int64_t elements_of(const BlockSizes& sizes, int position) {
  return std::max(total(given_blocks(sizes, position)), total(received_blocks(sizes, position)));
}

std::int64_t elements_max(const Case& test_case, const Operation& operation) {
  std::int64_t most = 0;
  for (int rank = 0; rank < test_case.ranks; ++rank) {
    const auto membership = membership_of(test_case, operation.group, rank);
    if (membership.part < 0) continue;
    const auto sizes = block_sizes_of(test_case, operation, membership);
    most = std::max(most, elements_of(sizes, membership.position));
  }
  return most;
}

}  // namespace allprove
