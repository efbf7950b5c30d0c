#include "backends/reference/collectives.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

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
  void assign(int from) const { std::memcpy(data.data(), members.chunk(from), data.size()); }
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
// pair compute the same bits. Where the size is no power of two, the members past it hand their
// inputs to the first ones beforehand, and take the result afterwards.
void recursive_doubling(const Piece& piece) {
  auto& members = piece.members;
  const int me = members.position();
  const int core = static_cast<int>(std::bit_floor(static_cast<unsigned>(members.size())));
  const int extra = members.size() - core;
  if (extra > 0) {
    members.exchange(piece.data);
    if (me < extra) piece.add(core + me);
  }
  for (int distance = 1; distance < core; distance *= 2) {
    members.exchange(piece.data);
    if (me >= core) continue;
    const int partner = me ^ distance;
    piece.assign(std::min(me, partner));
    piece.add(std::max(me, partner));
  }
  if (extra > 0) {
    members.exchange(piece.data);
    if (me >= core) piece.assign(me - core);
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

void barrier(Members& members) { members.exchange({}); }

void broadcast(Members& members, std::span<std::byte> data, int root) {
  const bool mine = members.position() == root;
  for_chunks(data, [&](std::span<std::byte> part) {
    members.exchange(mine ? part : std::span<std::byte>());
    if (!mine) std::memcpy(part.data(), members.chunk(root), part.size());
  });
}

void all_reduce_over(Members& members, std::span<std::byte> data, Dtype dtype, Op op,
                     std::span<const int> positions) {
  for_chunks(data, [&](std::span<std::byte> part) {
    members.exchange(part);
    reduce_inputs(Piece{members, part, dtype, op}, positions);
  });
}

void all_reduce(Members& members, std::span<std::byte> data, Dtype dtype, Op op,
                AllReduceAlgorithm algorithm) {
  static constexpr void (*kAlgorithms[])(const Piece&) = {everyone_reduces, gather_then_broadcast,
                                                          recursive_doubling};
  for_chunks(data, [&](std::span<std::byte> part) {
    kAlgorithms[static_cast<std::size_t>(algorithm)](Piece{members, part, dtype, op});
  });
}

}  // namespace allprove::reference
