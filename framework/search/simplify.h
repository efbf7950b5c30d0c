// Ways in which one operation gets plainer.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "framework/model/case.h"

namespace allprove {

// Leaves an operation for which it has nothing to do as it is.
using Simplify = std::function<void(Operation&)>;

void to_world(Operation& operation);
void one_element(Operation& operation);

// Everything about the data, the manner of the call, or the type at once.
void plain_data(Operation& operation);
void plain_manner(Operation& operation);
void plain_type(Operation& operation);

// One thing each, the most telling first.
using PlainStep = void (*)(Operation&);
std::span<const PlainStep> plain_steps();

// Smaller extents and numbers on the way from those of `operation`, for it and for all operations
// that hold the same: twins stay twins.
std::vector<Simplify> number_steps(const Operation& operation);

// Numbers from `least` up to below `value`, the boldest first: `least`, then half of the way, ...
std::vector<std::int64_t> towards(std::int64_t value, std::int64_t least);

}  // namespace allprove
