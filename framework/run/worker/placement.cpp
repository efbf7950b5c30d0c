#include "framework/run/worker/placement.h"

#include <algorithm>
#include <cstring>

#include "framework/base/check.h"
#include "framework/run/worker/pattern.h"

namespace allprove {
namespace {

// Long enough that most gaps are one memcpy.
constexpr auto kPattern = make_pattern<4 * kPatternPeriod>();

std::size_t size_from(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

// Calls visit(begin, bytes, pattern) for pieces of a gap, each with the bytes that belong there.
template <class F>
void for_each_chunk(std::int64_t begin, std::int64_t bytes, std::size_t phase, F&& visit) {
  while (bytes > 0) {
    const auto start = phase % kPatternPeriod;
    const auto length = std::min(size_from(bytes), kPattern.size() - start);
    visit(begin, length, kPattern.data() + start);
    begin += static_cast<std::int64_t>(length);
    bytes -= static_cast<std::int64_t>(length);
    phase += length;
  }
}

// Where in the pattern a gap begins. Salts are spread, so that neighbours are not one byte apart.
std::size_t phase_of(std::int64_t from_first_byte, unsigned salt) {
  return size_from(from_first_byte) + std::size_t{salt} * 97;
}

}  // namespace

std::vector<PlacedBlock> placed_by_extent(const TypeMap& map, std::span<const std::int64_t> counts,
                                          std::span<const std::int64_t> displacements) {
  ALLPROVE_CHECK(counts.size() == displacements.size());
  std::vector<PlacedBlock> blocks;
  blocks.reserve(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    ALLPROVE_CHECK(counts[i] >= 0 && counts[i] % map.elements() == 0);
    blocks.push_back({displacements[i] * map.extent, counts[i] / map.elements()});
  }
  return blocks;
}

Placement::Placement(const TypeMap& map, std::vector<PlacedBlock> blocks)
    : blocks_(std::move(blocks)),
      item_bytes_(map.elements() * static_cast<std::int64_t>(map.element_bytes)),
      extent_(map.extent),
      dense_item_(is_dense(map)) {
  add_runs(map);
  set_bounds(map);
}

void Placement::add_runs(const TypeMap& map) {
  const auto bytes = static_cast<std::int64_t>(map.element_bytes);
  std::int64_t from = 0;
  for (const auto at : map.offsets) {
    if (!runs_.empty() && at == runs_.back().at + runs_.back().bytes) {
      runs_.back().bytes += bytes;
    } else {
      runs_.push_back({from, at, bytes});
    }
    from += bytes;
  }
  runs_by_place_ = runs_;
  std::ranges::sort(runs_by_place_, {}, &Run::at);
}

void Placement::set_bounds(const TypeMap& map) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].items == 0) continue;
    ascending_.push_back(i);
    packed_bytes_ += blocks_[i].items * item_bytes_;
  }
  if (ascending_.empty()) return;
  std::ranges::sort(ascending_, {}, [&](std::size_t i) { return blocks_[i].displacement; });
  for (std::size_t i = 1; i < ascending_.size(); ++i) {
    const auto& before = blocks_[ascending_[i - 1]];
    ALLPROVE_CHECK(before.displacement + before.items * extent_ <=
                   blocks_[ascending_[i]].displacement);
  }
  const auto& first = blocks_[ascending_.front()];
  const auto& last = blocks_[ascending_.back()];
  first_byte_ = first.displacement + allprove::first_byte(map, first.items);
  end_byte_ = last.displacement + allprove::end_byte(map, last.items);
}

// Calls copy(from, at, bytes) for pieces that are consecutive on both sides: `from` in the packed
// array, `at` in the buffer.
template <class F>
void Placement::for_each_piece(F&& copy) const {
  std::int64_t from = 0;
  for (const auto& block : blocks_) {
    if (dense_item_) {
      const auto bytes = block.items * item_bytes_;
      if (bytes > 0) copy(from, block.displacement + runs_.front().at, bytes);
      from += bytes;
      continue;
    }
    for (std::int64_t item = 0; item < block.items; ++item, from += item_bytes_) {
      const auto origin = block.displacement + item * extent_;
      for (const auto& run : runs_) copy(from + run.from, origin + run.at, run.bytes);
    }
  }
}

// Calls visit(at, bytes) for every gap, ascending.
template <class F>
void Placement::for_each_gap(F&& visit) const {
  auto end = first_byte_;  // of the elements so far
  const auto pass = [&](std::int64_t at, std::int64_t bytes) {
    if (at > end) visit(end, at - end);
    end = at + bytes;
  };
  for (const auto index : ascending_) {
    const auto& block = blocks_[index];
    if (dense_item_) {
      pass(block.displacement + runs_.front().at, block.items * item_bytes_);
      continue;
    }
    for (std::int64_t item = 0; item < block.items; ++item) {
      const auto origin = block.displacement + item * extent_;
      for (const auto& run : runs_by_place_) pass(origin + run.at, run.bytes);
    }
  }
}

void Placement::scatter(const std::byte* packed, std::byte* base) const {
  for_each_piece([&](std::int64_t from, std::int64_t at, std::int64_t bytes) {
    std::memcpy(base + at, packed + from, size_from(bytes));
  });
}

void Placement::gather(const std::byte* base, std::byte* packed) const {
  for_each_piece([&](std::int64_t from, std::int64_t at, std::int64_t bytes) {
    std::memcpy(packed + from, base + at, size_from(bytes));
  });
}

void Placement::arm_gaps(std::byte* base, unsigned salt) const {
  if (!has_gaps()) return;
  for_each_gap([&](std::int64_t at, std::int64_t bytes) {
    for_each_chunk(at, bytes, phase_of(at - first_byte_, salt),
                   [&](std::int64_t begin, std::size_t length, const std::byte* pattern) {
                     std::memcpy(base + begin, pattern, length);
                   });
  });
}

GapDamage Placement::inspect_gaps(const std::byte* base, unsigned salt) const {
  GapDamage damage;
  if (!has_gaps()) return damage;
  const auto compare = [&](std::int64_t begin, std::size_t length, const std::byte* pattern) {
    if (std::memcmp(base + begin, pattern, length) == 0) return;
    for (std::size_t i = 0; i < length; ++i) {
      const auto at = begin + static_cast<std::int64_t>(i);
      if (base[at] == pattern[i]) continue;
      if (damage.bytes++ == 0) damage.place = at;
    }
  };
  for_each_gap([&](std::int64_t at, std::int64_t bytes) {
    for_each_chunk(at, bytes, phase_of(at - first_byte_, salt), compare);
  });
  return damage;
}

}  // namespace allprove
