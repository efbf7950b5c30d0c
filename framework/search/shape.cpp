#include "framework/search/shape.h"

#include <algorithm>
#include <iterator>

namespace allprove {
namespace {

// Bytes at which libraries change protocol, algorithm or segment, or vector code its stride.
constexpr std::int64_t kSmallSwitches[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr std::int64_t kMediumSwitches[] = {8192, 10000, 12288, 16384, 32768, 65536};
constexpr std::int64_t kLargeSwitches[] = {80000, 131072, 262144, 524288, 1048576};

std::int64_t beside(std::int64_t value, RandomStream& stream) {
  return value + stream.between(-1, 1);
}

template <std::size_t N>
std::int64_t pick(const std::int64_t (&values)[N], RandomStream& stream) {
  return values[stream.below(N)];
}

std::int64_t draw_count(const ShapeLimits& limits, RandomStream& stream) {
  const auto at_switch = [&](std::int64_t bytes) {
    return beside(bytes / limits.element_bytes, stream);
  };
  const auto kind = stream.below(100);
  if (kind < 5) return 0;
  if (kind < 20) return stream.between(1, 4);
  if (kind < 35) return beside(limits.ranks * stream.between(1, 6), stream);
  if (kind < 57) return stream.between(5, 100);
  if (kind < 74) return beside(std::int64_t{1} << stream.between(0, 10), stream);
  if (kind < 91) return at_switch(pick(kSmallSwitches, stream));
  if (kind < 95) return stream.between(101, 3000);
  if (kind < 99) return at_switch(pick(kMediumSwitches, stream));
  return at_switch(pick(kLargeSwitches, stream));
}

// A divisor of the count that leaves something to divide, where there is a small one.
std::int64_t draw_divisor(std::int64_t count, RandomStream& stream) {
  constexpr std::int64_t kDivisors[] = {2, 3, 4, 5, 7, 8};
  const auto offset = stream.below(std::size(kDivisors));
  for (std::size_t i = 0; i < std::size(kDivisors); ++i) {
    const auto divisor = kDivisors[(offset + i) % std::size(kDivisors)];
    if (count > divisor && count % divisor == 0) return divisor;
  }
  return 1;
}

// The count as a product of extents, in any order. Where it has few divisors, some are 1.
std::vector<std::int64_t> factors(std::int64_t count, int dimensions, RandomStream& stream) {
  std::vector<std::int64_t> shape;
  for (int i = 1; i < dimensions; ++i) {
    // An empty tensor has an extent 0 among others that are not.
    const auto extent = count == 0 ? stream.between(1, 4) : draw_divisor(count, stream);
    shape.push_back(extent);
    if (count > 0) count /= extent;
  }
  shape.insert(shape.begin() + stream.between(0, std::ssize(shape)), count);
  return shape;
}

// Small extents, whatever their product.
std::vector<std::int64_t> box(int dimensions, RandomStream& stream) {
  std::vector<std::int64_t> shape;
  for (int i = 0; i < dimensions; ++i) shape.push_back(stream.between(1, 6));
  return shape;
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const auto extent : shape) count *= extent;
  return count;
}

}  // namespace

std::vector<std::int64_t> draw_shape(const ShapeLimits& limits, RandomStream& stream) {
  const auto kind = stream.below(100);
  if (kind < 6 && limits.count_min <= 1) return {};
  const int dimensions = kind < 55 ? 1 : static_cast<int>(stream.between(2, 5));
  if (dimensions > 1 && stream.chance(1, 3)) {
    auto shape = box(dimensions, stream);
    if (const auto count = product(shape); count >= limits.count_min && count <= limits.count_max) {
      return shape;
    }
  }
  const auto count = std::clamp(draw_count(limits, stream), limits.count_min, limits.count_max);
  return factors(count, dimensions, stream);
}

}  // namespace allprove
