// The C++ types that for_dtype(), for_element() and for_operand() know, for explicit instantiation.
#pragma once

#include <cstdint>

#define ALLPROVE_FOR_INTEGERS(X) \
  X(std::int8_t)                 \
  X(std::int16_t)                \
  X(std::int32_t) X(std::int64_t) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
#define ALLPROVE_FOR_FLOATS(X) X(float) X(double)
#define ALLPROVE_FOR_TYPES(X) ALLPROVE_FOR_INTEGERS(X) ALLPROVE_FOR_FLOATS(X)

// Include elements.h for these.
#define ALLPROVE_FOR_ELEMENTS(X)                                                      \
  X(long double)                                                                      \
  X(std::complex<float>)                                                              \
  X(std::complex<double>)                                                             \
  X(Boolean) X(Pair<float>) X(Pair<double>) X(Pair<long>) X(Pair<int>) X(Pair<short>) \
      X(Pair<long double>)
