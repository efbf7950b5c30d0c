#include "backends/reference/collectives.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "backends/reference/messages.h"
#include "backends/reference/reduce.h"

namespace allprove::reference {
namespace {

// One chunk of an all-reduce.
struct Piece {
  Members& members;
  std::span<std::byte> data;
  Dtype dtype;
  Op op;

  std::size_t count() const { return data.size() / size_of(dtype); }
  void assign(int from) const { std::copy_n(members.chunk(from), data.size(), data.data()); }
  void add(int from) const { combine(op, dtype, data.data(), members.chunk(from), count()); }
};

void reduce_inputs(const Piece& piece, std::span<const int> positions) {
  piece.assign(positions.front());
  for (const int from : positions.subspan(1)) piece.add(from);
}

std::vector<int> all_positions(const Members& members) {
  std::vector<int> positions(static_cast<std::size_t>(members.size()));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

void everyone_reduces(const Piece& piece) {
  piece.members.exchange(piece.data);
  reduce_inputs(piece, all_positions(piece.members));
}

void gather_then_broadcast(const Piece& piece) {
  piece.members.exchange(piece.data);
  const bool first = piece.members.position() == 0;
  if (first) reduce_inputs(piece, all_positions(piece.members));
  piece.members.exchange(first ? piece.data : std::span<std::byte>());
  piece.assign(0);
}

// A partial result of the lower position is always the left operand, so that both members of a
// pair compute the same bits, and operators need not commute. Where the size is no power of two,
// the first members go in pairs, of which the lower one takes part for both.
struct Core {
  explicit Core(int members)
      : size(static_cast<int>(std::bit_floor(static_cast<unsigned>(members)))),
        pairs(members - size) {}
  // The members that take part are numbered by position.
  int number_of(int position) const {
    return position < 2 * pairs ? position / 2 : position - pairs;
  }
  int position_of(int number) const { return number < pairs ? 2 * number : number + pairs; }
  bool pairs_up(int position) const { return position < 2 * pairs; }
  bool takes_part(int position) const { return !pairs_up(position) || position % 2 == 0; }

  int size;
  int pairs;
};

void recursive_doubling(const Piece& piece) {
  auto& members = piece.members;
  const int me = members.position();
  const Core core(members.size());
  const int number = core.number_of(me);
  if (core.pairs > 0) {
    members.exchange(piece.data);
    if (core.pairs_up(me) && core.takes_part(me)) piece.add(me + 1);
  }
  for (int distance = 1; distance < core.size; distance *= 2) {
    members.exchange(piece.data);
    if (!core.takes_part(me)) continue;
    const int partner = number ^ distance;
    piece.assign(core.position_of(std::min(number, partner)));
    piece.add(core.position_of(std::max(number, partner)));
  }
  if (core.pairs > 0) {
    members.exchange(piece.data);
    if (!core.takes_part(me)) piece.assign(me - 1);
  }
}

// Calls f with chunk after chunk; once, with nothing, when there is no data, since the members meet
// all the same.
template <class F>
void for_chunks(std::span<std::byte> data, F f) {
  std::size_t done = 0;
  do {
    const auto bytes = std::min(kChunkBytes, data.size() - done);
    f(data.subspan(done, bytes));
    done += bytes;
  } while (done < data.size());
}

void broadcast(Members& members, PackedCall& call) {
  const bool mine = members.position() == call.root;
  for_chunks(call.output, [&](std::span<std::byte> part) {
    members.exchange(mine ? part : std::span<std::byte>());
    if (!mine) std::copy_n(members.chunk(call.root), part.size(), part.data());
  });
}

void all_reduce(Members& members, PackedCall& call, AllReduceAlgorithm algorithm) {
  static constexpr void (*kAlgorithms[])(const Piece&) = {everyone_reduces, gather_then_broadcast,
                                                          recursive_doubling};
  call.output = call.input;
  for_chunks(call.output, [&](std::span<std::byte> part) {
    kAlgorithms[static_cast<std::size_t>(algorithm)](Piece{members, part, call.dtype, call.op});
  });
}

// Everyone on the other side, each of whom gives the block.
std::vector<Origin> all_others(const Relations& relations, std::size_t block) {
  std::vector<Origin> origins;
  for (int i = 0; i < relations.other.size; ++i) {
    origins.push_back({relations.other.begin + i, block});
  }
  return origins;
}

// The blocks that make a member's result, in their order: each in its place, or reduced.
std::vector<Origin> origins_of(const Members& members, const PackedCall& call) {
  const auto& relations = members.relations();
  const int position = members.position();
  const auto own = static_cast<std::size_t>(position - relations.own.begin);
  if (needs_neighbors(call.collective)) {
    auto origins = relations.incoming;
    const bool to_all_alike = call.collective == Collective::neighbor_all_gather ||
                              call.collective == Collective::neighbor_all_gatherv;
    for (auto& origin : origins) origin.block = to_all_alike ? 0 : origin.block;
    return origins;
  }
  switch (call.collective) {
    case Collective::broadcast:
      return {{call.root, 0}};
    case Collective::scatter:
    case Collective::scatterv:
      return {{call.root, own}};
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
      return position == call.root ? all_others(relations, 0) : std::vector<Origin>();
    case Collective::scan:
    case Collective::exscan: {
      auto origins = all_others(relations, 0);
      origins.resize(call.collective == Collective::scan ? own + 1 : own);
      return origins;
    }
    case Collective::all_to_all:
    case Collective::all_to_allv:
    case Collective::all_to_allw:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return all_others(relations, own);
    default:
      return all_others(relations, 0);
  }
}

// The blocks of these origins, kept in the messages that they came with.
struct Blocks {
  std::vector<Origin> origins;
  std::vector<Message> messages;

  std::span<const std::byte> at(std::size_t i) const {
    const Origin origin = i < origins.size() ? origins[i] : Origin();
    if (origin.from < 0) return {};
    return messages[static_cast<std::size_t>(origin.from)].block(origin.block);
  }
};

Blocks share_inputs(Members& members, const PackedCall& call) {
  Blocks blocks{origins_of(members, call), {}};
  const auto wanted = [&](int from) {
    return std::ranges::count(blocks.origins, from, &Origin::from) > 0;
  };
  blocks.messages = share(members, Message(call.given, size_of(call.dtype), call.input), wanted);
  return blocks;
}

// Copies as much of the block as there is room for.
void copy_block(std::span<const std::byte> block, std::span<std::byte> to) {
  std::copy_n(block.begin(), std::min(block.size(), to.size()), to.begin());
}

void move_blocks(Members& members, PackedCall& call) {
  const auto blocks = share_inputs(members, call);
  std::span<std::byte> left = call.output;
  for (std::size_t i = 0; i < call.received.size(); ++i) {
    const auto bytes = static_cast<std::size_t>(call.received[i]) * size_of(call.dtype);
    copy_block(blocks.at(i), left.first(bytes));
    left = left.subspan(bytes);
  }
}

void reduce_blocks(Members& members, PackedCall& call) {
  const auto blocks = share_inputs(members, call);
  if (call.received.empty()) return;
  const auto element = size_of(call.dtype);
  const auto result =
      std::span(call.output).first(static_cast<std::size_t>(call.received[0]) * element);
  for (std::size_t i = 0; i < blocks.origins.size(); ++i) {
    const auto operand = blocks.at(i);
    if (i == 0) {
      copy_block(operand, result);
    } else {
      combine(call.op, call.dtype, result.data(), operand.data(),
              std::min(operand.size(), result.size()) / element);
    }
  }
}

}  // namespace

void Members::exchange(std::span<const std::byte> mine) {
  ++steps_;
  auto* const to = lanes_[static_cast<std::size_t>(position_)]->chunks[steps_ % 2];
  if (!mine.empty()) std::memcpy(to, mine.data(), mine.size());
  pass(lanes_.front()->barrier, static_cast<std::uint32_t>(lanes_.size()), steps_);
}

const std::byte* Members::chunk(int position) const {
  return lanes_[static_cast<std::size_t>(position)]->chunks[steps_ % 2];
}

void perform(Members& members, PackedCall& call, AllReduceAlgorithm algorithm) {
  if (call.collective == Collective::barrier) return members.exchange({});
  const bool two_sides = members.relations().other.begin != members.relations().own.begin;
  if (call.collective == Collective::broadcast && !two_sides) return broadcast(members, call);
  if (call.collective == Collective::all_reduce && !two_sides) {
    return all_reduce(members, call, algorithm);
  }
  if (traits_of(call.collective).reduces) return reduce_blocks(members, call);
  move_blocks(members, call);
}

void all_reduce_over(Members& members, std::span<std::byte> data, Dtype dtype, Op op,
                     std::span<const int> positions) {
  for_chunks(data, [&](std::span<std::byte> part) {
    members.exchange(part);
    reduce_inputs(Piece{members, part, dtype, op}, positions);
  });
}

}  // namespace allprove::reference
