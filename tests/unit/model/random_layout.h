// Random layouts for tests, with few elements, so that every small shape comes up.
#pragma once

#include <fmt/format.h>

#include <string>

#include "framework/base/enum_table.h"
#include "framework/base/random.h"
#include "framework/model/layout.h"

namespace allprove {

inline Layout random_layout(RandomStream& random) {
  Layout layout;
  layout.kind = static_cast<LayoutKind>(random.below(names_of<LayoutKind>().size()));
  layout.gap = static_cast<int>(random.chance(1, 8) ? 0 : random.between(1, 5));
  layout.seed = random.next();
  return layout;
}

inline std::int64_t random_elements(RandomStream& random) {
  return random.chance(1, 8) ? random.between(100, 400) : random.between(1, 24);
}

inline std::string text_of(const Layout& layout, std::int64_t elements) {
  return fmt::format("{} of {} elements, gap {}, seed {}", name_of(layout.kind), elements,
                     layout.gap, layout.seed);
}

}  // namespace allprove
