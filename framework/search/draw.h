// The one function that draws a case.
#pragma once

#include "framework/search/choices.h"

namespace allprove {

// Fault-free; every request is completed, every group used.
Case draw_case(const Choices& choices, int ranks, RandomStream stream);

}  // namespace allprove
