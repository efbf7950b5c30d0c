// Bugs between the two sides of an intercommunicator.
#include "backends/mutant/bugs.h"

namespace allprove::mutant {
namespace {

const reference::Side& own_side(MutantCall& call) { return call.members().relations().own; }

void reduces_own_side(MutantCall& call) {
  const auto own = own_side(call);
  const bool scatters = call.arguments.collective != Collective::all_reduce;
  const auto block = scatters ? static_cast<std::size_t>(call.position() - own.begin) : 0;
  reduce_over(call, positions_between(own.begin, own.begin + own.size), block);
}

void gathers_own_side(MutantCall& call) {
  auto& relations = call.members().relations();
  const auto right = relations.other;
  relations.other = relations.own;
  call.perform();
  relations.other = right;
}

void reaches_first_alone(MutantCall& call) {
  const bool served = call.arguments.role == InterRole::remote;
  if (served && call.position() != own_side(call).begin) undo(call, call.result());
}

// The first side comes first among the members.
void root_on_second_side_gets_nothing(MutantCall& call) {
  const bool is_root = call.arguments.role == InterRole::root;
  if (is_root && own_side(call).begin > 0) undo(call, call.result());
}

// On intercommunicators, where no other bug is.
constexpr Mutant between(std::string_view name, std::string_view about, Collectives on,
                         Moment moment, void (*bug)(MutantCall&)) {
  auto mutant = row(name, "matches_reference", about, on, moment, bug);
  mutant.between_sides = true;
  return mutant;
}

constexpr Mutant kBugs[] = {
    between("inter_reduces_own_side",
            "On an intercommunicator each side gets the reduction of its own inputs.",
            {Collective::all_reduce, Collective::reduce_scatter, Collective::reduce_scatter_block},
            Moment::exchange, reduces_own_side),
    between("inter_gathers_own_side", "On an intercommunicator each side gathers from itself.",
            {Collective::all_gather, Collective::all_gatherv}, Moment::exchange, gathers_own_side),
    between("inter_broadcast_to_first",
            "A broadcast on an intercommunicator reaches the first rank of the other side alone.",
            {Collective::broadcast}, Moment::result, reaches_first_alone),
    between("inter_root_on_second_side",
            "A root on the second side of an intercommunicator gets nothing.",
            {Collective::reduce, Collective::gather, Collective::gatherv}, Moment::result,
            root_on_second_side_gets_nothing),
};

}  // namespace

std::span<const Mutant> side_bugs() { return kBugs; }

}  // namespace allprove::mutant
