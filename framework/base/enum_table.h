// One table of names per enum. An enum opts in by a constexpr function `enum_names(E)` found beside
// it, that returns an array of the names in the order of the enumerators, which must count from 0.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace allprove {

template <class E>
concept NamedEnum = requires(E e) {
  { enum_names(e)[0] } -> std::convertible_to<std::string_view>;
};

template <NamedEnum E>
inline constexpr auto kEnumNames = enum_names(E{});

template <NamedEnum E>
constexpr std::span<const std::string_view> names_of() {
  return kEnumNames<E>;
}

template <NamedEnum E>
constexpr std::string_view name_of(E value) {
  const auto names = names_of<E>();
  const auto index = static_cast<std::size_t>(value);
  return index < names.size() ? names[index] : std::string_view("?");
}

template <NamedEnum E>
constexpr std::optional<E> from_name(std::string_view name) {
  const auto names = names_of<E>();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<E>(i);
  }
  return std::nullopt;
}

// "a, b, c": what a message lists when a name is not known.
template <NamedEnum E>
std::string joined_names() {
  std::string text;
  for (const auto name : names_of<E>()) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace allprove
