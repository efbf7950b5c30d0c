// Nonblocking or blocking, the result is the same.
#include "properties/each.h"
#include "properties/twins.h"

namespace allprove {
namespace {

bool applies(const Operation&) { return true; }

PropertyResult check(const Trial& trial) {
  return judge_twins(trial, {.aspect = Aspect::mode,
                             .applies = applies,
                             .variation = "not blocking",
                             .plain = "blocking"});
}

}  // namespace

const Property kNonblockingEqualsBlocking = {
    .name = "nonblocking_equals_blocking",
    .claim = "A nonblocking or persistent call leaves what the same blocking call leaves.",
    .needs = "the same call blocking and not, with exact results",
    .check = check,
};

}  // namespace allprove
