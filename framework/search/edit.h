// Changes to a whole case that keep it valid.
#pragma once

#include <functional>
#include <vector>

#include "framework/model/case.h"

namespace allprove {

// Removes the ranks that are not kept (ascending). The others keep their logical ids, and so their
// inputs. Operations on groups of which nobody is left go too.
void keep_ranks(Case& test_case, const std::vector<int>& kept);

// Removes the operations that are not kept (by index). A start whose completion goes becomes a
// call; a completion goes with its start; so do faults with their operation.
void keep_operations(Case& test_case, const std::function<bool(std::size_t)>& kept);

// Every started request becomes a call, completed at once.
void complete_at_once(Case& test_case);

// Where a single request is under way, waits for it by name instead of for all.
void wait_by_name(Case& test_case);

// Labels from 0 on, in the order of the first starts.
void renumber_requests(Case& test_case);

// Moves the ends of the elements of each block, and the cut, by a monotonic function.
// The same function on twins leaves them twins, and a buffer and its two pieces what they are.
using ElementMap = std::function<std::int64_t(std::int64_t)>;
void map_elements(Operation& operation, const ElementMap& map);

// Whether the call may have derived data types.
bool may_be_derived(const Operation& operation);

// Rounds elements up to whole operands of a user-defined operator.
void whole_operands(Operation& operation);

// Whether the operation has elements.
bool has_elements(const Operation& operation);

}  // namespace allprove
