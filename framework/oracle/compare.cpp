#include "framework/oracle/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "framework/oracle/types.h"

namespace allprove::oracle {
namespace {

template <class T>
bool is_choice(const Expectation<T>& expectation, std::size_t loose, T got) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(got)) return true;
  }
  const std::size_t ranks = expectation.choices.size() / expectation.loose.size();
  const auto begin = expectation.choices.begin() + static_cast<std::ptrdiff_t>(loose * ranks);
  return std::find(begin, begin + static_cast<std::ptrdiff_t>(ranks), got) !=
         begin + static_cast<std::ptrdiff_t>(ranks);
}

// Whether all are within their ranges: without a branch, so that it vectorizes.
template <class T>
bool all_within(const Expectation<T>& expectation, std::size_t at, const std::byte* got,
                std::int64_t count) {
  const Bits<T>* low = expectation.low.data() + at;
  const Bits<T>* span = expectation.span.data() + at;
  Bits<T> outside = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    outside |=
        static_cast<Bits<T>>(static_cast<Bits<T>>(key_of(load<T>(got, i)) - low[i]) > span[i]);
  }
  return outside == 0;
}

}  // namespace

template <class T>
void compare_bits(const T* expected, const std::byte* got, std::int64_t index, std::int64_t count,
                  Wrong& wrong) {
  if (std::memcmp(expected, got, static_cast<std::size_t>(count) * sizeof(T)) == 0) return;
  for (std::int64_t i = 0; i < count; ++i) {
    if (bits_of(load<T>(got, i)) != bits_of(expected[i])) wrong.add(index + i);
  }
}

template <class T>
void compare(const Expectation<T>& expectation, std::size_t at, const std::byte* got,
             std::int64_t index, std::int64_t count, Wrong& wrong) {
  if (expectation.exact) {
    return compare_bits(expectation.value.data() + at, got, index, count, wrong);
  }
  const auto loose = std::ranges::lower_bound(expectation.loose, static_cast<std::int32_t>(at));
  auto next_loose = static_cast<std::size_t>(loose - expectation.loose.begin());
  const bool some_loose = next_loose < expectation.loose.size() &&
                          expectation.loose[next_loose] < static_cast<std::int64_t>(at) + count;
  if (!some_loose && all_within(expectation, at, got, count)) return;
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = load<T>(got, i);
    const std::size_t element = at + static_cast<std::size_t>(i);
    bool right = expectation.range(element).holds(value);
    if (next_loose < expectation.loose.size() &&
        static_cast<std::size_t>(expectation.loose[next_loose]) == element) {
      right = is_choice(expectation, next_loose++, value);
    }
    if (!right) wrong.add(index + i);
  }
}

#define ALLPROVE_INSTANTIATE(T)                                                                \
  template void compare<T>(const Expectation<T>&, std::size_t, const std::byte*, std::int64_t, \
                           std::int64_t, Wrong&);                                              \
  template void compare_bits<T>(const T*, const std::byte*, std::int64_t, std::int64_t, Wrong&);
ALLPROVE_FOR_TYPES(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

}  // namespace allprove::oracle
