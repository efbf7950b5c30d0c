#include "framework/oracle/meaning.h"

#include <algorithm>
#include <numeric>

#include "framework/base/check.h"

namespace allprove::oracle {
namespace {

// Positions [from, until) whose inputs a result is made of, and where in each of them it begins.
struct Contributors {
  int from = 0;
  int until = 0;
  std::int64_t first = 0;
};

Contributors contributors_of(const BlockSizes& sizes, int position) {
  switch (sizes.collective) {
    case Collective::reduce:
    case Collective::all_reduce:
      return {0, sizes.peers()};
    case Collective::scan:
      return {0, position + 1};
    case Collective::exscan:
      return {0, position};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: {
      Contributors all{0, sizes.members};
      for (int to = 0; to < position; ++to) all.first += sizes.block(0, to);
      return all;
    }
    default:
      throw InternalError("internal error: the oracle does not know the collective");
  }
}

// Where the block for `to` begins in the input of `from`.
std::int64_t begin_of_block(const BlockSizes& sizes, int from, int to) {
  switch (sizes.collective) {
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::all_to_all:
    case Collective::all_to_allv:
    case Collective::all_to_allw: {
      std::int64_t begin = 0;
      for (int before = 0; before < to; ++before) begin += sizes.block(from, before);
      return begin;
    }
    default:
      return 0;  // it gives the same to all
  }
}

// Whether the one block that a position gets is the root's.
bool comes_from_root(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::scatter ||
         collective == Collective::scatterv;
}

// Collects pieces in memory that it finds in place. `source_at` tells what a position gives.
template <class SourceAt>
class Collector {
 public:
  Collector(const Call& call, SourceAt source_at, std::vector<Piece>& pieces)
      : call_(call), sizes_(sizes_of(call)), source_at_(source_at), pieces_(pieces) {}

  void run(int position) {
    if (needs_neighbors(call_.collective)) return run_neighbors(position);
    const bool reduces = traits_of(call_.collective).reduces;
    const auto blocks = received_blocks(sizes_, position);
    if (!reduces) return run_moves(position, blocks);
    const auto contributors = contributors_of(sizes_, position);
    Piece& piece = next(total(blocks));
    for (int p = contributors.from; p < contributors.until; ++p) add(piece, p, contributors.first);
    finish();
  }

 private:
  void run_moves(int position, const std::vector<std::int64_t>& blocks) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i] == 0) continue;
      const int from = comes_from_root(call_.collective) ? call_.root : static_cast<int>(i);
      add(next(blocks[i]), from, begin_of_block(sizes_, from, position));
    }
    finish();
  }

  void run_neighbors(int position) {
    for (const auto& from : neighbors_of(call_.topology, position).incoming) {
      if (from.position == kNoNeighbor) continue;
      const auto count = sizes_.block(from.position, position);
      if (count > 0) add(next(count), from.position, begin_of_outgoing(from));
    }
    finish();
  }
  // Where the block begins in the input of the neighbor that gives it.
  std::int64_t begin_of_outgoing(const Incoming& block) const {
    const auto blocks = given_blocks(sizes_, block.position);
    if (blocks.size() == 1) return 0;
    return std::accumulate(blocks.begin(), blocks.begin() + block.block, std::int64_t{0});
  }

  Piece& next(std::int64_t count) {
    if (used_ == pieces_.size()) pieces_.emplace_back();
    Piece& piece = pieces_[used_++];
    piece.begin = done_;
    piece.count = count;
    piece.question.sources.clear();
    piece.question.op = call_.op;
    piece.question.reduces = traits_of(call_.collective).reduces;
    piece.question.divisor =
        piece.question.reduces && call_.divide ? static_cast<int>(call_.ids.size()) : 1;
    done_ += count;
    return piece;
  }
  void add(Piece& piece, int position, std::int64_t first) {
    Source source = source_at_(position);
    source.first += first;
    piece.question.sources.push_back(source);
  }
  void finish() { pieces_.resize(used_); }

  const Call& call_;
  const BlockSizes sizes_;
  SourceAt source_at_;
  std::vector<Piece>& pieces_;
  std::size_t used_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace

BlockSizes sizes_of(const Call& call) {
  return {.collective = call.collective,
          .count = call.count,
          .counts = call.counts,
          .in_place = call.in_place,
          .members = static_cast<int>(call.ids.size()),
          .root = call.root,
          .topology = &call.topology,
          .remote = static_cast<int>(call.remote_ids.size()),
          .role = call.role};
}

bool gives_input(const Call& call, int position) {
  return !given_blocks(sizes_of(call), position).empty();
}

bool holds_output(const Call& call, int position) {
  const auto sizes = sizes_of(call);
  // The standard leaves open what the first member of an exclusive scan finds.
  if (call.collective == Collective::exscan && position == 0) return false;
  const bool stays = is_in_place(sizes, position) && comes_from_root(call.collective) &&
                     call.collective != Collective::broadcast;
  return !stays && !received_blocks(sizes, position).empty();
}

bool Question::uniform() const {
  return std::ranges::all_of(sources, [&](Source source) {
    source.id = sources.front().id;
    return source == sources.front();
  });
}

std::int64_t total_of(const std::vector<Piece>& pieces) {
  return pieces.empty() ? 0 : pieces.back().begin + pieces.back().count;
}

bool all_hold_the_same(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::all_reduce ||
         collective == Collective::all_gather || collective == Collective::all_gatherv;
}

void find_pieces(const Call& call, int position, std::vector<Piece>& pieces) {
  Collector(
      call, [&](int p) { return source_from(call, p); }, pieces)
      .run(position);
}

std::vector<Piece> pieces_of(std::span<const Call> calls, int position) {
  std::vector<Piece> pieces;
  const auto source_at = [&](int p) { return source_of(calls[static_cast<std::size_t>(p)], p); };
  Collector(calls[static_cast<std::size_t>(position)], source_at, pieces).run(position);
  return pieces;
}

}  // namespace allprove::oracle
