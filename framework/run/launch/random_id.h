// Names that nothing else has: 64 random bits from the kernel, in hex.
#pragma once

#include <fmt/format.h>
#include <sys/random.h>

#include <cstdint>
#include <string>

#include "framework/base/check.h"

namespace allprove {

inline std::string random_id() {
  std::uint64_t bits = 0;
  ALLPROVE_CHECK(getrandom(&bits, sizeof bits, 0) == static_cast<ssize_t>(sizeof bits));
  return fmt::format("{:016x}", bits);
}

}  // namespace allprove
