#include "framework/search/shrink_steps.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "framework/search/edit.h"
#include "framework/search/group.h"
#include "framework/search/simplify.h"

namespace allprove {
namespace {

using Steps = std::vector<Step>;

void for_all(Case& test_case, const Simplify& simplify) {
  for (auto& operation : test_case.program) simplify(operation);
  drop_unused_groups(test_case);
}

// Every start of a persistent request is the same call.
void for_one(Case& test_case, std::size_t index, const Simplify& simplify) {
  const auto chosen = test_case.program[index];
  const bool persistent = chosen.kind == OperationKind::start && chosen.mode == Mode::persistent;
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    auto& operation = test_case.program[i];
    const bool same_request =
        persistent && operation.kind == OperationKind::start && operation.request == chosen.request;
    if (i == index || same_request) simplify(operation);
  }
  drop_unused_groups(test_case);
}

// Keeps the ranks from `begin` to before `end`.
Step ranks_between(int begin, int end) {
  return [=](Case& test_case) {
    std::vector<int> kept(static_cast<std::size_t>(end - begin));
    std::iota(kept.begin(), kept.end(), begin);
    keep_ranks(test_case, kept);
  };
}

Step without_rank(int gone) {
  return [=](Case& test_case) {
    std::vector<int> kept;
    for (int rank = 0; rank < test_case.ranks; ++rank) {
      if (rank != gone) kept.push_back(rank);
    }
    keep_ranks(test_case, kept);
  };
}

void add_fewer_ranks(Steps& steps, const Case& test_case) {
  const int ranks = test_case.ranks;
  constexpr int kSmallWorld = 3;
  for (int few = 1; few <= std::min(kSmallWorld, ranks - 1); ++few) {
    steps.push_back(ranks_between(0, few));
  }
  if (ranks > 2) {
    steps.push_back(ranks_between(0, ranks / 2));
    steps.push_back(ranks_between(ranks / 2, ranks));
  }
  for (int rank = ranks - 1; ranks > 1 && rank >= 0; --rank) steps.push_back(without_rank(rank));
}

// Drops runs of operations of a length, wherever they start.
void add_drops(Steps& steps, std::size_t operations, std::size_t length) {
  for (std::size_t begin = 0; begin < operations; begin += length) {
    steps.push_back([=](Case& test_case) {
      keep_operations(test_case, [=](std::size_t i) { return i < begin || i >= begin + length; });
    });
  }
}

void add_fewer_operations(Steps& steps, const Case& test_case, bool halves) {
  const auto operations = test_case.program.size();
  if (operations < 2) return;
  const auto half = (operations + 1) / 2;
  if (halves) return add_drops(steps, operations, half);
  for (auto length = half / 2; length >= 1; length /= 2) add_drops(steps, operations, length);
}

// Waits for all that is under way, instead of for one request now and for the others later.
void add_joint_waits(Steps& steps, const Case& test_case) {
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    if (!completes_request(test_case.program[i].kind)) continue;
    steps.push_back([i](Case& simpler) {
      simpler.program[i] = Operation();
      simpler.program[i].kind = OperationKind::wait_all;
      keep_operations(simpler, [](std::size_t) { return true; });
    });
  }
}

void add_fewer_faults(Steps& steps, const Case& test_case) {
  if (test_case.faults.empty()) return;
  steps.push_back([](Case& simpler) { simpler.faults.clear(); });
  for (std::size_t i = 0; i < test_case.faults.size() && test_case.faults.size() > 1; ++i) {
    steps.push_back([=](Case& simpler) {
      simpler.faults.erase(simpler.faults.begin() + static_cast<std::ptrdiff_t>(i));
    });
  }
}

// What most failures do not need, many things at a time.
void add_plain(Steps& steps) {
  const auto add = [&](std::initializer_list<Simplify> several) {
    steps.push_back([several = std::vector(several)](Case& test_case) {
      complete_at_once(test_case);
      for (const auto& simplify : several) for_all(test_case, simplify);
      test_case.logical.clear();
    });
  };
  add({plain_manner, plain_data, plain_type, to_world, one_element});
  add({plain_manner, plain_data, plain_type, to_world});
  add({plain_manner, plain_data, to_world, one_element});
  steps.push_back(complete_at_once);
  steps.push_back(drop_unused_groups);
  for (const auto& several : {plain_manner, plain_data, plain_type}) {
    steps.push_back([=](Case& test_case) { for_all(test_case, several); });
  }
}

void add_simpler_grid(Steps& steps, std::size_t g, const Topology& topology) {
  for (std::size_t d = 0; d < topology.dims.size(); ++d) {
    if (topology.dims[d] == 1 && topology.dims.size() > 1) {
      steps.push_back([=](Case& simpler) {
        auto& [dims, periods, edges, reorder] = simpler.groups[g].topology;
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
        periods.erase(periods.begin() + static_cast<std::ptrdiff_t>(d));
      });
    }
    steps.push_back([=](Case& simpler) { simpler.groups[g].topology.periods[d] = 0; });
  }
}

// Fewer edges of each position, and all of them to the first.
void add_simpler_net(Steps& steps, std::size_t g, const Topology& topology) {
  for (std::size_t from = 0; from < topology.edges.size(); ++from) {
    const auto edges = topology.edges[from].size();
    const auto change = [&](auto with) {
      steps.push_back([=](Case& simpler) { with(simpler.groups[g].topology.edges[from]); });
    };
    if (edges > 1) change([](auto& sent) { sent.clear(); });
    change([](auto& sent) { std::ranges::fill(sent, 0); });
    for (std::size_t i = 0; i < edges; ++i) {
      change([i](auto& sent) { sent.erase(sent.begin() + static_cast<std::ptrdiff_t>(i)); });
    }
  }
}

