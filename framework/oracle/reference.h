// The generic reference: what a reduction may leave, worked out from the actual inputs of every
// rank. For all families and mixed calls; costs as much per element as there are ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/oracle/expectation.h"
#include "framework/oracle/input.h"

namespace allprove::oracle {

// Inputs of a block of elements: `ranks` rows of `count` numbers.
template <class T>
struct Inputs {
  const T* data = nullptr;
  std::size_t ranks = 0;
  std::size_t count = 0;

  const T* row(std::size_t rank) const { return data + rank * count; }
  T at(std::size_t rank, std::size_t i) const { return data[rank * count + i]; }
};

template <class T>
class Reference {
 public:
  // The result of `op` over the inputs of `sources` (at least one), for the operation's elements
  // [begin, begin + count), count <= kTilePeriod, as if none was altered; or, with `altered`, for
  // the one element `begin`, altered where a source says so.
  void reduce(Op op, std::span<const Source> sources, std::int64_t begin, std::int64_t count,
              bool altered, Workspace& workspace, Expectation<T>& to);

 private:
  std::vector<T> block_;
};

// The division of a sum's expectation by the number of ranks.
template <class T>
void divide(Expectation<T>& expectation, int ranks);

}  // namespace allprove::oracle
