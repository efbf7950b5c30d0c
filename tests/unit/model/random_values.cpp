#include "tests/unit/model/random_values.h"

#include <algorithm>
#include <numeric>

#include "framework/model/use.h"

namespace allprove {
namespace {

std::vector<int> shuffled_ranks(RandomStream& random, int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Topology draw_topology(RandomStream& random, GroupKind kind, int members) {
  Topology topology;
  topology.reorder = random.chance(1, 3);
  if (kind == GroupKind::cartesian) {
    for (int extent = members; extent > 1; --extent) {
      if (members % extent != 0 || random.chance(1, 2)) continue;
      topology.dims.push_back(extent);
      members /= extent;
    }
    topology.dims.push_back(members);
    for (std::size_t d = 0; d < topology.dims.size(); ++d) {
      topology.periods.push_back(static_cast<int>(random.below(2)));
    }
    return topology;
  }
  topology.edges.resize(static_cast<std::size_t>(members));
  for (auto& sent : topology.edges) {
    for (auto left = random.below(4); left > 0; --left) {
      sent.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(members))));
    }
  }
  return topology;
}

// From any parts of the ranks to as many as the kind has.
void fit_to_kind(Group& group, RandomStream& random, int ranks) {
  auto& parts = group.parts;
  if (group.kind == GroupKind::inter) {
    parts.resize(2);
    if (parts[1].empty()) {
      parts[1].push_back(parts[0].back());
      parts[0].pop_back();
    }
  }
  if (group.kind == GroupKind::cartesian || group.kind == GroupKind::graph) {
    parts.resize(1);
    const auto members = random.chance(1, 2) ? static_cast<int>(parts[0].size()) : ranks;
    group.topology = draw_topology(random, group.kind, members);
    if (members == ranks) parts.clear();
  }
}

Group draw_group(Noise& noise, int ranks) {
  Group group;
  noise.fill(group.kind);
  if (group.kind == GroupKind::inter && ranks < 2) group.kind = GroupKind::split;
  if (group.kind == GroupKind::world || group.kind == GroupKind::duplicate) return group;
  const auto order = shuffled_ranks(noise.random(), ranks);
  for (const int rank : order) {
    if (group.parts.empty() || noise.random().chance(1, 3)) group.parts.emplace_back();
    group.parts.back().push_back(rank);
  }
  const std::size_t least = group.kind == GroupKind::inter ? 2 : 1;
  if (group.parts.size() > least && noise.random().chance(1, 3)) group.parts.pop_back();
  fit_to_kind(group, noise.random(), ranks);
  return group;
}

void draw_blocks(RandomStream& random, Operation& operation) {
  operation.counts.clear();
  operation.holes = 0;
  operation.order = 0;
  if (!traits_of(operation.collective).irregular) return;
  for (auto left = random.below(4); left > 0; --left) {
    operation.counts.push_back(static_cast<std::int64_t>(random.below(9)));
  }
  operation.holes = static_cast<int>(random.below(64));
  operation.order = random.next();
}

Layout draw_layout(Noise& noise) {
  auto layout = noise.value<Layout>();
  layout.items = static_cast<std::int64_t>(noise.random().below(5));
  layout.gap = static_cast<int>(noise.random().below(5));
  return layout;
}

// A collective that the kind of communicator has, and nothing that it has not.
void fit_to_group(Operation& operation, const Group& group, RandomStream& random) {
  const bool has_neighbors = group.kind == GroupKind::cartesian || group.kind == GroupKind::graph;
  if (needs_neighbors(operation.collective) && !has_neighbors) {
    operation.collective = Collective::all_to_allv;
  }
  if (group.kind != GroupKind::inter) return;
  operation.in_place = operation.divide = false;
  if (!may_run_on(group, operation)) {
    operation.collective = random.chance(1, 2) ? Collective::reduce : Collective::barrier;
  }
}

// What validate() asks of the calls of user-defined operators.
void limit_to_operands(Operation& operation) {
  const auto width = width_of(operation.op);
  if (operation.shape.empty()) operation.shape.push_back(1);
  operation.shape.front() *= width;
  for (auto& count : operation.counts) count *= width;
  operation.holes -= operation.holes % width;
  operation.send_layout.items *= width;
  operation.send_layout.ranks = Layout{}.ranks;
  operation.receive_layout = operation.send_layout;
  operation.cut = kNoCut;
  operation.data.altered = false;
  operation.data.scale = 0;
}

