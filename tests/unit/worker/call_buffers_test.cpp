// The buffers of a call: what lies where before it, and what is seen of it afterwards. The test
// plays the library.
#include "framework/run/worker/call_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace allprove {
namespace {

using testing::ElementsAre;
using Values = std::vector<std::int32_t>;

constexpr int kMembers = 3;

// Of the family `ramp`: what a position gives as its element.
std::int32_t input(int position, int element) { return 2 * position + 1 + 10 * element; }

const std::int32_t kUntouchedValue = [] {
  std::int32_t value = 0;
  std::memset(&value, static_cast<int>(kUntouched), sizeof value);
  return value;
}();

Operation blocks_of_two(Collective collective) {
  Operation operation;
  operation.collective = collective;
  operation.shape = {2};
  return operation;
}

Operation with_counts(Collective collective, std::vector<std::int64_t> counts) {
  auto operation = blocks_of_two(collective);
  operation.counts = std::move(counts);
  return operation;
}

// One position of a group of three, ready for its call.
class Prepared {
 public:
  Prepared(Operation operation, int position) : operation_(std::move(operation)) {
    test_case_.ranks = kMembers;
    test_case_.program = {operation_};
    membership_ = membership_of(test_case_, 0, position);
    buffers_ = stage_.make(test_case_, operation_, membership_, arguments_);
    stage_.fill(test_case_, buffers_);
  }
  ~Prepared() { stage_.release(buffers_); }

  const BufferSide& send() const { return arguments_.send; }
  const BufferSide& receive() const { return arguments_.receive; }
  bool in_place() const { return arguments_.in_place; }

  Evidence judge() {
    Evidence evidence;
    stage_.judge(test_case_, buffers_, evidence);
    return evidence;
  }
  static std::int32_t& at(const BufferSide& side, std::int64_t element) {
    return reinterpret_cast<std::int32_t*>(side.data)[element];
  }
  static Values values(const BufferSide& side, std::int64_t count) {
    Values values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(at(side, i));
    return values;
  }
  static void write(const BufferSide& side, std::int64_t from, const Values& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      at(side, from + static_cast<std::int64_t>(i)) = values[i];
    }
  }

 private:
  Operation operation_;
  Case test_case_;
  Membership membership_;
  Stage stage_;
  CollectiveArguments arguments_;
  CallBuffers buffers_;
};

Operation in_place(Operation operation) {
  operation.in_place = true;
  return operation;
}

TEST(CallBuffers, OutOfPlaceTheInputIsSentAndTheOutputIsUntouched) {
  Prepared call(blocks_of_two(Collective::all_gather), 1);
  EXPECT_FALSE(call.in_place());
  EXPECT_EQ(call.send().count, 2);
  EXPECT_EQ(call.receive().count, 2);
  EXPECT_EQ(Prepared::values(call.send(), 2), (Values{input(1, 0), input(1, 1)}));
  EXPECT_EQ(Prepared::values(call.receive(), 6), Values(6, kUntouchedValue));
}

TEST(CallBuffers, InPlaceAGathersOwnBlockLiesAtItsPlaceAndTheOthersAreUntouched) {
  for (const auto collective : {Collective::gather, Collective::all_gather}) {
    auto operation = in_place(blocks_of_two(collective));
    operation.root = 1;
    Prepared call(operation, 1);
    EXPECT_TRUE(call.in_place());
    EXPECT_EQ(call.send().data, nullptr);
    const auto none = kUntouchedValue;
    EXPECT_THAT(Prepared::values(call.receive(), 6),
                ElementsAre(none, none, input(1, 0), input(1, 1), none, none));
  }
}

TEST(CallBuffers, InPlaceTheRootsGatherIsNotInPlaceOnTheOthers) {
  Prepared call(in_place(blocks_of_two(Collective::gather)), 2);
  EXPECT_FALSE(call.in_place());
  EXPECT_NE(call.send().data, nullptr);
  EXPECT_EQ(call.receive().data, nullptr);
}

