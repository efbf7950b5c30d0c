// Drawn cases to count in, shared by the tests of drawing.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/enum_table.h"
#include "framework/model/blocks.h"
#include "framework/search/generate.h"

namespace allprove {

inline std::vector<Case> cases_of(const Space& space, std::uint64_t seed, std::uint64_t count) {
  const Generator generator(seed, space);
  std::vector<Case> cases;
  for (std::uint64_t k = 0; k < count; ++k) cases.push_back(generator.at(k));
  return cases;
}

// Programs alone: no series, nothing large, and no probe at the end.
inline Space programs() {
  Space space;
  space.series_max = 0;
  space.large.ranks_max = 0;
  space.probes = false;
  return space;
}

inline const std::vector<Case>& drawn() {
  static const auto cases = cases_of(programs(), 7, 4000);
  return cases;
}

// Calls and starts.
template <class Visit>
void for_each_entry(const std::vector<Case>& cases, Visit visit) {
  for (const auto& test_case : cases) {
    for (const auto& operation : test_case.program) {
      if (enters_collective(operation.kind)) visit(test_case, operation);
    }
  }
}

// Those that have buffers.
template <class Visit>
void for_each_call(const std::vector<Case>& cases, Visit visit) {
  for_each_entry(cases, [&](const Case& test_case, const Operation& operation) {
    if (traits_of(operation.collective).moves_data) visit(test_case, operation);
  });
}

using Tally = std::map<std::string, int>;

inline void expect_each_at_least(const Tally& tally, const std::vector<std::string>& values,
                                 int least) {
  for (const auto& value : values) {
    const auto found = tally.find(value);
    EXPECT_GE(found == tally.end() ? 0 : found->second, least) << value;
  }
}

// The collectives that are drawn: all.
inline std::vector<Collective> drawn_collectives() {
  std::vector<Collective> list;
  for (std::size_t i = 0; i < names_of<Collective>().size(); ++i) {
    list.push_back(static_cast<Collective>(i));
  }
  return list;
}

}  // namespace allprove
