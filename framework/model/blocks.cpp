#include "framework/model/blocks.h"

#include <algorithm>

namespace allprove {
namespace {

std::vector<std::int64_t> blocks_from(const BlockSizes& sizes, int from) {
  std::vector<std::int64_t> blocks;
  for (int to = 0; to < sizes.members; ++to) blocks.push_back(sizes.block(from, to));
  return blocks;
}

std::vector<std::int64_t> blocks_to(const BlockSizes& sizes, int to) {
  std::vector<std::int64_t> blocks;
  for (int from = 0; from < sizes.members; ++from) blocks.push_back(sizes.block(from, to));
  return blocks;
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
                      : at(from * members + to);
    default:
      return count;
  }
}

BlockSizes block_sizes_of(const Operation& operation, int members) {
  return {
      operation.collective,    count_of(operation), operation.counts, operation.in_place, members,
      operation.root % members};
}

std::vector<std::int64_t> given_blocks(const BlockSizes& sizes, int position) {
  const bool is_root = position == sizes.root;
  switch (sizes.collective) {
    case Collective::barrier:
      return {};
    case Collective::broadcast:
      return is_root ? std::vector{sizes.count} : std::vector<std::int64_t>();
    case Collective::reduce:
    case Collective::all_reduce:
    case Collective::scan:
    case Collective::exscan:
      return {sizes.count};
    case Collective::scatter:
    case Collective::scatterv:
      return is_root ? blocks_from(sizes, position) : std::vector<std::int64_t>();
    case Collective::gather:
    case Collective::gatherv:
    case Collective::all_gather:
    case Collective::all_gatherv:
    case Collective::neighbor_all_gather:
    case Collective::neighbor_all_gatherv:
      return {sizes.block(position, sizes.root)};
    default:
      return blocks_from(sizes, position);
  }
}

std::vector<std::int64_t> received_blocks(const BlockSizes& sizes, int position) {
  const bool is_root = position == sizes.root;
  switch (sizes.collective) {
    case Collective::barrier:
      return {};
    case Collective::reduce:
      return is_root ? std::vector{sizes.count} : std::vector<std::int64_t>();
    case Collective::broadcast:
    case Collective::all_reduce:
    case Collective::scan:
    case Collective::exscan:
      return {sizes.count};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return {sizes.block(position, position)};
    case Collective::scatter:
    case Collective::scatterv:
      return {sizes.block(sizes.root, position)};
    case Collective::gather:
    case Collective::gatherv:
      return is_root ? blocks_to(sizes, position) : std::vector<std::int64_t>();
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
    if (!plan.send.empty()) plan.input_at = 0;
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

std::int64_t elements_max(const BlockSizes& sizes) {
  std::int64_t most = 0;
  for (int position = 0; position < sizes.members; ++position) {
    most = std::max(
        {most, total(given_blocks(sizes, position)), total(received_blocks(sizes, position))});
  }
  return most;
}

}  // namespace allprove