TEST(CallBuffers, InPlaceAnAllToAllAndAReduceScatterHoldAllOfTheirInput) {
  for (const auto collective : {Collective::all_to_all, Collective::reduce_scatter_block}) {
    Prepared call(in_place(blocks_of_two(collective)), 2);
    EXPECT_EQ(call.send().data, nullptr);
    Values all;
    for (int i = 0; i < 6; ++i) all.push_back(input(2, i));
    EXPECT_EQ(Prepared::values(call.receive(), 6), all);
  }
}

TEST(CallBuffers, InPlaceTheRootsBlockOfAScatterStaysAndIsWatched) {
  Prepared call(in_place(with_counts(Collective::scatterv, {1, 0, 2})), 0);
  EXPECT_TRUE(call.in_place());
  EXPECT_EQ(call.receive().data, nullptr);
  EXPECT_THAT(call.send().counts, ElementsAre(1, 0, 2));
  EXPECT_EQ(call.judge().input_changed, 0);
  Prepared::at(call.send(), 2) += 1;
  EXPECT_EQ(call.judge().input_changed, 1);
}

TEST(CallBuffers, OfAReduceScatterInPlaceTheBeginningIsJudged) {
  Prepared call(in_place(with_counts(Collective::reduce_scatter, {1, 2, 1})), 1);
  EXPECT_THAT(call.receive().counts, ElementsAre(1, 2, 1));
  const auto sum = [](int element) {
    return input(0, element) + input(1, element) + input(2, element);
  };
  Prepared::write(call.receive(), 0, {sum(1), sum(2), -1, -1});
  const auto right = call.judge();
  EXPECT_TRUE(right.checked);
  EXPECT_EQ(right.wrong, 0);
  Prepared::at(call.receive(), 1) = 0;
  EXPECT_EQ(call.judge().wrong, 1);
}

TEST(CallBuffers, HolesLieBetweenBlocksAndBehindNone) {
  auto operation = with_counts(Collective::gatherv, {2, 0, 3});
  operation.holes = 4;
  Prepared call(operation, 0);
  EXPECT_THAT(call.receive().counts, ElementsAre(2, 0, 3));
  EXPECT_THAT(call.receive().displacements, ElementsAre(0, 6, 10));
  Prepared::write(call.receive(), 0, {input(0, 0), input(0, 1)});
  Prepared::write(call.receive(), 10, {input(2, 0), input(2, 1), input(2, 2)});
  auto evidence = call.judge();
  EXPECT_EQ(evidence.wrong + evidence.guard_changed, 0);
  Prepared::at(call.receive(), 5) ^= 1;
  evidence = call.judge();
  EXPECT_EQ(evidence.wrong, 0);
  EXPECT_EQ(evidence.guard_changed, 1);
  EXPECT_EQ(evidence.guard_place, "output, gap at byte 20");
}

TEST(CallBuffers, TheOrderOfBlocksInTheBufferIsDrawn) {
  auto operation = with_counts(Collective::gatherv, {2, 1, 3});
  bool moved = false;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    operation.order = seed;
    Prepared call(operation, 0);
    const auto& at = call.receive().displacements;
    EXPECT_EQ(*std::ranges::min_element(at), 0);
    for (int i = 0; i < kMembers; ++i) {
      Values block;
      for (int e = 0; e < operation.counts[std::size_t(i)]; ++e) block.push_back(input(i, e));
      Prepared::write(call.receive(), at[std::size_t(i)], block);
    }
    const auto evidence = call.judge();
    EXPECT_EQ(evidence.wrong + evidence.guard_changed, 0);
    moved |= !std::ranges::is_sorted(at);
  }
  EXPECT_TRUE(moved);
}

TEST(CallBuffers, ALoneBlockBeginsItsBufferWhateverTheHoles) {
  auto operation = with_counts(Collective::scatterv, {2, 1, 3});
  operation.holes = 4;
  operation.order = 7;
  Prepared call(operation, 2);
  EXPECT_EQ(call.receive().count, 3);
  EXPECT_THAT(call.receive().displacements, ElementsAre(0));
}

