// Random values of the vocabulary, for round trips: every field of fields.h is drawn, so that a new
// field is covered as soon as it is listed there.
#pragma once

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/base/enum_table.h"
#include "framework/base/random.h"
#include "framework/model/fields.h"

namespace allprove {

// Fills any value with noise: enumerators evenly, numbers from their whole range or small, texts
// with what JSON must escape. Half of the optional fields keep their fallback.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}

  template <class T>
  T value() {
    T made{};
    fill(made);
    return made;
  }

  template <class T>
  void required(const char*, T& value) {
    fill(value);
  }
  template <class T>
  void optional(const char*, T& value, const T& fallback) {
    if (random_.chance(1, 2)) {
      fill(value);
    } else {
      value = fallback;
    }
  }

  template <class T>
  void fill(T& value) {
    if constexpr (NamedEnum<T>) {
      value = static_cast<T>(random_.below(names_of<T>().size()));
    } else if constexpr (std::is_same_v<T, bool>) {
      value = random_.chance(1, 2);
    } else if constexpr (std::is_integral_v<T>) {
      fill_number(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      fill_text(value);
    } else if constexpr (HasFields<T>) {
      fields(*this, value);
    } else if constexpr (requires { value.emplace(); }) {
      value.reset();
      if (random_.chance(1, 2)) fill(value.emplace());
    } else {
      value.clear();
      for (auto left = random_.below(4); left > 0; --left) fill(value.emplace_back());
    }
  }

  RandomStream& random() { return random_; }

 private:
  template <class T>
  void fill_number(T& value) {
    switch (random_.below(4)) {
      case 0:
        value = static_cast<T>(random_.below(10));
        break;
      case 1:
        value = std::numeric_limits<T>::max();
        break;
      case 2:
        value = std::numeric_limits<T>::min();
        break;
      default:
        value = static_cast<T>(random_.next());
    }
  }
  void fill_text(std::string& text) {
    static constexpr const char* kPieces[] = {"a",      " ",      "\"", "\\", "\n", "\t",    "\x01",
                                              "\u00e9", "\u4e2d", "{",  "]",  ":",  "0x1p-3"};
    text.clear();
    for (auto left = random_.below(6); left > 0; --left) {
      text += kPieces[random_.below(std::size(kPieces))];
    }
  }
  RandomStream random_;
};

// A case that validate() accepts, with every kind of group, operation, collective and fault.
Case valid_case(std::uint64_t seed);

}  // namespace allprove
