#include "framework/oracle/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

}  // namespace oracle

std::string element_text(Dtype dtype, const std::byte* element) {
  return for_dtype(dtype,
                   [&]<class T>() { return oracle::number_text(oracle::load<T>(element, 0)); });
}

}  // namespace allprove
