// The closed family: inputs f(element) combined with g(rank), and the result over any set of ranks
// in a time per element that does not grow with their number. Exact in every order of evaluation.
#pragma once

#include <cstdint>
#include <span>

#include "framework/oracle/input.h"

namespace allprove::oracle {

// Inputs of the source's rank, one for each of the shared numbers `hashes`; not scaled.
template <class T>
void closed_inputs(const Source& source, std::span<const std::uint32_t> hashes, T* to);

// The operator's result over the ranks `ids`, not scaled. `source` speaks for all of them: only its
// id is ignored.
template <class T>
void closed_results(const Source& source, std::span<const int> ids,
                    std::span<const std::uint32_t> hashes, T* to);

}  // namespace allprove::oracle