Layout pairs(LayoutKind kind) {
  Layout layout;
  layout.kind = kind;
  layout.items = 2;
  layout.gap = 3;
  layout.seed = 5;
  return layout;
}

// Where the elements of a side's items lie, from its base.
Placement placement_of(const BufferSide& side, std::int64_t items) {
  return Placement(type_map(side.layout, 4, side.elements_per_item), {{0, items}});
}

TEST(CallBuffers, ElementsOfALayoutLieApartAndAreWatched) {
  auto operation = blocks_of_two(Collective::gather);
  operation.shape = {4};
  for (const auto kind : {LayoutKind::vector, LayoutKind::indexed, LayoutKind::structure,
                          LayoutKind::resized, LayoutKind::subarray}) {
    SCOPED_TRACE(static_cast<int>(kind));
    operation.send_layout = operation.receive_layout = pairs(kind);
    Prepared call(operation, 0);
    EXPECT_EQ(call.send().layout.kind, kind);
    EXPECT_EQ(call.send().elements_per_item, 2);
    EXPECT_EQ(call.send().count, 2) << "items of a block";
    EXPECT_EQ(call.receive().count, 2);
    Values sent(4);
    auto* const packed = reinterpret_cast<std::byte*>(sent.data());
    placement_of(call.send(), 2).gather(call.send().data, packed);
    EXPECT_EQ(sent, (Values{input(0, 0), input(0, 1), input(0, 2), input(0, 3)}));
    Values all;
    for (int from = 0; from < kMembers; ++from) {
      for (int i = 0; i < 4; ++i) all.push_back(input(from, i));
    }
    const auto received = placement_of(call.receive(), 6);
    received.scatter(reinterpret_cast<const std::byte*>(all.data()), call.receive().data);
    EXPECT_EQ(call.judge().wrong, 0);
    EXPECT_EQ(call.judge().guard_changed, 0);
    // Whoever takes the buffer for a dense one writes into the gaps.
    if (!received.has_gaps()) continue;
    std::memset(call.receive().data + received.first_byte(), 0x11,
                static_cast<std::size_t>(received.end_byte() - received.first_byte()));
    EXPECT_GT(call.judge().guard_changed, 0);
    EXPECT_EQ(call.judge().wrong, 12);
  }
}

TEST(CallBuffers, APositionThatIsNotInTheMaskUsesTheBasicType) {
  auto operation = blocks_of_two(Collective::all_gather);
  operation.send_layout = pairs(LayoutKind::vector);
  operation.send_layout.ranks = 0b101;
  EXPECT_EQ(Prepared(operation, 2).send().layout.kind, LayoutKind::vector);
  Prepared call(operation, 1);
  EXPECT_EQ(call.send().layout.kind, LayoutKind::dense);
  EXPECT_EQ(call.send().count, 2) << "elements of a block";
}

TEST(CallBuffers, WhatANonRootOfABroadcastHasBeforeIsNoInput) {
  Prepared call(blocks_of_two(Collective::broadcast), 1);
  EXPECT_EQ(Prepared::values(call.receive(), 2), Values(2, kUntouchedValue));
  Prepared::write(call.receive(), 0, {input(0, 0), input(0, 1)});
  EXPECT_EQ(call.judge().wrong, 0);
}

TEST(CallBuffers, WhatTheFirstOfAnExclusiveScanFindsIsNotJudged) {
  Prepared first(blocks_of_two(Collective::exscan), 0);
  EXPECT_FALSE(first.judge().checked);
  Prepared alone(in_place(blocks_of_two(Collective::exscan)), 0);
  Prepared::at(alone.receive(), 0) += 1;
  EXPECT_EQ(alone.judge().input_changed, 0) << "its buffer is open to the library";
  Prepared second(blocks_of_two(Collective::exscan), 1);
  EXPECT_EQ(second.judge().wrong, 2);
}

}  // namespace
}  // namespace allprove
