#include "framework/search/simplify_places.h"

#include <algorithm>
#include <bit>

namespace allprove {
namespace {

using Side = Layout Operation::*;
constexpr Side kSides[] = {&Operation::send_layout, &Operation::receive_layout};

// Masks with fewer ranks: the first few of those in it, then one less.
std::vector<std::uint64_t> smaller_masks(std::uint64_t ranks) {
  std::vector<std::uint64_t> masks;
  for (const int positions : {1, 2, 4, 8, 16}) {
    masks.push_back(ranks & ((std::uint64_t{1} << positions) - 1));
  }
  constexpr int kFew = 8;
  for (auto left = ranks; left != 0 && std::popcount(ranks) <= kFew; left &= left - 1) {
    masks.push_back(ranks & ~(left & -left));
  }
  std::erase(masks, 0);  // then nobody uses it
  return masks;
}

// What is simpler than the layout in one thing.
std::vector<Layout> simpler(const Layout& layout) {
  std::vector<Layout> list;
  const auto change = [&](auto Layout::*field, auto value) {
    list.push_back(layout);
    list.back().*field = value;
  };
  change(&Layout::ranks, Layout{}.ranks);
  for (const auto kind : {LayoutKind::contiguous, LayoutKind::vector, LayoutKind::indexed}) {
    if (kind < layout.kind) change(&Layout::kind, kind);
  }
  for (const std::uint64_t seed : {0, 1, 2, 3}) change(&Layout::seed, seed);
  for (const auto items : towards(layout.items, 0)) change(&Layout::items, items);
  for (const auto gap : towards(layout.gap, 0)) change(&Layout::gap, static_cast<int>(gap));
  for (const auto ranks : smaller_masks(layout.ranks)) change(&Layout::ranks, ranks);
  return list;
}

using Counts = std::vector<std::int64_t>;

Counts without(Counts counts, std::size_t i) {
  counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(i));
  return counts;
}

Counts with(Counts counts, std::size_t i, std::int64_t count) {
  counts[i] = count;
  return counts;
}

std::vector<Counts> smaller(const Counts& counts) {
  std::vector<Counts> list;
  if (counts.size() > 1) {
    list.push_back({counts.front()});
    list.push_back({counts.back()});
  }
  for (std::size_t i = 0; i < counts.size() && counts.size() > 2; ++i) {
    list.push_back(without(counts, i));
  }
  list.push_back(counts);
  std::ranges::sort(list.back());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    // An empty block is no simpler than one of a few elements.
    for (const std::int64_t few : {1, 2, 0}) list.push_back(with(counts, i, few));
    for (const auto count : towards(counts[i], 3)) list.push_back(with(counts, i, count));
  }
  return list;
}

}  // namespace

void plain_places(Operation& operation) {
  operation.holes = 0;
  operation.order = 0;
  for (const auto side : kSides) operation.*side = {};
}

void plain_layouts(Operation& operation) {
  for (const auto side : kSides) operation.*side = {.kind = (operation.*side).kind};
}

void simplest_layouts(Operation& operation) {
  for (const auto side : kSides) {
    operation.*side = {.kind = std::min((operation.*side).kind, LayoutKind::contiguous)};
  }
}

void add_smaller_blocks(std::vector<Simplify>& list, const Operation& operation) {
  if (operation.counts.empty()) return;
  for (auto& changed : smaller(operation.counts)) {
    list.push_back([counts = operation.counts, changed = std::move(changed)](Operation& other) {
      if (other.counts == counts) other.counts = changed;
    });
  }
}

void add_simpler_layouts(std::vector<Simplify>& list, const Operation& operation) {
  for (const auto side : kSides) {
    const auto& layout = operation.*side;
    if (layout.kind == LayoutKind::dense) continue;
    for (const auto& changed : simpler(layout)) {
      list.push_back([side, layout, changed](Operation& other) {
        const bool one_type = traits_of(other.collective).reduces;
        for (const auto each : kSides) {
          if ((each == side || one_type) && other.*each == layout) other.*each = changed;
        }
      });
    }
  }
}

}  // namespace allprove
