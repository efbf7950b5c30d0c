// What is linear in its inputs scales with them.
#include "properties/each.h"
#include "properties/twins.h"

namespace allprove {
namespace {

bool applies(const Operation& operation) {
  return operation.op == Op::sum || operation.op == Op::min || operation.op == Op::max;
}

PropertyResult check(const Trial& trial) {
  return judge_twins(
      trial,
      {.aspect = Aspect::scale, .applies = applies, .variation = "scaled", .plain = "not scaled"});
}

}  // namespace

const Property kScalingLinear = {
    .name = "scaling_linear",
    .claim = "Inputs multiplied by a factor give the result multiplied by it.",
    .needs = "the same sum, minimum or maximum with its inputs scaled, with exact results",
    .check = check,
};

}  // namespace allprove
