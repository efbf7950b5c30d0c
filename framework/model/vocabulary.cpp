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
  static constexpr std::array<DtypeTraits, 28> table = {{
      {1, signed_integer, true},
      {2, signed_integer, true},
      {4, signed_integer, true},
      {8, signed_integer, true},
      {1, unsigned_integer, true},
      {2, unsigned_integer, true},
      {4, unsigned_integer, true},
      {8, unsigned_integer, true},
      {4, floating, true},
      {8, floating, true},
      {2, floating, false},
      {2, floating, false},
      {1, floating, false},
      {1, floating, false},
      {16, floating, false},
      {8, complex, false},
      {16, complex, false},
      {1, logical, false},
      {1, byte, false},
      {8, signed_integer, false},
      {8, signed_integer, false},
      {8, signed_integer, false},
      {8, pair, false},
      {16, pair, false},
      {16, pair, false},
      {8, pair, false},
      {8, pair, false},
      {32, pair, false},
  }};
  static_assert(table.size() == enum_names(Dtype{}).size());
  return row(table, dtype);
}

OpTraits traits_of(Op op) {
  using enum OpClass;
  static constexpr std::array<OpTraits, 15> table = {{
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
      {user, true},        // user_commutative
      {user, false},       // user_noncommutative
  }};
  static_assert(table.size() == enum_names(Op{}).size());
  return row(table, op);
}

bool is_legal(Op op, Dtype dtype) {
  using enum DtypeClass;
  const auto type = traits_of(dtype).kind;
  const bool integer = type == signed_integer || type == unsigned_integer;
  switch (traits_of(op).kind) {
    case OpClass::arithmetic:
      return integer || type == floating || type == complex;
    case OpClass::order:
      return integer || type == floating;
    case OpClass::bitwise:
      return integer || type == byte;
    case OpClass::logical:
      return integer || type == logical;
    case OpClass::location:
      return type == pair;
    case OpClass::user:
      return true;
  }
  return false;
}

}  // namespace allprove
