// Buffers: where they lie, what their guards see, and what a write far beyond them does.
#include "framework/run/worker/buffer_pool.h"

#include <gtest/gtest.h>

#include <cstring>

namespace allprove {
namespace {

std::uintptr_t address(const Buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data);
}

TEST(BufferPool, BuffersStartAtTheirOffsetAndEndJustBeforeAPage) {
  BufferPool pool;
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 4096, 100'000, 3'000'001}) {
    for (const std::size_t offset : {0, 1, 8, 63}) {
      auto buffer = pool.acquire(bytes, offset);
      EXPECT_EQ(address(buffer) % 64, offset);
      EXPECT_GE(buffer.tail_bytes, kTailGuardBytesMin);
      EXPECT_LT(buffer.tail_bytes, 2 * kTailGuardBytesMin);
      EXPECT_EQ((address(buffer) + bytes + buffer.tail_bytes) % 4096, 0u);
      std::memset(buffer.data, 0xff, bytes);
      arm_guards(buffer);
      EXPECT_EQ(inspect_guards(buffer).bytes, 0);
      pool.release(buffer);
      EXPECT_FALSE(buffer);
    }
  }
}

TEST(BufferPool, AnEmptyBufferHasAnAddress) {
  BufferPool pool;
  EXPECT_NE(pool.acquire(0, 0).data, nullptr);
}

TEST(BufferPool, BuffersInUseDoNotOverlap) {
  BufferPool pool;
  auto a = pool.acquire(1000, 0);
  auto b = pool.acquire(1000, 0);
  arm_guards(a);
  arm_guards(b);
  std::memset(a.data, 1, a.bytes);
  std::memset(b.data, 2, b.bytes);
  EXPECT_EQ(a.data[999], std::byte{1});
  EXPECT_EQ(inspect_guards(a).bytes, 0);
  EXPECT_EQ(inspect_guards(b).bytes, 0);
}

TEST(BufferPool, AMappingServesAgain) {
  BufferPool pool;
  auto first = pool.acquire(5000, 0);
  const auto where = address(first);
  pool.release(first);
  EXPECT_EQ(address(pool.acquire(5000, 0)), where);
}

TEST(BufferPool, MemoryOfLargeBuffersIsGivenBack) {
  BufferPool pool;
  const std::size_t small = 1000;
  auto large = pool.acquire(BufferPool::kKeptBytesMax, 0);
  auto other = pool.acquire(small, 0);
  const auto where = address(other);
  pool.trim();
  EXPECT_EQ(pool.kept_bytes(), 0u) << "buffers in use are not given back";
  pool.release(large);
  pool.release(other);
  pool.trim();
  EXPECT_LE(pool.kept_bytes(), BufferPool::kKeptBytesMax);
  EXPECT_EQ(address(pool.acquire(small, 0)), where) << "the small one was kept";
}

TEST(Guards, EveryChangedByteOnEitherSideIsSeenAndCounted) {
  BufferPool pool;
  const auto buffer = pool.acquire(10, 0);
  const auto tail = static_cast<std::int64_t>(buffer.tail_bytes);
  for (std::int64_t place = -static_cast<std::int64_t>(kHeadGuardBytes); place <= tail; ++place) {
    if (place == 0) continue;
    arm_guards(buffer);
    auto* const at = place < 0 ? buffer.data + place : buffer.data + buffer.bytes + place - 1;
    *at ^= std::byte{0x10};
    const auto damage = inspect_guards(buffer);
    EXPECT_EQ(damage.bytes, 1);
    EXPECT_EQ(damage.place, place);
  }
}

TEST(Guards, TheChangeNearestToTheBufferIsTold) {
  BufferPool pool;
  const auto buffer = pool.acquire(10, 0);
  arm_guards(buffer);
  std::memset(buffer.data - 20, 0, 15);
  EXPECT_EQ(inspect_guards(buffer).place, -6);
  EXPECT_EQ(inspect_guards(buffer).bytes, 15);
  std::memset(buffer.data + buffer.bytes + 2, 0, 5);
  EXPECT_EQ(inspect_guards(buffer).place, 3);
  EXPECT_EQ(inspect_guards(buffer).bytes, 20);
}

TEST(GuardsDeathTest, AWriteFarBehindTheBufferCrashes) {
  BufferPool pool;
  const auto buffer = pool.acquire(1000, 8);
  EXPECT_DEATH(std::memset(buffer.data, 0, buffer.bytes + 2 * kTailGuardBytesMin), "");
}

TEST(GuardsDeathTest, AWriteFarBeforeTheSlotCrashes) {
  BufferPool pool;
  const auto buffer = pool.acquire(1000, 0);
  EXPECT_DEATH(buffer.data[-(16 << 10)] = std::byte{0}, "");
}

}  // namespace
}  // namespace allprove
