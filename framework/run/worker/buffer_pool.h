// Buffers that tell when a library writes beyond them: guard bytes on both sides, and a page that
// may not be touched right behind, so that a small overrun shows and a large one crashes there.
// Mappings are kept between cases, since making one costs more than a small collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace allprove {

inline constexpr std::size_t kAlignment = 64;
inline constexpr std::size_t kHeadGuardBytes = 128;
inline constexpr std::size_t kTailGuardBytesMin = 64;  // and less than twice that

// A buffer of the pool; valid until it is released. Its address is valid also when it is empty.
struct Buffer {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t tail_bytes = 0;  // of the guard behind it
  int slot = -1;

  explicit operator bool() const { return slot >= 0; }
};

// Writes the pattern into the guards of a buffer.
void arm_guards(const Buffer& buffer);

struct GuardDamage {
  std::int64_t bytes = 0;  // changed, in both guards
  std::int64_t place =
      0;  // the nearest: +1 is the first byte behind the buffer, -1 the last before
};
GuardDamage inspect_guards(const Buffer& buffer);

// Not thread-safe.
class BufferPool {
 public:
  // After trim(), what is kept for later is at most this.
  static constexpr std::size_t kKeptBytesMax = std::size_t{40} << 20;

  BufferPool() = default;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();

  // A buffer that starts `offset` bytes (0 to 63) after a 64-byte boundary. Its bytes are whatever
  // they were. Throws InternalError when there is no memory.
  Buffer acquire(std::size_t bytes, std::size_t offset);
  void release(Buffer& buffer);

  // Gives memory that is not in use back, the largest first.
  void trim();
  std::size_t kept_bytes() const;

 private:
  struct Slot {
    std::byte* begin = nullptr;  // between two protected pages
    std::size_t bytes = 0;       // 0: not mapped
    bool used = false;
  };

  int find_slot(std::size_t bytes) const;
  int map_slot(std::size_t bytes);
  static void unmap(Slot& slot);

  std::vector<Slot> slots_;
};

}  // namespace allprove
