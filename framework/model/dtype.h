// Data types and operators, with one table of traits each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "framework/base/check.h"

namespace allprove {

// Pair types are named after their MPI names (MPI_FLOAT_INT is float_int).
enum class Dtype {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  float16,
  bfloat16,
  float8_e4m3,
  float8_e5m2,
  long_double,
  complex64,
  complex128,
  boolean,
  byte,
  aint,
  offset,
  count,
  float_int,
  double_int,
  long_int,
  two_int,
  short_int,
  long_double_int,
};

constexpr auto enum_names(Dtype) {
  return std::to_array<std::string_view>(
      {"int8",        "int16",       "int32",       "int64",          "uint8",      "uint16",
       "uint32",      "uint64",      "float32",     "float64",        "float16",    "bfloat16",
       "float8_e4m3", "float8_e5m2", "long_double", "complex64",      "complex128", "boolean",
       "byte",        "aint",        "offset",      "count",          "float_int",  "double_int",
       "long_int",    "two_int",     "short_int",   "long_double_int"});
}

enum class DtypeClass {
  signed_integer,
  unsigned_integer,
  address,  // MPI's "multi-language types": signed integers that have no logical operators
  floating,
  complex,
  logical,
  byte,
  pair
};

struct DtypeTraits {
  std::size_t bytes;  // size of one element in memory
  DtypeClass kind;
  bool plain;  // its elements are C++ integers, float or double: for_dtype() has their type
  bool runs;   // the oracle knows it
};
DtypeTraits traits_of(Dtype dtype);
inline std::size_t size_of(Dtype dtype) { return traits_of(dtype).bytes; }
inline bool is_integer(Dtype dtype) {
  const auto kind = traits_of(dtype).kind;
  return kind == DtypeClass::signed_integer || kind == DtypeClass::unsigned_integer ||
         kind == DtypeClass::address;
}
inline bool is_floating(Dtype dtype) { return traits_of(dtype).kind == DtypeClass::floating; }

// Whether arithmetic on the type may be rounded, so that more than one result may be right.
inline bool can_round(Dtype dtype) {
  return is_floating(dtype) || traits_of(dtype).kind == DtypeClass::complex;
}

// Whether a sum of the type can be divided by the number of its terms: the mean.
inline bool can_divide(Dtype dtype) { return is_integer(dtype) || can_round(dtype); }

// Calls f.template operator()<T>() with the C++ type of a plain dtype: the one place where such a
// dtype becomes a type. What the standard sets apart from integers in name only shares their types.
template <class F>
decltype(auto) for_dtype(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::int8:
      return f.template operator()<std::int8_t>();
    case Dtype::int16:
      return f.template operator()<std::int16_t>();
    case Dtype::int32:
      return f.template operator()<std::int32_t>();
    case Dtype::int64:
    case Dtype::aint:
    case Dtype::offset:
    case Dtype::count:
      return f.template operator()<std::int64_t>();
    case Dtype::uint8:
    case Dtype::byte:
      return f.template operator()<std::uint8_t>();
    case Dtype::uint16:
      return f.template operator()<std::uint16_t>();
    case Dtype::uint32:
      return f.template operator()<std::uint32_t>();
    case Dtype::uint64:
      return f.template operator()<std::uint64_t>();
    case Dtype::float32:
      return f.template operator()<float>();
    case Dtype::float64:
      return f.template operator()<double>();
    default:
      break;
  }
  throw InternalError("internal error: for_dtype() has no C++ type for this dtype");
}

enum class Op {
  sum,
  prod,
  min,
  max,
  band,
  bor,
  bxor,
  land,
  lor,
  lxor,
  minloc,
  maxloc,
  avg,  // the mean, where a library has it (ncclAvg)
  user_sum,
  user_affine,
  user_matrix,
};

constexpr auto enum_names(Op) {
  return std::to_array<std::string_view>({"sum", "prod", "min", "max", "band", "bor", "bxor",
                                          "land", "lor", "lxor", "minloc", "maxloc", "avg",
                                          "user_sum", "user_affine", "user_matrix"});
}

enum class OpClass { arithmetic, order, bitwise, logical, location, user };

struct OpTraits {
  OpClass kind;
  bool commutative;
};
OpTraits traits_of(Op op);

// Elements that make one operand: of a user-defined operator (user_operator.h) several, and the
// counts of its calls are multiples of it.
int width_of(Op op);

// Whether the MPI standard allows the operator on the type (MPI 4.0, section 6.9.2).
bool is_legal(Op op, Dtype dtype);

}  // namespace allprove