void add_simpler_topology(Steps& steps, const Case& test_case, std::size_t g) {
  const auto& group = test_case.groups[g];
  if (group.topology == Topology{}) return;
  steps.push_back([=](Case& simpler) { simpler.groups[g].topology.reorder = false; });
  if (group.parts.size() == 1) {  // where it holds all ranks
    steps.push_back([=](Case& simpler) { simpler.groups[g].parts.clear(); });
  }
  const auto dimensions = group.topology.dims.size();
  if (dimensions > 1) {  // one dimension; the others hold one rank each
    steps.push_back([=](Case& simpler) {
      auto& dims = simpler.groups[g].topology.dims;
      const auto members = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>());
      dims.assign(dimensions, 1);
      dims.front() = members;
    });
  }
  add_simpler_grid(steps, g, group.topology);
  add_simpler_net(steps, g, group.topology);
}

void add_simpler_groups(Steps& steps, const Case& test_case) {
  for (std::size_t g = 1; g < test_case.groups.size(); ++g) {
    const auto& group = test_case.groups[g];
    const auto parts = group.parts.size();
    if (group == Group{GroupKind::duplicate, {}}) continue;
    steps.push_back([=](Case& simpler) { simpler.groups[g] = {GroupKind::duplicate, {}}; });
    add_simpler_topology(steps, test_case, g);
    const bool may_lose_parts = parts > 1 && group.kind != GroupKind::inter;
    for (std::size_t p = 0; p < parts && may_lose_parts; ++p) {
      steps.push_back([=](Case& simpler) {
        auto& left = simpler.groups[g].parts;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(p));
      });
    }
    steps.push_back([=](Case& simpler) {
      for (auto& part : simpler.groups[g].parts) std::ranges::sort(part);
    });
  }
}

void add_map(Steps& steps, ElementMap map) {
  steps.push_back([map = std::move(map)](Case& test_case) {
    for (auto& operation : test_case.program) map_elements(operation, map);
  });
}

// Fewer elements, in all operations alike, so that twins stay twins.
void add_fewer_elements(Steps& steps, const Case& test_case) {
  std::int64_t begin =
      kElementsMax;  // the first element of all that are worked on, and past the last
  std::int64_t end = 0;
  std::int64_t cut = 0;  // elements before the last of the cuts
  for (const auto& operation : test_case.program) {
    if (!has_elements(operation)) continue;
    begin = std::min(begin, operation.data.first);
    end = std::max(end, operation.data.first + largest_block(operation));
    cut = std::max(cut, operation.cut);
  }
  if (begin > 0) add_map(steps, [=](std::int64_t i) { return i - begin; });
  const auto keep_up_to = [&](std::int64_t last) {
    add_map(steps, [=](std::int64_t i) { return std::min(i, last); });
  };
  for (const std::int64_t few : {1, 2, 3, 4}) keep_up_to(begin + few);
  add_map(steps, [=](std::int64_t i) { return begin + (i - begin) / 2; });
  for (const auto last : towards(end, begin)) keep_up_to(last);
  // Where it takes an even count.
  for (const auto count : {(end - begin) / 2 / 2 * 2, end - begin - 2}) {
    if (count > 0) keep_up_to(begin + count);
  }
  // From before the cut, so that a piece before it gets smaller too.
  for (const auto left : towards(cut, 0)) {
    const auto gone = cut - left;
    add_map(steps, [=](std::int64_t i) { return std::max(begin, i - gone); });
  }
}

void add_fewer_elements_of_one(Steps& steps, const Case& test_case) {
  if (test_case.program.size() < 2) return;
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto& operation = test_case.program[i];
    if (!has_elements(operation)) continue;
    for (const auto count : towards(largest_block(operation), 0)) {
      const auto end = operation.data.first + count;
      steps.push_back([=](Case& simpler) {
        for_one(simpler, i, [=](Operation& changed) {
          map_elements(changed, [=](std::int64_t e) { return std::min(e, end); });
        });
      });
    }
  }
}

void add_simpler_operations(Steps& steps, const Case& test_case) {
  const auto operations = test_case.program.size();
  for (const auto simplify : plain_steps()) {
    steps.push_back([=](Case& simpler) { for_all(simpler, simplify); });
    for (std::size_t i = 0; i < operations && operations > 1; ++i) {
      steps.push_back([=](Case& simpler) { for_one(simpler, i, simplify); });
    }
  }
  for (const auto& operation : test_case.program) {
    for (auto& simplify : number_steps(operation)) {
      steps.push_back(
          [simplify = std::move(simplify)](Case& simpler) { for_all(simpler, simplify); });
    }
  }
}

}  // namespace

std::vector<Step> shrink_steps(const Case& test_case) {
  Steps steps;
  add_fewer_operations(steps, test_case, true);
  add_fewer_ranks(steps, test_case);
  add_fewer_faults(steps, test_case);
  add_plain(steps);
  add_fewer_operations(steps, test_case, false);
  add_joint_waits(steps, test_case);
  add_simpler_groups(steps, test_case);
  steps.push_back(wait_by_name);
  steps.push_back(renumber_requests);
  add_fewer_elements(steps, test_case);
  steps.push_back([](Case& simpler) { simpler.logical.clear(); });
  add_simpler_operations(steps, test_case);
  add_fewer_elements_of_one(steps, test_case);
  return steps;
}

}  // namespace allprove
