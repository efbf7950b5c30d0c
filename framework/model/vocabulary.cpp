// The trait tables of the vocabulary: one row per enumerator, in its order.
#include "framework/base/check.h"
#include "framework/model/collective.h"
#include "framework/model/dtype.h"

namespace allprove {
namespace {

template <class Table, class E>
auto row(const Table& table, E value) {
  const auto index = static_cast<std::size_t>(value);
  ALLPROVE_CHECK(index < table.size());
  return table[index];
}

}  // namespace

CollectiveTraits traits_of(Collective collective) {
  // moves_data, reduces, rooted, can_in_place, elementwise, irregular
  static constexpr std::array<CollectiveTraits, 22> table = {{
      {false, false, false, false, false, false},  // barrier
      {true, false, true, false, true, false},     // broadcast
      {true, true, true, true, true, false},       // reduce
      {true, true, false, true, true, false},      // all_reduce
      {true, true, false, true, false, false},     // reduce_scatter_block
      {true, true, false, true, false, true},      // reduce_scatter
      {true, true, false, true, true, false},      // scan
      {true, true, false, true, true, false},      // exscan
      {true, false, true, true, false, false},     // gather
      {true, false, true, true, false, true},      // gatherv
      {true, false, true, true, false, false},     // scatter
      {true, false, true, true, false, true},      // scatterv
      {true, false, false, true, false, false},    // all_gather
      {true, false, false, true, false, true},     // all_gatherv
      {true, false, false, true, false, false},    // all_to_all
      {true, false, false, true, false, true},     // all_to_allv
      {true, false, false, true, false, true},     // all_to_allw
      {true, false, false, false, false, false},   // neighbor_all_gather
      {true, false, false, false, false, true},    // neighbor_all_gatherv
      {true, false, false, false, false, false},   // neighbor_all_to_all
      {true, false, false, false, false, true},    // neighbor_all_to_allv
      {true, false, false, false, false, true},    // neighbor_all_to_allw
  }};
  static_assert(table.size() == enum_names(Collective{}).size());
  return row(table, collective);
}

DtypeTraits traits_of(Dtype dtype) {
  using enum DtypeClass;
  // bytes, kind, plain, runs
  static constexpr std::array<DtypeTraits, 28> table = {{
      {1, signed_integer, true, true},    // int8
      {2, signed_integer, true, true},    // int16
      {4, signed_integer, true, true},    // int32
      {8, signed_integer, true, true},    // int64
      {1, unsigned_integer, true, true},  // uint8
      {2, unsigned_integer, true, true},  // uint16
      {4, unsigned_integer, true, true},  // uint32
      {8, unsigned_integer, true, true},  // uint64
      {4, floating, true, true},          // float32
      {8, floating, true, true},          // float64
      {2, floating, false, false},        // float16
      {2, floating, false, false},        // bfloat16
      {1, floating, false, false},        // float8_e4m3
      {1, floating, false, false},        // float8_e5m2
      {16, floating, false, true},        // long_double
      {8, complex, false, true},          // complex64
      {16, complex, false, true},         // complex128
      {1, logical, false, true},          // boolean
      {1, byte, true, true},              // byte
      {8, address, true, true},           // aint
      {8, address, true, true},           // offset
      {8, address, true, true},           // count
      {8, pair, false, true},             // float_int
      {16, pair, false, true},            // double_int
      {16, pair, false, true},            // long_int
      {8, pair, false, true},             // two_int
      {8, pair, false, true},             // short_int
      {32, pair, false, true},            // long_double_int
  }};
  static_assert(table.size() == enum_names(Dtype{}).size());
  return row(table, dtype);
}

OpTraits traits_of(Op op) {
  using enum OpClass;
  static constexpr std::array<OpTraits, 16> table = {{
      {arithmetic, true},  // sum
      {arithmetic, true},  // prod
      {order, true},       // min
      {order, true},       // max
      {bitwise, true},     // band
      {bitwise, true},     // bor
      {bitwise, true},     // bxor
      {logical, true},     // land
      {logical, true},     // lor
      {logical, true},     // lxor
      {location, true},    // minloc
      {location, true},    // maxloc
      {arithmetic, true},  // avg
      {user, true},        // user_sum
      {user, false},       // user_affine
      {user, false},       // user_matrix
  }};
  static_assert(table.size() == enum_names(Op{}).size());
  return row(table, op);
}

int width_of(Op op) {
  switch (op) {
    case Op::user_affine:
      return 2;
    case Op::user_matrix:
      return 4;
    default:
      return 1;
  }
}

bool is_legal(Op op, Dtype dtype) {
  using enum DtypeClass;
  const auto type = traits_of(dtype).kind;
  const bool c_integer = type == signed_integer || type == unsigned_integer;
  switch (traits_of(op).kind) {
    case OpClass::arithmetic:
      return c_integer || type == address || type == floating || type == complex;
    case OpClass::order:
      return c_integer || type == address || type == floating;
    case OpClass::bitwise:
      return c_integer || type == address || type == byte;
    case OpClass::logical:
      return c_integer || type == logical;
    case OpClass::location:
      return type == pair;
    case OpClass::user:
      return c_integer || type == address;
  }
  return false;
}

}  // namespace allprove
