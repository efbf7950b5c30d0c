// All properties, the most telling first: a finding is named after the first one that fails.
#pragma once

#include <span>

#include "properties/property.h"

namespace allprove {

std::span<const Property> all_properties();
const Property* find_property(std::string_view name);

}  // namespace allprove
