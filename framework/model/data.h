// Where the numbers of an operation come from. No data is ever sent: every rank makes the inputs
// of any rank from this value. What the families mean is said, and computed, by
// framework/oracle/input.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace allprove {

enum class Family {
  ramp,     // 2*rank + 1 + 10*element (+ seed-free): small numbers that a person can check
  closed,   // f(element) combined with g(rank); every operator has a closed form over any ranks,
            // exact in every order of evaluation; integers over their whole range
  free,     // independent pseudo-random values over the whole range; floats are inexact
  special,  // free, with NaN, infinities, signed zeros, subnormals, and ties strewn in
};

constexpr auto enum_names(Family) {
  return std::to_array<std::string_view>({"ramp", "closed", "free", "special"});
}

// The inputs of one operation. Two operations of a program with related data (the same but for
// one field) are what the metamorphic properties compare.
struct Data {
  Family family = Family::ramp;
  std::uint64_t seed = 0;
  // The operation's element i is element first + i of the family: a call on a part of a buffer.
  std::int64_t first = 0;
  // Position p of the group holds the inputs of position (p + rotate) mod size: another rank
  // holds them, the set stays the same.
  int rotate = 0;
  // Inputs multiplied by a unit that keeps them exact: integers by 2*scale + 1 (odd, so that it
  // can be undone modulo 2^w), floats by 2^scale.
  int scale = 0;
  // The input at the operation's `cut` element differs (on every rank) from what it would be.
  bool altered = false;

  bool operator==(const Data&) const = default;
};

}  // namespace allprove
