#include "framework/run/worker/buffer_pool.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "framework/base/check.h"
#include "framework/run/worker/pattern.h"

namespace allprove {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kSlotBytesMin = std::size_t{16} << 10;
constexpr std::size_t kLargeBytes = std::size_t{1} << 20;
constexpr std::size_t kGuardBytesMax = std::max(kHeadGuardBytes, 2 * kTailGuardBytesMin);

constexpr auto kPattern = make_pattern<kGuardBytesMax>();

// Few sizes, so that slots serve again; a large one is not doubled.
std::size_t slot_bytes_for(std::size_t bytes) {
  if (bytes > kLargeBytes) return (bytes + kLargeBytes - 1) / kLargeBytes * kLargeBytes;
  return std::max(kSlotBytesMin, std::bit_ceil(bytes));
}

std::int64_t changed_bytes(const std::byte* guard, std::size_t bytes) {
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < bytes; ++i) changed += guard[i] != kPattern[i];
  return changed;
}

}  // namespace

void arm_guards(const Buffer& buffer) {
  std::memcpy(buffer.data - kHeadGuardBytes, kPattern.data(), kHeadGuardBytes);
  std::memcpy(buffer.data + buffer.bytes, kPattern.data(), buffer.tail_bytes);
}

GuardDamage inspect_guards(const Buffer& buffer) {
  const auto* head = buffer.data - kHeadGuardBytes;
  const auto* tail = buffer.data + buffer.bytes;
  const bool head_whole = std::memcmp(head, kPattern.data(), kHeadGuardBytes) == 0;
  const bool tail_whole = std::memcmp(tail, kPattern.data(), buffer.tail_bytes) == 0;
  GuardDamage damage;
  if (!head_whole) {
    damage.bytes += changed_bytes(head, kHeadGuardBytes);
    for (auto i = kHeadGuardBytes; i-- > 0 && damage.place == 0;) {
      if (head[i] != kPattern[i]) {
        damage.place = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(kHeadGuardBytes);
      }
    }
  }
  if (!tail_whole) {
    damage.bytes += changed_bytes(tail, buffer.tail_bytes);
    const auto first = std::mismatch(tail, tail + buffer.tail_bytes, kPattern.begin()).first;
    damage.place = first - tail + 1;
  }
  return damage;
}

BufferPool::~BufferPool() {
  for (auto& slot : slots_) unmap(slot);
}

Buffer BufferPool::acquire(std::size_t bytes, std::size_t offset) {
  ALLPROVE_CHECK(offset < kAlignment);
  const auto needed = bytes + kHeadGuardBytes + 2 * kTailGuardBytesMin;
  int index = find_slot(needed);
  if (index < 0) index = map_slot(needed);
  auto& slot = slots_[static_cast<std::size_t>(index)];
  slot.used = true;
  // As far back in the slot as its alignment allows.
  const auto last_start = slot.bytes - kTailGuardBytesMin - bytes;
  const auto start = (last_start - offset) / kAlignment * kAlignment + offset;
  return Buffer{slot.begin + start, bytes, slot.bytes - start - bytes, index};
}

void BufferPool::release(Buffer& buffer) {
  if (buffer.slot < 0) return;
  slots_[static_cast<std::size_t>(buffer.slot)].used = false;
  buffer = Buffer{};
}

void BufferPool::trim() {
  auto kept = kept_bytes();
  while (kept > kKeptBytesMax) {
    Slot* largest = nullptr;
    for (auto& slot : slots_) {
      if (!slot.used && (largest == nullptr || slot.bytes > largest->bytes)) largest = &slot;
    }
    kept -= largest->bytes;
    unmap(*largest);
  }
}

std::size_t BufferPool::kept_bytes() const {
  std::size_t total = 0;
  for (const auto& slot : slots_) total += slot.used ? 0 : slot.bytes;
  return total;
}

// The smallest free slot that is large enough.
int BufferPool::find_slot(std::size_t bytes) const {
  int best = -1;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto& slot = slots_[i];
    if (slot.used || slot.bytes < bytes) continue;
    if (best < 0 || slot.bytes < slots_[static_cast<std::size_t>(best)].bytes) {
      best = static_cast<int>(i);
    }
  }
  return best;
}

int BufferPool::map_slot(std::size_t bytes) {
  const auto size = slot_bytes_for(bytes);
  void* const memory = mmap(nullptr, size + 2 * kPageBytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  auto* const begin = static_cast<std::byte*>(memory) + kPageBytes;
  if (memory == MAP_FAILED || mprotect(begin, size, PROT_READ | PROT_WRITE) != 0) {
    throw InternalError(
        fmt::format("no memory for a buffer of {} bytes: {}", bytes, std::strerror(errno)));
  }
  auto free =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return s.bytes == 0; });
  if (free == slots_.end()) free = slots_.emplace(slots_.end());
  *free = Slot{begin, size, false};
  return static_cast<int>(free - slots_.begin());
}

void BufferPool::unmap(Slot& slot) {
  if (slot.bytes != 0) munmap(slot.begin - kPageBytes, slot.bytes + 2 * kPageBytes);
  slot = Slot{};
}

}  // namespace allprove