Operation draw_operation(Noise& noise, const Case& test_case, OperationKind kind) {
  auto& random = noise.random();
  auto operation = noise.value<Operation>();
  operation.kind = kind;
  operation.group = static_cast<int>(random.below(test_case.groups.size()));
  fit_to_group(operation, test_case.groups[static_cast<std::size_t>(operation.group)], random);
  operation.shape.clear();
  for (auto left = random.below(6); left > 0; --left) {
    operation.shape.push_back(static_cast<std::int64_t>(random.below(6)));
  }
  operation.root = static_cast<int>(random.below(9));
  operation.skew = static_cast<int>(random.below(64));
  const auto count = count_of(operation);
  const auto traits = traits_of(operation.collective);
  const bool cuts = count > 0 && traits.elementwise;
  operation.cut = cuts ? random.between(kNoCut, count - 1) : kNoCut;
  operation.data.altered &= traits.elementwise;
  draw_blocks(random, operation);
  operation.data.first = random.between(0, std::int64_t{1} << 40);
  operation.thread = 0;
  operation.data.rotate = static_cast<int>(random.below(5));
  operation.data.scale = static_cast<int>(random.below(31));
  operation.delay_us = random.between(0, 60'000'000);
  operation.in_place &= traits_of(operation.collective).can_in_place;
  while (!is_legal(operation.op, operation.dtype)) noise.fill(operation.op);
  const bool derived = !traits.reduces || traits_of(operation.op).kind == OpClass::user;
  operation.send_layout = derived ? draw_layout(noise) : Layout{};
  operation.receive_layout = derived ? draw_layout(noise) : Layout{};
  const bool user = traits.reduces && traits_of(operation.op).kind == OpClass::user;
  operation.divide &= can_divide(operation.dtype) && !user;
  if (user) limit_to_operands(operation);
  operation.request = static_cast<int>(random.below(3)) - 1;
  return operation;
}

void draw_program(Noise& noise, Case& test_case) {
  auto& random = noise.random();
  const auto steps = random.below(8);
  for (std::uint64_t step = 0; step < steps; ++step) {
    auto kind = noise.value<OperationKind>();
    if (completes_request(kind) || completes_all(kind)) kind = OperationKind::start;
    test_case.program.push_back(draw_operation(noise, test_case, kind));
    if (kind != OperationKind::start) continue;
    auto& start = test_case.program.back();
    start.request = static_cast<int>(step);
    start.mode = random.chance(1, 2) ? Mode::nonblocking : Mode::persistent;
    constexpr OperationKind kEnds[] = {OperationKind::wait, OperationKind::test,
                                       OperationKind::wait_all, OperationKind::wait_some};
    const auto ends = kEnds[random.below(std::size(kEnds))];
    auto end = draw_operation(noise, test_case, ends);
    end.request = start.request;
    test_case.program.push_back(end);
  }
}

}  // namespace

Case valid_case(std::uint64_t seed) {
  Noise noise(seed);
  auto& random = noise.random();
  Case test_case;
  test_case.ranks = static_cast<int>(random.between(1, 9));
  if (random.chance(1, 2)) {
    test_case.logical = shuffled_ranks(random, test_case.ranks);
    for (auto& id : test_case.logical) id *= 3;
  }
  for (auto left = random.below(4); left > 0; --left) {
    test_case.groups.push_back(draw_group(noise, test_case.ranks));
  }
  draw_program(noise, test_case);
  for (auto left = random.below(3); left > 0 && !test_case.program.empty(); --left) {
    auto& fault = test_case.faults.emplace_back(noise.value<Fault>());
    fault.rank = static_cast<int>(random.below(static_cast<std::uint64_t>(test_case.ranks)));
    fault.operation = static_cast<int>(random.below(test_case.program.size()));
  }
  test_case.deadline_ms = random.chance(1, 2) ? 0 : random.between(1, 100'000);
  return test_case;
}

}  // namespace allprove
