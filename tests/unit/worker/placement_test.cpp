// Placement: packed arrays reach the buffer and come back, and a write between the elements shows.
#include "framework/run/worker/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "framework/base/check.h"
#include "tests/unit/model/random_layout.h"

namespace allprove {
namespace {

constexpr std::size_t kElementBytes = 3;  // odd, so that a wrong offset falls between elements

// Some blocks of a layout in any order, with or without free items between them.
struct Example {
  TypeMap map;
  std::vector<PlacedBlock> blocks;
};

Example random_example(RandomStream& random) {
  const auto layout = random_layout(random);
  Example example{type_map(layout, kElementBytes, random_elements(random)), {}};
  const auto count = random.below(5);
  std::int64_t at = random.between(-2, 2);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto items = random.between(0, 3);
    example.blocks.push_back({at * example.map.extent, items});
    at += items + (random.chance(1, 2) ? 0 : random.between(1, 2));
  }
  for (auto i = example.blocks.size(); i > 1; --i) {
    if (random.chance(1, 2)) std::swap(example.blocks[i - 1], example.blocks[random.below(i)]);
  }
  return example;
}

void for_random_examples(const std::function<void(const Example&, RandomStream&)>& check) {
  RandomStream random(23);
  for (int run = 0; run < 2000; ++run) {
    SCOPED_TRACE(run);
    check(random_example(random), random);
    if (testing::Test::HasFailure()) return;
  }
}

// The places of all elements in the order of the packed array, by the definition.
std::vector<std::int64_t> places_of(const Example& example) {
  std::vector<std::int64_t> places;
  for (const auto& block : example.blocks) {
    for (std::int64_t item = 0; item < block.items; ++item) {
      for (const auto offset : example.map.offsets) {
        places.push_back(block.displacement + item * example.map.extent + offset);
      }
    }
  }
  return places;
}

std::vector<std::byte> noise(std::int64_t bytes, RandomStream& random) {
  std::vector<std::byte> made(static_cast<std::size_t>(bytes));
  for (auto& byte : made) byte = static_cast<std::byte>(random.below(256));
  return made;
}

TEST(Placement, spans_the_elements_exactly) {
  for_random_examples([](const Example& example, RandomStream&) {
    const Placement placement(example.map, example.blocks);
    const auto places = places_of(example);
    const auto element = static_cast<std::int64_t>(kElementBytes);
    EXPECT_EQ(placement.packed_bytes(), static_cast<std::int64_t>(places.size()) * element);
    if (places.empty()) {
      EXPECT_EQ(placement.first_byte(), placement.end_byte());
      return;
    }
    EXPECT_EQ(placement.first_byte(), std::ranges::min(places));
    EXPECT_EQ(placement.end_byte(), std::ranges::max(places) + element);
  });
}

TEST(Placement, puts_every_element_in_its_place_and_takes_it_back) {
  for_random_examples([](const Example& example, RandomStream& random) {
    const Placement placement(example.map, example.blocks);
    const auto packed = noise(placement.packed_bytes(), random);
    auto buffer = noise(placement.end_byte() - placement.first_byte(), random);
    auto expected = buffer;
    const auto places = places_of(example);
    for (std::size_t i = 0; i < packed.size(); ++i) {
      const auto place = places[i / kElementBytes] + static_cast<std::int64_t>(i % kElementBytes);
      expected[static_cast<std::size_t>(place - placement.first_byte())] = packed[i];
    }
    placement.scatter(packed.data(), buffer.data() - placement.first_byte());
    EXPECT_EQ(buffer, expected) << "elements where they belong, and nothing else changed";
    auto back = noise(placement.packed_bytes(), random);
    placement.gather(buffer.data() - placement.first_byte(), back.data());
    EXPECT_EQ(back, packed);
  });
}

TEST(Placement, sees_a_change_of_any_gap_byte_and_of_no_element) {
  for_random_examples([](const Example& example, RandomStream& random) {
    const Placement placement(example.map, example.blocks);
    std::set<std::int64_t> elements;
    for (const auto place : places_of(example)) {
      for (std::int64_t i = 0; i < 3; ++i) elements.insert(place + i);
    }
    auto buffer = noise(placement.end_byte() - placement.first_byte(), random);
    const auto before = buffer;
    auto* const base = buffer.data() - placement.first_byte();
    placement.arm_gaps(base, 5);
    EXPECT_EQ(placement.inspect_gaps(base, 5), GapDamage{});
    EXPECT_EQ(placement.has_gaps(), elements.size() != buffer.size());
    for (int tries = 0; tries < 10 && !buffer.empty(); ++tries) {
      const auto at = random.between(placement.first_byte(), placement.end_byte() - 1);
      const auto kept = base[at];
      base[at] ^= std::byte{0x40};
      const auto expected = elements.contains(at) ? GapDamage{} : GapDamage{1, at};
      EXPECT_EQ(placement.inspect_gaps(base, 5), expected);
      base[at] = kept;
    }
    for (const auto at : elements) {
      EXPECT_EQ(base[at], before[static_cast<std::size_t>(at - placement.first_byte())]);
    }
  });
}

Layout with_gaps() {
  Layout layout;
  layout.kind = LayoutKind::structure;
  layout.gap = 7;
  return layout;
}

TEST(Placement, counts_all_changed_bytes_and_tells_the_first) {
  const auto map = type_map(with_gaps(), 8, 6);
  const Placement placement(map, {{0, 4}, {10 * map.extent, 1}});
  std::vector<std::byte> buffer(
      static_cast<std::size_t>(placement.end_byte() - placement.first_byte()));
  auto* const base = buffer.data() - placement.first_byte();
  placement.arm_gaps(base, 0);
  const auto hole = 5 * map.extent;
  for (std::int64_t i = 0; i < 2 * map.extent; ++i) base[hole + i] = std::byte{0};
  EXPECT_EQ(placement.inspect_gaps(base, 0), (GapDamage{2 * map.extent, hole}));
}

// A library that copies whole extents must not pass because all gaps look alike.
TEST(Placement, sees_gaps_that_were_copied_from_a_buffer_of_another_salt) {
  const auto map = type_map(with_gaps(), 4, 9);
  const Placement placement(map, {{0, 20}});
  std::vector<std::byte> one(static_cast<std::size_t>(placement.end_byte()));
  auto other = one;
  placement.arm_gaps(one.data(), 1);
  placement.arm_gaps(other.data(), 2);
  const auto gap_bytes = placement.end_byte() - placement.first_byte() - placement.packed_bytes();
  EXPECT_EQ(placement.inspect_gaps(other.data(), 1).bytes, gap_bytes);
}

TEST(Placement, places_blocks_by_extents) {
  const auto map = type_map(with_gaps(), 4, 3);
  const std::vector<std::int64_t> counts = {6, 0, 3};
  const std::vector<std::int64_t> displacements = {4, 0, 1};
  const auto blocks = placed_by_extent(map, counts, displacements);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].displacement, 4 * map.extent);
  EXPECT_EQ(blocks[0].items, 2);
  EXPECT_EQ(blocks[1].items, 0);
  EXPECT_EQ(blocks[2].items, 1);
  const std::vector<std::int64_t> uneven = {7, 0, 3};
  EXPECT_THROW(placed_by_extent(map, uneven, displacements), InternalError);
}

TEST(Placement, refuses_blocks_that_overlap) {
  const auto map = type_map(with_gaps(), 4, 3);
  EXPECT_THROW(Placement(map, {{0, 2}, {map.extent, 1}}), InternalError);
  EXPECT_NO_THROW(Placement(map, {{0, 2}, {map.extent, 0}}));
}

}  // namespace
}  // namespace allprove
