#include "framework/oracle/divide.h"

#include <cstring>

#include "framework/oracle/elements.h"
#include "framework/oracle/numbers.h"

namespace allprove {
namespace {

template <class E>
E divided_element(const E& element, int size) {
  if constexpr (requires { element.real(); }) {
    using R = typename E::value_type;
    return {element.real() / static_cast<R>(size), element.imag() / static_cast<R>(size)};
  } else if constexpr (std::is_floating_point_v<E>) {
    return element / static_cast<E>(size);
  } else {
    ALLPROVE_CHECK(false);  // validate() refuses it
    return element;
  }
}

void divide_elements(Dtype dtype, std::byte* data, std::int64_t count, int size) {
  oracle::for_element(dtype, [&]<class E>() {
    for (std::int64_t i = 0; i < count; ++i, data += sizeof(E)) {
      const auto image = oracle::image_of(divided_element(oracle::element_at<E>(data), size));
      std::memcpy(data, image.data(), image.size());
    }
  });
}

}  // namespace

void divide_by_size(Dtype dtype, std::byte* data, std::int64_t count, int size) {
  if (!traits_of(dtype).plain) return divide_elements(dtype, data, count, size);
  for_dtype(dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      const T value = oracle::divided(oracle::load<T>(data, i), size);
      std::memcpy(data + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
    }
  });
}

}  // namespace allprove
