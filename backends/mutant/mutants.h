// The planted bugs: each shows that some property can fail. One row per mutant, in the file of its
// kind (bugs.h); mutants.cpp puts them together.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "backends/mutant/mutant_call.h"

namespace allprove::mutant {

// Collectives that a bug is in.
class Collectives {
 public:
  constexpr Collectives(std::initializer_list<Collective> all) {
    for (const auto collective : all) bits_ |= bit(collective);
  }
  constexpr Collectives operator|(Collectives other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr bool contains(Collective collective) const { return (bits_ & bit(collective)) != 0; }

 private:
  static constexpr std::uint64_t bit(Collective collective) {
    return std::uint64_t{1} << static_cast<unsigned>(collective);
  }
  std::uint64_t bits_ = 0;
};

// When in a call a bug strikes. All members pass through these in order.
enum class Moment {
  arguments,  // before anything is done: it misreads them
  input,      // it gives something else than the member's input
  exchange,   // it takes the place of what the members do together
  result,     // it changes what the member got
  memory,     // when the result is in its place: it writes elsewhere
};

struct Mutant {
  std::string_view name;
  std::string_view caught_by;  // the property that must fail
  std::string_view about;      // what it does wrong, as a sentence
  Collectives on;
  Moment moment = Moment::result;
  void (*bug)(MutantCall& call) = nullptr;
};

std::span<const Mutant> all_mutants();
const Mutant* find_mutant(std::string_view name);

}  // namespace allprove::mutant
