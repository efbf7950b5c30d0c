// Bugs as predicates on a case, and the minima in which shrinking ends for them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "framework/model/case_json.h"
#include "framework/search/generate.h"
#include "framework/search/shrink.h"

namespace allprove {

inline constexpr ShrinkBudget kAmple{.tries_max = 100'000, .time_max = std::chrono::seconds(60)};
inline constexpr int kTriesMax = 250;

using Bug = std::function<bool(const Case&)>;

inline bool on_some_operation(const Case& test_case,
                              const std::function<bool(const Operation&)>& bad) {
  return std::ranges::any_of(test_case.program, [&](const Operation& operation) {
    return enters_collective(operation.kind) && traits_of(operation.collective).moves_data &&
           bad(operation);
  });
}

inline int members(const Case& test_case, const Operation& operation) {
  return static_cast<int>(membership_of(test_case, operation.group, 0).members.size());
}

// The first cases of some seeds that show the bug, each shrunk; every one must end within the
// tries.
inline std::vector<Case> minima(const Bug& bug, int wanted = 12) {
  std::vector<Case> found;
  for (std::uint64_t seed = 1; seed <= 200 && std::ssize(found) < wanted; ++seed) {
    const Generator generator(seed, Space{});
    for (std::uint64_t k = 0; k < 400; ++k) {
      const auto drawn = generator.at(k * 16);
      if (!bug(drawn)) continue;
      const auto shrunk = shrink(drawn, bug, kAmple);
      EXPECT_LE(shrunk.tries, kTriesMax) << describe(drawn);

      EXPECT_FALSE(shrunk.exhausted);
      EXPECT_TRUE(bug(shrunk.test_case));
      EXPECT_TRUE(validate(shrunk.test_case).has_value());
      found.push_back(shrunk.test_case);
      break;
    }
  }
  EXPECT_EQ(std::ssize(found), wanted) << "the bug is hardly ever drawn";
  return found;
}

inline void expect_minimum(const Bug& bug, const Case& expected) {
  for (const auto& minimum : minima(bug)) {
    EXPECT_EQ(to_json(minimum).dump(), to_json(expected).dump());
  }
}

// One call of one element, as plain as can be, with something changed.
inline Case plain_case(
    int ranks, const std::function<void(Operation&)>& change = [](Operation&) {}) {
  Case plain;
  plain.ranks = ranks;
  plain.program = {Operation{}};
  plain.program[0].shape = {1};
  change(plain.program[0]);
  return plain;
}

}  // namespace allprove
