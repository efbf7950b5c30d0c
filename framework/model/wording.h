// How ranks and operations are named in a sentence, the same wherever one is told of them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>

#include "framework/model/case.h"

namespace allprove {

// "rank 2", "ranks 0, 2, 3"; a long list ends in "and 40 more".
inline std::string ranks_text(std::span<const int> ranks) {
  constexpr std::size_t kShown = 12;
  std::string text = fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks",
                                 fmt::join(ranks.first(std::min(ranks.size(), kShown)), ", "));
  if (ranks.size() > kShown) text += fmt::format(" and {} more", ranks.size() - kShown);
  return text;
}

// "operation 4 all_reduce(float32[1024], sum)"; the index is the one in the case's text.
inline std::string operation_text(const Case& test_case, int operation) {
  return fmt::format("operation {} {}", operation,
                     describe(test_case, test_case.program[static_cast<std::size_t>(operation)]));
}

}  // namespace allprove
