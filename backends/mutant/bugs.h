// The planted bugs by kind, each defined in the file of its name.
#pragma once

#include <span>

#include "backends/mutant/mutants.h"

namespace allprove::mutant {

// Collectives that bugs of several kinds are in.
inline constexpr Collectives kReductions = {
    Collective::reduce,         Collective::all_reduce, Collective::reduce_scatter_block,
    Collective::reduce_scatter, Collective::scan,       Collective::exscan};
inline constexpr Collectives kMoves = {Collective::broadcast,   Collective::gather,
                                       Collective::gatherv,     Collective::scatter,
                                       Collective::scatterv,    Collective::all_gather,
                                       Collective::all_gatherv, Collective::all_to_all,
                                       Collective::all_to_allv, Collective::all_to_allw};
inline constexpr Collectives kIrregular = {Collective::reduce_scatter, Collective::gatherv,
                                           Collective::scatterv,       Collective::all_gatherv,
                                           Collective::all_to_allv,    Collective::all_to_allw};
inline constexpr Collectives kWithData = kReductions | kMoves;

constexpr Mutant row(std::string_view name, std::string_view caught_by, std::string_view about,
                     Collectives on, Moment moment, void (*bug)(MutantCall&)) {
  return {name, caught_by, about, on, moment, bug};
}

std::span<const Mutant> sum_bugs();        // in the arithmetic
std::span<const Mutant> type_bugs();       // of types that are no plain numbers, of operators
std::span<const Mutant> reduction_bugs();  // in whose input is reduced, and where it goes
std::span<const Mutant> movement_bugs();   // in which block goes where
std::span<const Mutant> irregular_bugs();  // where blocks differ in size
std::span<const Mutant> in_place_bugs();
std::span<const Mutant> layout_bugs();        // of derived data types
std::span<const Mutant> memory_bugs();        // beside the buffers, or in the send buffer
std::span<const Mutant> call_bugs();          // in some calls, on some ranks
std::span<const Mutant> communicator_bugs();  // on some communicators
std::span<const Mutant> request_bugs();       // of nonblocking and persistent calls
std::span<const Mutant> relation_bugs();      // in a call that is related to an earlier one
std::span<const Mutant> neighbor_bugs();      // of neighborhood collectives
std::span<const Mutant> side_bugs();          // on intercommunicators
std::span<const Mutant> ending_bugs();        // no result, or too early

}  // namespace allprove::mutant
