#include "framework/model/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "framework/base/check.h"
#include "framework/base/random.h"

namespace allprove {
namespace {

using Run = ItemShape::Run;

constexpr std::int64_t kRunsMax = 6;  // of an indexed layout: enough for every order of three

// Free elements in one place: none only where the layout has none at all.
std::int64_t draw_hole(const Layout& layout, RandomStream& random) {
  return layout.gap == 0 ? 0 : random.between(1, layout.gap);
}

// A divisor of n, below n if there is one.
std::int64_t draw_divisor(std::int64_t n, RandomStream& random) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    if (d < n || n == 1) divisors.push_back(d);
    if (n / d < n && n / d != d) divisors.push_back(n / d);
  }
  return divisors[random.below(divisors.size())];
}

// Bounds without room around the runs: what MPI gives a type that nobody has resized.
void set_bounds(ItemShape& shape) {
  std::int64_t lower = std::numeric_limits<std::int64_t>::max();
  std::int64_t upper = std::numeric_limits<std::int64_t>::min();
  for (const auto& run : shape.runs) {
    lower = std::min(lower, run.at);
    upper = std::max(upper, run.at + run.elements);
  }
  shape.lower_bound = lower;
  shape.extent = upper - lower;
}

ItemShape contiguous(std::int64_t elements) {
  ItemShape shape;
  shape.runs = {{0, elements}};
  shape.extent = elements;
  return shape;
}

ItemShape vector(const Layout& layout, std::int64_t elements, RandomStream& random) {
  ItemShape shape;
  const auto length = draw_divisor(elements, random);
  const auto stride = (length + layout.gap) * (random.chance(1, 4) ? -1 : 1);
  for (std::int64_t i = 0; i < elements / length; ++i) shape.runs.push_back({i * stride, length});
  set_bounds(shape);
  return shape;
}

// Runs of random lengths that together have all elements.
std::vector<Run> draw_runs(std::int64_t elements, RandomStream& random) {
  const auto most = std::min(elements, kRunsMax);
  auto left = random.between(std::min(most, std::int64_t{2}), most);
  std::vector<Run> runs;
  for (; left > 1; --left) {
    const auto length = random.between(1, elements - (left - 1));
    runs.push_back({0, length});
    elements -= length;
  }
  runs.push_back({0, elements});
  return runs;
}

// Gives the runs places, ascending in the order of `order`, from `at` on.
void place(std::vector<Run>& runs, const std::vector<std::size_t>& order, std::int64_t at,
           const Layout& layout, RandomStream& random) {
  for (const auto index : order) {
    runs[index].at = at;
    at += runs[index].elements + draw_hole(layout, random);
  }
}

std::vector<std::size_t> ascending(std::size_t size) {
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = i;
  return order;
}

ItemShape indexed(const Layout& layout, std::int64_t elements, RandomStream& random) {
  ItemShape shape;
  shape.runs = draw_runs(elements, random);
  auto order = ascending(shape.runs.size());
  if (random.chance(1, 3)) {
    std::ranges::reverse(order);
  } else {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  const auto begin = random.between(-layout.gap, layout.gap);
  place(shape.runs, order, begin, layout, random);
  set_bounds(shape);
  return shape;
}

ItemShape structure(const Layout& layout, std::int64_t elements, RandomStream& random) {
  ItemShape shape;
  shape.runs = draw_runs(elements, random);
  const auto begin = std::max(draw_hole(layout, random), std::int64_t{1});
  place(shape.runs, ascending(shape.runs.size()), begin, layout, random);
  set_bounds(shape);
  return shape;
}

ItemShape resized(const Layout& layout, std::int64_t elements, RandomStream& random) {
  auto shape = random.chance(1, 2) ? contiguous(elements) : vector(layout, elements, random);
  const auto where = random.below(3);
  const auto before = where == 0 ? 0 : draw_hole(layout, random);
  const auto behind = where == 1 ? 0 : draw_hole(layout, random);
  shape.lower_bound -= before;
  shape.extent += before + behind;
  return shape;
}

ItemShape subarray(const Layout& layout, std::int64_t elements, RandomStream& random) {
  const auto rows = draw_divisor(elements, random);
  const auto columns = elements / rows;
  // Whole rows are left out only in proportion: each may be long.
  const auto more_rows = std::min<std::int64_t>(layout.gap, rows);
  const auto first_row = random.between(0, more_rows);
  const auto first_column = random.between(0, layout.gap);
  const auto all_columns = columns + layout.gap;
  ItemShape shape;
  shape.matrix = {static_cast<int>(rows + more_rows), static_cast<int>(all_columns)};
  shape.corner = {static_cast<int>(first_row), static_cast<int>(first_column)};
  for (std::int64_t row = 0; row < rows; ++row) {
    shape.runs.push_back({(first_row + row) * all_columns + first_column, columns});
  }
  shape.extent = (rows + more_rows) * all_columns;
  return shape;
}

ItemShape shape_of(const Layout& layout, std::int64_t elements, RandomStream& random) {
  switch (layout.kind) {
    case LayoutKind::dense:
    case LayoutKind::contiguous:
      return contiguous(elements);
    case LayoutKind::vector:
      return vector(layout, elements, random);
    case LayoutKind::indexed:
      return indexed(layout, elements, random);
    case LayoutKind::structure:
      return structure(layout, elements, random);
    case LayoutKind::resized:
      return resized(layout, elements, random);
    case LayoutKind::subarray:
      return subarray(layout, elements, random);
  }
  return contiguous(elements);
}

}  // namespace

