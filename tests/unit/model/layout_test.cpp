// Layouts: where the elements of an item lie, whatever is drawn.
#include "framework/model/layout.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "framework/model/bytes.h"
#include "tests/unit/model/random_layout.h"
#include "tests/unit/model/random_values.h"

namespace allprove {
namespace {

constexpr int kRuns = 3000;

void for_random_layouts(const std::function<void(const Layout&, std::int64_t elements)>& check) {
  RandomStream random(11);
  for (int run = 0; run < kRuns; ++run) {
    const auto layout = random_layout(random);
    const auto elements = random_elements(random);
    SCOPED_TRACE(text_of(layout, elements));
    check(layout, elements);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Layout, round_trips_as_bytes) {
  for (std::uint64_t run = 0; run < 500; ++run) {
    const auto layout = Noise(run).value<Layout>();
    EXPECT_EQ(from_bytes<Layout>(to_bytes(layout)).value(), layout);
  }
  for (const auto name : names_of<LayoutKind>()) EXPECT_TRUE(from_name<LayoutKind>(name)) << name;
}

TEST(Layout, is_dense_and_valid_unless_said_otherwise) {
  EXPECT_TRUE(validate(Layout{}));
  EXPECT_TRUE(is_dense(type_map(Layout{}, 8, 1)));
}

TEST(Layout, refuses_fields_out_of_range_by_name) {
  const auto message = [](std::int64_t items, int gap) {
    Layout layout;
    layout.items = items;
    layout.gap = gap;
    const auto status = validate(layout);
    return status ? std::string("valid") : status.error().message.substr(0, 5);
  };
  EXPECT_EQ(message(kItemElementsMax, kLayoutGapMax), "valid");
  EXPECT_EQ(message(kItemElementsMax + 1, 0), "items");
  EXPECT_EQ(message(-1, 0), "items");
  EXPECT_EQ(message(0, kLayoutGapMax + 1), "gap: ");
  EXPECT_EQ(message(0, -1), "gap: ");
}

TEST(Layout, is_used_by_the_positions_of_its_mask) {
  Layout layout;
  layout.kind = LayoutKind::vector;
  EXPECT_EQ(layout_at(layout, 63), layout);
  layout.ranks = 0b101;
  EXPECT_EQ(layout_at(layout, 0), layout);
  EXPECT_EQ(layout_at(layout, 1), Layout{});
  EXPECT_EQ(layout_at(layout, 66), layout);
  EXPECT_EQ(layout_at(layout, 67), Layout{});
}

TEST(Layout, divides_blocks_into_items) {
  const auto elements = [](std::int64_t items, std::vector<std::int64_t> counts) {
    Layout layout;
    layout.kind = LayoutKind::vector;
    layout.items = items;
    return elements_per_item(layout, counts);
  };
  EXPECT_EQ(elements(3, {6, 0, 9}), 3);
  EXPECT_EQ(elements(3, {6, 0, 8}), 1);
  EXPECT_EQ(elements(3, {4, 4}), 1);
  EXPECT_EQ(elements(0, {4, 0, 4}), 4);
  EXPECT_EQ(elements(0, {4, 5}), 1);
  EXPECT_EQ(elements(0, {0, 0}), 1);
  EXPECT_EQ(elements(0, {}), 1);
  EXPECT_EQ(elements(0, {kItemElementsMax}), kItemElementsMax);
  EXPECT_EQ(elements(0, {kItemElementsMax + 1}), 1);
  EXPECT_EQ(elements_per_item(Layout{}, std::vector<std::int64_t>{6, 6}), 1);
}

// The elements stay within the bounds, and items lie an extent apart: so no two overlap.
TEST(Layout, keeps_all_elements_apart_and_within_the_bounds) {
  for_random_layouts([](const Layout& layout, std::int64_t elements) {
    const auto map = type_map(layout, 4, elements);
    ASSERT_EQ(map.elements(), elements);
    std::set<std::int64_t> seen;
    for (const auto offset : map.offsets) {
      EXPECT_EQ(offset % 4, 0);
      EXPECT_GE(offset, map.lower_bound);
      EXPECT_LE(offset + 4, map.lower_bound + map.extent);
      EXPECT_TRUE(seen.insert(offset).second) << offset;
    }
    EXPECT_EQ(first_byte(map, 3), *seen.begin());
    EXPECT_EQ(end_byte(map, 3), 2 * map.extent + *seen.rbegin() + 4);
    EXPECT_EQ(first_byte(map, 0), 0);
    EXPECT_EQ(end_byte(map, 0), 0);
  });
}

TEST(Layout, takes_no_more_room_than_its_gap_allows) {
  for_random_layouts([](const Layout& layout, std::int64_t elements) {
    const auto shape = item_shape(layout, elements);
    EXPECT_LE(shape.extent, 2 * (elements + 1) * (layout.gap + 1));
    if (layout.kind != LayoutKind::subarray) return;
    EXPECT_EQ(shape.extent, shape.matrix[0] * shape.matrix[1]);
  });
}

TEST(Layout, scales_with_the_size_of_the_element) {
  for_random_layouts([](const Layout& layout, std::int64_t elements) {
    const auto narrow = type_map(layout, 1, elements);
    const auto wide = type_map(layout, 32, elements);
    EXPECT_EQ(wide.extent, 32 * narrow.extent);
    EXPECT_EQ(wide.lower_bound, 32 * narrow.lower_bound);
    EXPECT_EQ(wide.offsets.back(), 32 * narrow.offsets.back());
  });
}

// What a layout is for: each of these must come up in the kinds that promise it.
TEST(Layout, covers_every_way_in_which_elements_can_lie_apart) {
  std::map<std::string, std::set<LayoutKind>> seen;
  for_random_layouts([&](const Layout& layout, std::int64_t elements) {
    const auto note = [&](const char* what, bool there) {
      if (there) seen[what].insert(layout.kind);
    };
    const auto map = type_map(layout, 1, elements);
    const auto& runs = item_shape(layout, elements).runs;
    const auto first = first_byte(map, 1);
    note("dense", is_dense(map));
    note("a hole", map.extent > elements);
    note("descending", map.offsets.back() < map.offsets.front());
    note("elements before the origin", first < 0);
    note("elements from behind the origin on", first > 0);
    note("a lower bound below 0", map.lower_bound < 0);
    note("room before", map.lower_bound < first);
    note("room behind", map.lower_bound + map.extent > end_byte(map, 1));
    note("unequal runs", runs.front().elements != runs.back().elements);
  });
  using enum LayoutKind;
  using Kinds = std::set<LayoutKind>;
  EXPECT_EQ(seen["dense"],
            (Kinds{dense, contiguous, vector, indexed, structure, resized, subarray}));
  EXPECT_EQ(seen["a hole"], (Kinds{vector, indexed, structure, resized, subarray}));
  EXPECT_EQ(seen["descending"], (Kinds{vector, indexed, resized}));
  EXPECT_EQ(seen["elements before the origin"], (Kinds{vector, indexed, resized}));
  EXPECT_EQ(seen["elements from behind the origin on"], (Kinds{indexed, structure, subarray}));
  EXPECT_EQ(seen["a lower bound below 0"], (Kinds{vector, indexed, resized}));
  EXPECT_EQ(seen["room before"], (Kinds{resized, subarray}));
  EXPECT_EQ(seen["room behind"], (Kinds{resized, subarray}));
  EXPECT_EQ(seen["unequal runs"], (Kinds{indexed, structure}));
}

}  // namespace
}  // namespace allprove
