// Cases as RapidCheck sees them: its Gen for drawing, its Shrinkable for the tree of simpler cases.
// The only header that shows RapidCheck.
#pragma once

#include <rapidcheck.h>

#include <memory>

#include "framework/model/case.h"
#include "framework/search/choices.h"

namespace allprove {

// Cases of a world of `ranks`, with their shrinks. The size parameter has no effect.
rc::Gen<Case> gen_case(std::shared_ptr<const Choices> choices, int ranks);

// The case with the tree of its shrinks, which are made as they are asked for.
rc::Shrinkable<Case> shrinkable_case(Case test_case);

}  // namespace allprove
