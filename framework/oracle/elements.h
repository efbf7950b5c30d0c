// Elements that are no plain numbers (dtype.h): their C++ types, and their bytes without padding.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "framework/base/check.h"
#include "framework/model/dtype.h"

namespace allprove::oracle {

// C's bool as its byte: a library may leave another number than 0 and 1 in it.
struct Boolean {
  std::uint8_t byte = 0;
};

// What MPI's pair types look like in memory: a C structure (MPI 4.0, 6.9.4).
template <class V>
struct Pair {
  V value{};
  int index = 0;
};

// What a user-defined operator combines (user_operator.h).
template <class T, int kElements>
struct Operand {
  std::array<T, kElements> elements{};
};

// Elements of the call that an E stands for.
template <class E>
inline constexpr int kElementsOf = 1;
template <class T, int kElements>
inline constexpr int kElementsOf<Operand<T, kElements>> = kElements;

// Calls f.template operator()<E>() with the C++ type of a dtype that is not plain.
template <class F>
decltype(auto) for_element(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::long_double:
      return f.template operator()<long double>();
    case Dtype::complex64:
      return f.template operator()<std::complex<float>>();
    case Dtype::complex128:
      return f.template operator()<std::complex<double>>();
    case Dtype::boolean:
      return f.template operator()<Boolean>();
    case Dtype::float_int:
      return f.template operator()<Pair<float>>();
    case Dtype::double_int:
      return f.template operator()<Pair<double>>();
    case Dtype::long_int:
      return f.template operator()<Pair<long>>();
    case Dtype::two_int:
      return f.template operator()<Pair<int>>();
    case Dtype::short_int:
      return f.template operator()<Pair<short>>();
    case Dtype::long_double_int:
      return f.template operator()<Pair<long double>>();
    default:
      throw InternalError("internal error: for_element() has no C++ type for this dtype");
  }
}

// The same with the operand of the dtype and user-defined operator.
template <class F>
decltype(auto) for_operand(Dtype dtype, Op op, F&& f) {
  return for_dtype(dtype, [&]<class T>() -> decltype(auto) {
    if constexpr (std::is_integral_v<T>) {
      if (width_of(op) == 2) return f.template operator()<Operand<T, 2>>();
      if (width_of(op) == 4) return f.template operator()<Operand<T, 4>>();
      return f.template operator()<Operand<T, 1>>();
    } else {
      ALLPROVE_CHECK(false);  // validate() refuses it
      return f.template operator()<Operand<int, 1>>();
    }
  });
}

// Bytes of a number that hold its value; they come first. The x87 format has 80 bits.
template <class R>
inline constexpr std::size_t kValueBytes =
    std::is_same_v<R, long double>&& std::numeric_limits<R>::digits == 64 ? 10 : sizeof(R);

// The element's bytes, with zeros where they hold none of its value.
template <class E>
using Image = std::array<std::byte, sizeof(E)>;

template <class E>
Image<E> image_of(const E& element) {
  Image<E> image{};
  std::memcpy(image.data(), &element, kValueBytes<E>);
  return image;
}
template <class V>
Image<Pair<V>> image_of(const Pair<V>& pair) {
  Image<Pair<V>> image{};
  std::memcpy(image.data(), &pair.value, kValueBytes<V>);
  std::memcpy(image.data() + offsetof(Pair<V>, index), &pair.index, sizeof pair.index);
  return image;
}

template <class E>
E element_at(const std::byte* from) {
  E element;
  std::memcpy(&element, from, sizeof element);
  return element;
}

template <class E>
bool same_image(const E& a, const E& b) {
  return image_of(a) == image_of(b);
}

template <class V>
bool is_nan(V value) {
  if constexpr (std::is_floating_point_v<V>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

// Whether the bits are those of a number or a NaN: the x87 format has others, that no operation
// makes, with an integer bit that does not fit the exponent.
template <class V>
bool is_encoding(V value) {
  if constexpr (kValueBytes<V> == 10) {
    std::uint64_t significand = 0;
    std::uint16_t exponent = 0;
    std::memcpy(&significand, &value, sizeof significand);
    std::memcpy(&exponent, reinterpret_cast<const std::byte*>(&value) + 8, sizeof exponent);
    return (significand >> 63 != 0) == ((exponent & 0x7fff) != 0);
  } else {
    return true;
  }
}

}  // namespace allprove::oracle
