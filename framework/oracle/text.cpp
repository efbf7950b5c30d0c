#include "framework/oracle/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "framework/oracle/oracle.h"
#include "framework/oracle/types.h"

namespace allprove {
namespace oracle {

template <class T>
std::string number_text(T value) {
  if constexpr (std::integral<T>) {
    return fmt::format("{}", value);
  } else {
    if (std::isnan(value)) return fmt::format("NaN (bits {:#x})", bits_of(value));
    const std::string decimal = fmt::format("{}", value);
    // The shortest decimal that reads back as this number, and the number itself: a wider format
    // tells them apart.
    const bool same = std::strtold(decimal.c_str(), nullptr) == static_cast<long double>(value);
    return same ? decimal : fmt::format("{} ({:a})", decimal, value);
  }
}

namespace {

std::string text_of(long double value) {
  if (std::isnan(value)) {
    const auto image = image_of(value);
    std::string bits;
    for (std::size_t i = kValueBytes<long double>; i > 0; --i) {
      bits += fmt::format("{:02x}", std::to_integer<unsigned>(image[i - 1]));
    }
    return fmt::format("NaN (bits 0x{})", bits);
  }
  const auto print = [value](const char* format) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return std::string(text.data());
  };
  const std::string decimal = print("%.18Lg");
  const bool is_whole = std::fabs(value) < 1e15L && value == std::trunc(value);
  return is_whole ? decimal : fmt::format("{} ({})", decimal, print("%La"));
}
template <class T>
requires std::is_arithmetic_v<T> std::string text_of(T value) { return number_text(value); }
std::string text_of(Boolean value) { return std::to_string(value.byte); }
template <class R>
std::string text_of(std::complex<R> value) {
  return fmt::format("({}, {})", number_text(value.real()), number_text(value.imag()));
}
template <class V>
std::string text_of(const Pair<V>& pair) {
  return fmt::format("({}, index {})", text_of(pair.value), pair.index);
}
template <class T, int kElements>
std::string text_of(const Operand<T, kElements>& operand) {
  return fmt::format("({})", fmt::join(operand.elements, ", "));
}

}  // namespace

template <class E>
std::string element_text(const E& element) {
  return text_of(element);
}

template <class T>
std::string range_text(const Expectation<T>& expectation, std::size_t i) {
  if (expectation.exact) return number_text(expectation.value[i]);
  if constexpr (std::floating_point<T>) {
    if (std::ranges::binary_search(expectation.loose, static_cast<std::int32_t>(i))) {
      return "NaN or one of the inputs";
    }
    const auto range = expectation.range(i);
    const auto high = static_cast<Bits<T>>(range.low + range.span);
    if (range.span == 0) return number_text(from_key<T>(range.low));
    if (range.low == KeyRange<T>::nan().low) return "NaN";
    if (range.low == KeyRange<T>::beyond_finite().low && range.span > 0) return "NaN or infinity";
    return fmt::format("between {} and {}", number_text(from_key<T>(range.low)),
                       number_text(from_key<T>(high)));
  }
  return {};
}

#define ALLPROVE_INSTANTIATE(T)           \
  template std::string number_text<T>(T); \
  template std::string range_text<T>(const Expectation<T>&, std::size_t);
ALLPROVE_FOR_TYPES(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

#define ALLPROVE_INSTANTIATE(E) template std::string element_text<E>(const E&);
ALLPROVE_FOR_ELEMENTS(ALLPROVE_INSTANTIATE)
ALLPROVE_FOR_FLOATS(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE
#define ALLPROVE_INSTANTIATE(T)                                           \
  template std::string element_text<Operand<T, 1>>(const Operand<T, 1>&); \
  template std::string element_text<Operand<T, 2>>(const Operand<T, 2>&); \
  template std::string element_text<Operand<T, 4>>(const Operand<T, 4>&);
ALLPROVE_FOR_INTEGERS(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

}  // namespace oracle

std::string element_text(Dtype dtype, const std::byte* element) {
  if (traits_of(dtype).plain) {
    return for_dtype(dtype,
                     [&]<class T>() { return oracle::number_text(oracle::load<T>(element, 0)); });
  }
  return oracle::for_element(
      dtype, [&]<class E>() { return oracle::element_text(oracle::element_at<E>(element)); });
}

}  // namespace allprove
