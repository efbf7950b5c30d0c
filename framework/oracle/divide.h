// The explicit division that makes a mean of a sum.
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/model/dtype.h"

namespace allprove {

// Divides `count` elements, unaligned if need be, by the size of the communicator: integers
// truncate toward zero, floats are rounded once. `size` >= 1.
void divide_by_size(Dtype dtype, std::byte* data, std::int64_t count, int size);

namespace oracle {

template <class T>
T divided(T value, int size) {
  if constexpr (sizeof(T) < 4) {
    return static_cast<T>(value / size);
  } else {
    return value / static_cast<T>(size);
  }
}

}  // namespace oracle
}  // namespace allprove
