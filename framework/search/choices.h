// A space worked out into lists to draw from, once for a generator.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/search/generate.h"
#include "framework/search/pattern.h"

namespace allprove {

struct TypedOp {
  Dtype dtype;
  Op op;
};

// Whether the pattern may be of data that is only moved, as far as its operands go.
inline bool may_move(const Pattern& pattern) {
  return pattern.operands == Operands::any || pattern.operands == Operands::predefined;
}

// An entry that stands in a list several times is drawn so much more often.
struct Choices {
  Choices(std::uint64_t seed_of_run, const Space& space);

  std::uint64_t seed;
  std::vector<int> sizes;  // of the world
  bool barriers = false;
  std::vector<Collective> reducing;
  std::vector<Collective> moving;
  std::vector<Dtype> dtypes;                        // for what moves data without reducing it
  std::vector<TypedOp> reductions[kOperandsKinds];  // by Operands; empty: none can be drawn
  std::vector<const Pattern*> patterns;             // that may be drawn besides single operations
  std::vector<const Pattern*> demanded;   // one of which every case must hold; empty: no demand
  std::vector<std::uint64_t> groups;      // entries of the pool (group.h)
  std::vector<std::uint64_t> two_sided;   // those of them that are intercommunicators
  std::vector<std::uint64_t> topologies;  // those of them that have neighbors
  bool algorithms = true;
  std::int64_t bytes_max = 0;
  LargeCases large;
  int operations_max = 1;
  int series_max = 0;   // see Space
  bool probes = false;  // see Space
  int threads = 1;

  const std::vector<TypedOp>& reductions_for(Operands operands) const {
    return reductions[static_cast<std::size_t>(operands)];
  }
};

// The size of the world for case `number`: the same for kCasesPerRun of them. Every size comes once
// before any comes more often than its weight.
inline constexpr std::uint64_t kCasesPerRun = 64;
int ranks_at(const Choices& choices, std::uint64_t number);

}  // namespace allprove
