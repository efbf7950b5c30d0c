// The C++ types that for_dtype() knows, for explicit instantiation.
#pragma once

#include <cstdint>

#define ALLPROVE_FOR_INTEGERS(X) \
  X(std::int8_t)                 \
  X(std::int16_t)                \
  X(std::int32_t) X(std::int64_t) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
#define ALLPROVE_FOR_FLOATS(X) X(float) X(double)
#define ALLPROVE_FOR_TYPES(X) ALLPROVE_FOR_INTEGERS(X) ALLPROVE_FOR_FLOATS(X)
