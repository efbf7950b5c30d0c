// Names that nothing else has: 64 random bits from the kernel, in hex.
#pragma once

#include <sys/random.h>

#include <cstdint>
#include <string>

#include "framework/base/check.h"

namespace allprove {

inline std::string random_id() {
  std::uint64_t bits = 0;
  ALLPROVE_CHECK(getrandom(&bits, sizeof bits, 0) == static_cast<ssize_t>(sizeof bits));
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(bits >> shift) & 15u];
  return text;
}

}  // namespace allprove
