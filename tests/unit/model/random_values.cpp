#include "tests/unit/model/random_values.h"

#include <algorithm>
#include <numeric>

namespace allprove {
namespace {

std::vector<int> shuffled_ranks(RandomStream& random, int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Group draw_group(Noise& noise, int ranks) {
  Group group;
  noise.fill(group.kind);
  if (group.kind == GroupKind::world || group.kind == GroupKind::duplicate) return group;
  const auto order = shuffled_ranks(noise.random(), ranks);
  for (const int rank : order) {
    if (group.parts.empty() || noise.random().chance(1, 3)) group.parts.emplace_back();
    group.parts.back().push_back(rank);
  }
  if (group.parts.size() > 1 && noise.random().chance(1, 3)) group.parts.pop_back();
  return group;
}

Layout draw_layout(Noise& noise) {
  auto layout = noise.value<Layout>();
  layout.items = noise.random().between(0, 8);
  layout.gap = static_cast<int>(noise.random().below(kLayoutGapMax + 1));
  return layout;
}

// What only some collectives have: blocks of their own sizes, derived types, a cut.
void draw_blocks(Noise& noise, Operation& operation) {
  auto& random = noise.random();
  const auto traits = traits_of(operation.collective);
  operation.counts.clear();
  operation.holes = 0;
  operation.order = 0;
  if (traits.irregular) {
    for (auto left = random.below(6); left > 0; --left) {
      operation.counts.push_back(random.between(0, 9));
    }
    operation.holes = static_cast<int>(random.below(64));
    operation.order = random.next();
  }
  operation.send_layout = draw_layout(noise);
  operation.receive_layout = draw_layout(noise);
  if (traits.reduces && traits_of(operation.op).kind != OpClass::user) {
    operation.send_layout = operation.receive_layout = Layout{};
  }
  operation.data.altered &= traits.elementwise;
  if (!traits.elementwise) operation.cut = kNoCut;
}

// What validate() asks of the calls of user-defined operators.
void limit_to_operands(Operation& operation) {
  const auto width = width_of(operation.op);
  if (operation.shape.empty()) operation.shape.push_back(1);
  operation.shape.front() *= width;
  for (auto& count : operation.counts) count *= width;
  operation.holes -= operation.holes % width;
  operation.send_layout.items *= width;
  operation.receive_layout.items *= width;
  operation.cut = kNoCut;
  operation.data.altered = false;
  operation.data.scale = 0;
}

Operation draw_operation(Noise& noise, const Case& test_case, OperationKind kind) {
  auto& random = noise.random();
  auto operation = noise.value<Operation>();
  operation.kind = kind;
  operation.group = static_cast<int>(random.below(test_case.groups.size()));
  operation.shape.clear();
  for (auto left = random.below(6); left > 0; --left) {
    operation.shape.push_back(static_cast<std::int64_t>(random.below(6)));
  }
  operation.root = static_cast<int>(random.below(9));
  operation.skew = static_cast<int>(random.below(64));
  const auto count = count_of(operation);
  operation.cut = count > 0 ? random.between(kNoCut, count - 1) : kNoCut;
  operation.data.first = random.between(0, std::int64_t{1} << 40);
  operation.data.rotate = static_cast<int>(random.below(5));
  operation.data.scale = static_cast<int>(random.below(31));
  operation.delay_us = random.between(0, 60'000'000);
  operation.in_place &= traits_of(operation.collective).can_in_place;
  while (!is_legal(operation.op, operation.dtype)) noise.fill(operation.op);
  operation.request = static_cast<int>(random.below(3)) - 1;
  draw_blocks(noise, operation);
  const bool reduces = traits_of(operation.collective).reduces;
  const bool user = reduces && traits_of(operation.op).kind == OpClass::user;
  operation.divide &= can_divide(operation.dtype) && !user;
  if (user) limit_to_operands(operation);
  return operation;
}

void draw_program(Noise& noise, Case& test_case) {
  auto& random = noise.random();
  const auto steps = random.below(8);
  for (std::uint64_t step = 0; step < steps; ++step) {
    auto kind = noise.value<OperationKind>();
    if (completes_request(kind)) kind = OperationKind::start;
    test_case.program.push_back(draw_operation(noise, test_case, kind));
    if (kind != OperationKind::start) continue;
    auto& start = test_case.program.back();
    start.request = static_cast<int>(step);
    start.mode = random.chance(1, 2) ? Mode::nonblocking : Mode::persistent;
    const auto ends = random.chance(1, 2) ? OperationKind::wait : OperationKind::test;
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
