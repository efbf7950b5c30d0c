#include "framework/search/operands.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "framework/base/enum_table.h"
#include "framework/model/user_operator.h"
#include "framework/search/edit.h"
#include "framework/search/shape.h"

namespace allprove {
namespace {

constexpr std::int64_t kInexactCountMax = 4096;  // what other ranks' data costs to make anew
constexpr auto kLayoutKinds = static_cast<std::int64_t>(names_of<LayoutKind>().size());

Family draw_family(bool exact, RandomStream& stream) {
  const auto kind = stream.below(100);
  if (kind < 64 || exact) return Family::closed;
  if (kind < 80) return Family::free;
  return kind < 93 ? Family::special : Family::ramp;
}

Layout draw_layout(RandomStream& stream) {
  Layout layout;
  layout.kind = static_cast<LayoutKind>(stream.between(1, kLayoutKinds - 1));
  layout.items = stream.chance(1, 2) ? 0 : stream.between(1, 4);
  layout.gap = static_cast<int>(stream.between(0, 4));
  layout.seed = stream.next();
  if (stream.chance(1, 2)) layout.ranks = stream.next();
  return layout;
}

// A reduction has one data type for all its buffers. A broadcast has one buffer, on whose ranks
// the layouts may differ all the same.
void draw_layouts(Operation& operation, RandomStream& stream) {
  if (traits_of(operation.collective).reduces) {
    operation.receive_layout = draw_layout(stream);
    operation.receive_layout.ranks = Layout{}.ranks;
    operation.send_layout = operation.receive_layout;
    return;
  }
  if (stream.chance(2, 3)) operation.receive_layout = draw_layout(stream);
  if (operation.collective == Collective::broadcast) return;
  if (stream.chance(2, 3)) operation.send_layout = draw_layout(stream);
}

bool has_many_blocks(const Operation& operation) {
  return !traits_of(operation.collective).elementwise;
}

// Of such an operation: one for each rank, or two for each of three dimensions.
int blocks_max(const Operation& operation, int ranks) {
  return needs_neighbors(operation.collective) ? std::max(ranks, 6) : ranks;
}

// The most elements of one block, of which a buffer may hold one for every rank. Such buffers stay
// smaller: each rank checks what all others sent it.
std::int64_t block_max(const Operation& operation, const OperandLimits& limits) {
  const auto family = operation.data.family;
  const bool costly = family == Family::free || family == Family::special;
  const bool derived = operation.send_layout != Layout{} || operation.receive_layout != Layout{};
  auto elements = limits.bytes_max / static_cast<std::int64_t>(size_of(operation.dtype));
  const bool many = has_many_blocks(operation);
  if (many) elements /= 4;
  if (costly || derived) elements = std::min(elements, kInexactCountMax);
  if (many) elements /= blocks_max(operation, limits.ranks);
  return elements - elements % width_of(operation.collective, operation.op);
}

void draw_data(Operation& operation, const OperandLimits& limits, RandomStream& stream) {
  const bool is_pair = traits_of(operation.dtype).kind == DtypeClass::pair;  // of NaNs, perhaps
  const bool exact = limits.exact && (can_round(operation.dtype) || is_pair);
  operation.data.family = draw_family(exact, stream);
  operation.data.seed = stream.next();
  ShapeLimits shape;
  shape.element_bytes = static_cast<std::int64_t>(size_of(operation.dtype));
  // Libraries look at the bytes of one block, or of all.
  if (has_many_blocks(operation) && stream.chance(1, 2)) {
    shape.element_bytes *= blocks_max(operation, limits.ranks);
  }
  shape.count_min = limits.count_min;
  shape.count_max = std::max(block_max(operation, limits), limits.count_min);
  shape.ranks = limits.ranks;
  operation.shape = draw_shape(shape, stream);
}

// Blocks of unequal sizes, in places of their own. The shape has been drawn for one of them.
void draw_blocks(Operation& operation, const OperandLimits& limits, RandomStream& stream) {
  if (!traits_of(operation.collective).reduces) {
    if (stream.chance(1, 3)) operation.holes = static_cast<int>(stream.between(1, 5));
    if (stream.chance(1, 3)) operation.order = stream.next();
  }
  if (stream.chance(1, 6)) return;
  const auto most = std::min(2 * count_of(operation), block_max(operation, limits));
  const auto entries = stream.chance(1, 2) ? limits.ranks : stream.between(1, 5);
  for (std::int64_t i = 0; i < entries; ++i) {
    operation.counts.push_back(stream.chance(1, 4) ? 0 : stream.between(0, most));
  }
  if (limits.count_min > 0) {
    operation.counts.front() = std::max(operation.counts.front(), limits.count_min);
  }
  operation.shape.clear();
  // A whole block as one item makes each rank's type another; libraries hang on it, and every hang
  // takes its time: now and then is enough.
  const bool derived = operation.send_layout.kind != LayoutKind::dense;
  if (!derived || traits_of(operation.collective).reduces || stream.chance(1, 8)) return;
  auto& items = operation.send_layout.items;
  items = std::max<std::int64_t>(items, 1);
}

// Whatever their sizes, no more than as many of the same size.
std::vector<std::int64_t> smaller_blocks(std::int64_t block, int blocks, RandomStream& stream) {
  std::vector<std::int64_t> counts;
  for (int i = 0; i < blocks; ++i) counts.push_back(stream.between(block / 2, block));
  return counts;
}

}  // namespace

void draw_operands(Operation& operation, const OperandLimits& limits, RandomStream& stream) {
  if (may_be_derived(operation) && stream.chance(1, 4)) draw_layouts(operation, stream);
  draw_data(operation, limits, stream);
  if (traits_of(operation.collective).irregular) draw_blocks(operation, limits, stream);
  whole_operands(operation);
}

void draw_large_operands(Operation& operation, const OperandLimits& limits, RandomStream& stream) {
  constexpr std::int64_t kCountMax = std::numeric_limits<std::int32_t>::max();  // of an MPI call
  operation.data.seed = stream.next();
  auto block = limits.bytes_max / static_cast<std::int64_t>(size_of(operation.dtype));
  if (has_many_blocks(operation)) block /= blocks_max(operation, limits.ranks);
  block = std::min(block, kCountMax);
  if (traits_of(operation.collective).irregular && stream.chance(1, 2)) {
    operation.counts = smaller_blocks(block, limits.ranks, stream);
  } else {
    operation.shape = {block};
  }
  whole_operands(operation);
}

}  // namespace allprove
