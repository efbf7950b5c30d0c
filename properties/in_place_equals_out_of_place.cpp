// In place or not, the result is the same.
#include "properties/each.h"
#include "properties/twins.h"

namespace allprove {
namespace {

bool applies(const Operation&) { return true; }

PropertyResult check(const Trial& trial) {
  return judge_twins(trial, {.aspect = Aspect::in_place,
                             .applies = applies,
                             .variation = "in place",
                             .plain = "out of place"});
}

}  // namespace

const Property kInPlaceEqualsOutOfPlace = {
    .name = "in_place_equals_out_of_place",
    .claim = "A call in place leaves what the same call out of place leaves.",
    .needs = "the same call in place and out of place, with exact results",
    .check = check,
};

}  // namespace allprove