Status validate(const Layout& layout) {
  if (layout.items < 0 || layout.items > kItemElementsMax) {
    return usage_error(fmt::format("items: not in 0 to {}", kItemElementsMax));
  }
  if (layout.gap < 0 || layout.gap > kLayoutGapMax) {
    return usage_error(fmt::format("gap: not in 0 to {}", kLayoutGapMax));
  }
  return {};
}

Layout layout_at(const Layout& layout, int position) {
  return (layout.ranks >> (position % 64) & 1) != 0 ? layout : Layout{};
}

std::int64_t elements_per_item(const Layout& layout, std::span<const std::int64_t> block_counts) {
  if (layout.kind == LayoutKind::dense) return 1;
  if (layout.items > 0) {
    const bool divides = std::ranges::all_of(
        block_counts, [&](std::int64_t count) { return count % layout.items == 0; });
    return divides ? layout.items : 1;
  }
  std::int64_t common = 0;
  for (const auto count : block_counts) {
    if (count == 0) continue;
    if (common != 0 && count != common) return 1;
    common = count;
  }
  return common == 0 || common > kItemElementsMax ? 1 : common;
}

ItemShape item_shape(const Layout& layout, std::int64_t elements) {
  ALLPROVE_CHECK(validate(layout) && elements >= 1 && elements <= kItemElementsMax);
  RandomStream random(layout.seed);
  const bool in_bytes = random.chance(1, 2);
  auto shape = shape_of(layout, elements, random);
  shape.in_bytes = in_bytes;
  return shape;
}

TypeMap type_map(const Layout& layout, std::size_t element_bytes, std::int64_t elements_per_item) {
  const auto shape = item_shape(layout, elements_per_item);
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  TypeMap map;
  map.lower_bound = shape.lower_bound * bytes;
  map.extent = shape.extent * bytes;
  map.element_bytes = element_bytes;
  map.offsets.reserve(static_cast<std::size_t>(elements_per_item));
  for (const auto& run : shape.runs) {
    for (std::int64_t i = 0; i < run.elements; ++i) map.offsets.push_back((run.at + i) * bytes);
  }
  return map;
}

std::int64_t first_byte(const TypeMap& map, std::int64_t items) {
  return items == 0 ? 0 : std::ranges::min(map.offsets);
}

std::int64_t end_byte(const TypeMap& map, std::int64_t items) {
  if (items == 0) return 0;
  return (items - 1) * map.extent + std::ranges::max(map.offsets) +
         static_cast<std::int64_t>(map.element_bytes);
}

bool is_dense(const TypeMap& map) {
  const auto bytes = static_cast<std::int64_t>(map.element_bytes);
  if (map.extent != map.elements() * bytes) return false;
  for (std::size_t i = 1; i < map.offsets.size(); ++i) {
    if (map.offsets[i] != map.offsets[i - 1] + bytes) return false;
  }
  return true;
}

}  // namespace allprove
