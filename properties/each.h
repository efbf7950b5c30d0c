// Every property, defined in the file of its name. Used by the table alone.
#pragma once

#include "properties/property.h"

namespace allprove {

extern const Property kGuardIntact;
extern const Property kCompletes;
extern const Property kBarrierWaits;
extern const Property kInputUntouched;
extern const Property kMeanNeedsDivision;
extern const Property kInPlaceEqualsOutOfPlace;
extern const Property kNonblockingEqualsBlocking;
extern const Property kPermutationInvariant;
extern const Property kScalingLinear;
extern const Property kElementwise;
extern const Property kSplitEqualsWhole;
extern const Property kMatchesReference;
extern const Property kRanksAgree;
extern const Property kRepeatable;

}  // namespace allprove
