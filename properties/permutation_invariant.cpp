// Which rank holds which input does not matter to a reduction over all of them.
#include "properties/each.h"
#include "properties/twins.h"

namespace allprove {
namespace {

bool applies(const Operation& operation) {
  const bool over_all =
      operation.collective == Collective::all_reduce || operation.collective == Collective::reduce;
  return over_all && traits_of(operation.op).commutative;
}

PropertyResult check(const Trial& trial) {
  return judge_twins(trial, {.aspect = Aspect::rotate,
                             .applies = applies,
                             .variation = "with its inputs moved to other ranks",
                             .plain = "with its inputs in order"});
}

}  // namespace

const Property kPermutationInvariant = {
    .name = "permutation_invariant",
    .claim = "Which rank holds which input does not change a reduction over all of them.",
    .needs = "the same reduction with its inputs moved to other ranks, with exact results",
    .check = check,
};

}  // namespace allprove
