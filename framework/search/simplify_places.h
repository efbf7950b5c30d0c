// Ways in which the blocks of an operation, and the places where they lie, get plainer.
#pragma once

#include <vector>

#include "framework/search/simplify.h"

namespace allprove {

// Blocks one after the other, of basic types.
void plain_places(Operation& operation);

// Layouts of the same kinds, or of the simplest, that leave nothing open.
void plain_layouts(Operation& operation);
void simplest_layouts(Operation& operation);

// Fewer blocks of sizes of their own, and smaller ones; layouts with smaller numbers, on fewer
// ranks. Each for all operations that hold the same.
void add_smaller_blocks(std::vector<Simplify>& list, const Operation& operation);
void add_simpler_layouts(std::vector<Simplify>& list, const Operation& operation);

}  // namespace allprove
