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

// Simpler cases, the boldest first, each made when it is asked for. All are valid, and smaller by
// weight_of() than the case itself, so that following them always ends.
rc::Seq<Case> shrinks(const Case& test_case);

// The case with the tree of its shrinks.
rc::Shrinkable<Case> shrinkable_case(Case test_case);

}  // namespace allprove
