#include "framework/oracle/divide.h"

#include <cstring>

#include "framework/oracle/numbers.h"

namespace allprove {

void divide_by_size(Dtype dtype, std::byte* data, std::int64_t count, int size) {
  for_dtype(dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      const T value = oracle::divided(oracle::load<T>(data, i), size);
      std::memcpy(data + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
    }
  });
}

}  // namespace allprove
