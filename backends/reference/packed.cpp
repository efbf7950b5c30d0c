#include "backends/reference/packed.h"

#include <algorithm>
#include <numeric>

#include "backends/reference/collectives.h"
#include "framework/model/user_operator.h"

namespace allprove::reference {
namespace {

bool is_gather(Collective collective) {
  return collective == Collective::gather || collective == Collective::gatherv ||
         collective == Collective::all_gather || collective == Collective::all_gatherv;
}

bool is_reduce_scatter(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::reduce_scatter_block;
}

// Whether the buffer holds a block for every member of the other side, where all blocks are alike.
bool has_a_block_for_each(const CollectiveArguments& arguments, const BufferSide& side) {
  const bool sends = &side == &arguments.send;
  switch (arguments.collective) {
    case Collective::scatter:
      return sends;
    case Collective::reduce_scatter_block:
      return sends || arguments.in_place;
    case Collective::gather:
    case Collective::all_gather:
      return !sends;
    case Collective::all_to_all:
      return true;
    default:
      return false;
  }
}

// Of a neighborhood collective whose blocks are alike: there is none for or from nobody.
std::vector<std::int64_t> blocks_of_neighbors(const CollectiveArguments& arguments,
                                              const BufferSide& side, const Relations& relations) {
  if (&side == &arguments.receive) {
    std::vector<std::int64_t> blocks;
    for (const auto& origin : relations.incoming)
      blocks.push_back(origin.from < 0 ? 0 : side.count);
    return blocks;
  }
  if (arguments.collective == Collective::neighbor_all_gather) return {side.count};
  std::vector<std::int64_t> blocks;
  for (const bool there : relations.outgoing) blocks.push_back(there ? side.count : 0);
  return blocks;
}

// The root's place among all members.
int root_among(const CollectiveArguments& arguments, const Relations& relations) {
  const bool on_own_side = arguments.role != InterRole::remote;
  return arguments.root + (on_own_side ? relations.own.begin : relations.other.begin);
}

std::vector<std::byte> packed(const CollectiveArguments& arguments, const BufferSide& side,
                              const Members& members) {
  if (side.data == nullptr) return {};
  const auto placement = placement_of(arguments, side, members);
  std::vector<std::byte> bytes(static_cast<std::size_t>(placement.packed_bytes()));
  placement.gather(side.data, bytes.data());
  return bytes;
}

// In place the input is what the receive buffer holds: of a gather, the member's own block.
void take_input_in_place(PackedCall& call, int position) {
  call.given = call.received;
  call.input = call.output;
  if (is_reduce_scatter(call.collective)) {
    call.received = {call.given[static_cast<std::size_t>(position)]};
  }
  if (!is_gather(call.collective)) return;
  const auto own = call.received.begin() + position;
  const auto element = static_cast<std::int64_t>(size_of(call.dtype));
  const auto from =
      call.output.begin() + std::accumulate(call.received.begin(), own, std::int64_t{0}) * element;
  call.given = {*own};
  call.input.assign(from, from + *own * element);
}

// In what the side calls elements.
std::vector<std::int64_t> operands_of(const CollectiveArguments& arguments, const BufferSide& side,
                                      const Members& members) {
  if (side.data == nullptr) return {};
  auto blocks = side.counts;
  if (blocks.empty() && needs_neighbors(arguments.collective)) {
    blocks = blocks_of_neighbors(arguments, side, members.relations());
  } else if (blocks.empty()) {
    const auto others = static_cast<std::size_t>(members.relations().other.size);
    blocks.assign(has_a_block_for_each(arguments, side) ? others : 1, side.count);
  }
  for (auto& block : blocks) block *= side.elements_per_item;
  return blocks;
}

}  // namespace

std::vector<std::int64_t> blocks_of(const CollectiveArguments& arguments, const BufferSide& side,
                                    const Members& members) {
  auto blocks = operands_of(arguments, side, members);
  for (auto& block : blocks) block *= width_of(arguments.collective, arguments.op);
  return blocks;
}

Placement placement_of(const CollectiveArguments& arguments, const BufferSide& side,
                       const Members& members) {
  const auto operand_bytes = size_of(arguments.dtype) * static_cast<std::size_t>(width_of(
                                                            arguments.collective, arguments.op));
  const auto map = type_map(side.layout, operand_bytes, side.elements_per_item);
  const auto blocks = operands_of(arguments, side, members);
  auto displacements = side.displacements;
  while (displacements.size() < blocks.size()) {
    displacements.push_back(static_cast<std::int64_t>(displacements.size()) * side.count);
  }
  return {map, placed_by_extent(map, blocks, displacements)};
}

PackedCall pack(const CollectiveArguments& arguments, const Members& members) {
  const int root = root_among(arguments, members.relations());
  PackedCall call{arguments.collective, arguments.dtype, arguments.op, root, {}, {}, {}, {}};
  call.received = blocks_of(arguments, arguments.receive, members);
  call.output = packed(arguments, arguments.receive, members);
  if (call.collective == Collective::broadcast) {
    if (members.position() != call.root) return call;
    call.given = call.received;
    call.input = call.output;
  } else if (arguments.in_place && arguments.send.data == nullptr) {
    take_input_in_place(call, members.position());
  } else {
    call.given = blocks_of(arguments, arguments.send, members);
    call.input = packed(arguments, arguments.send, members);
  }
  return call;
}

void unpack(const PackedCall& call, const CollectiveArguments& arguments, const Members& members) {
  if (arguments.receive.data == nullptr) return;
  placement_of(arguments, arguments.receive, members)
      .scatter(call.output.data(), arguments.receive.data);
}

}  // namespace allprove::reference
