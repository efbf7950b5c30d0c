#include "framework/search/weight.h"

#include <algorithm>
#include <bit>

namespace allprove {
namespace {

std::int64_t weight_of_topology(const Topology& topology) {
  std::int64_t weight = topology.reorder ? 1 : 0;
  for (const int extent : topology.dims) weight += extent == 1 ? 2 : 3;
  for (const int period : topology.periods) weight += period;
  for (const auto& sent : topology.edges) {
    weight += 3 * std::ssize(sent);
    for (const int to : sent) weight += to == 0 ? 0 : 1;
  }
  return weight;
}

std::int64_t weight_of_group(const Group& group) {
  std::int64_t weight = 100 * static_cast<std::int64_t>(group.kind);
  for (const auto& part : group.parts) {
    weight += 10 + std::ssize(part);
    for (std::size_t i = 1; i < part.size(); ++i) weight += part[i] < part[i - 1] ? 1 : 0;
  }
  return weight + weight_of_topology(group.topology);
}

// An empty block makes a reader wonder more than one or two elements do.
std::int64_t elements_of(const Operation& operation) {
  const auto weigh = [](std::int64_t count) { return count == 0 ? 3 : count; };
  if (operation.counts.empty()) return weigh(count_of(operation));
  std::int64_t elements = 0;
  for (const auto count : operation.counts) elements += weigh(count);
  return elements;
}

// Sizes of their own; empty ones, and not the smaller ones first.
std::int64_t complexity_of(const std::vector<std::int64_t>& counts) {
  auto weight = std::ssize(counts) + std::ranges::count(counts, 0);
  for (std::size_t i = 1; i < counts.size(); ++i) weight += counts[i] < counts[i - 1] ? 1 : 0;
  return weight;
}

std::int64_t complexity_of(const Layout& layout) {
  return 2 * static_cast<std::int64_t>(layout.kind) + (layout.items != 0 ? 1 : 0) +
         (layout.ranks != Layout{}.ranks ? 1 : 0);
}

std::int64_t magnitude_of(const Layout& layout) {
  const bool everywhere = layout.ranks == Layout{}.ranks;
  return layout.items + layout.gap + static_cast<std::int64_t>(std::bit_width(layout.seed)) +
         (everywhere ? 0 : std::popcount(layout.ranks));
}

// What a reader has to keep in mind beyond "a blocking sum of int32 on the world".
std::int64_t complexity(const Operation& operation) {
  const auto& data = operation.data;
  std::int64_t weight =
      rank_of(operation.collective) + rank_of(operation.dtype) + rank_of(operation.op);
  const auto dimensions = std::ssize(operation.shape);
  const bool plain_shape = operation.counts.empty() ? dimensions == 1 : dimensions == 0;
  weight += plain_shape ? 0 : 1 + dimensions;
  weight += static_cast<std::int64_t>(data.family) + static_cast<std::int64_t>(operation.mode);
  weight += complexity_of(operation.counts) + complexity_of(operation.send_layout) +
            complexity_of(operation.receive_layout);
  for (const bool unusual : {operation.kind != OperationKind::call,
                             operation.kind == OperationKind::test,
                             completes_all(operation.kind),
                             operation.kind == OperationKind::wait_some,
                             operation.holes != 0,
                             operation.order != 0,
                             operation.group != 0,
                             operation.root != 0,
                             operation.in_place,
                             operation.skew != 0,
                             operation.divide,
                             operation.cut != kNoCut,
                             data.seed != 0,
                             data.first != 0,
                             data.rotate != 0,
                             data.scale != 0,
                             data.altered,
                             operation.algorithm != Algorithm{},
                             operation.delay_us != 0,
                             operation.thread != 0,
                             operation.stream != 0}) {
    weight += unusual ? 1 : 0;
  }
  return weight;
}

std::int64_t magnitude(const Operation& operation) {
  const auto& data = operation.data;
  return operation.root + operation.skew + operation.holes + magnitude_of(operation.send_layout) +
         magnitude_of(operation.receive_layout) +
         static_cast<std::int64_t>(std::bit_width(operation.order)) +
         std::max<std::int64_t>(operation.cut, 0) + data.first + data.rotate + data.scale +
         operation.delay_us + static_cast<std::int64_t>(std::bit_width(data.seed));
}

// Requests whose label is not their number, in the order of their first starts.
std::int64_t odd_labels(const Case& test_case) {
  std::vector<int> labels;
  std::int64_t odd = 0;
  for (const auto& operation : test_case.program) {
    if (operation.kind != OperationKind::start) continue;
    if (std::ranges::count(labels, operation.request) > 0) continue;
    odd += operation.request != std::ssize(labels) ? 1 : 0;
    labels.push_back(operation.request);
  }
  return odd;
}

}  // namespace

int rank_of(Collective collective) {
  return collective == Collective::all_reduce ? 0 : 1 + static_cast<int>(collective);
}

int rank_of(Dtype dtype) {
  if (dtype == Dtype::int32) return 0;
  if (dtype == Dtype::float32 || dtype == Dtype::two_int) return 1;
  return 2 + static_cast<int>(dtype);
}

int rank_of(Op op) { return static_cast<int>(op); }

Weight weight_of(const Case& test_case) {
  Weight weight{};
  auto& [ranks, operations, faults, groups, elements, complexities, magnitudes] = weight;
  ranks = test_case.ranks;
  operations = std::ssize(test_case.program);
  faults = std::ssize(test_case.faults);
  for (const auto& group : test_case.groups) groups += 1 + weight_of_group(group);
  for (const auto& operation : test_case.program) {
    elements += elements_of(operation);
    complexities += complexity(operation);
    magnitudes += magnitude(operation);
  }
  complexities += test_case.logical.empty() ? 0 : 1;
  magnitudes += odd_labels(test_case);
  for (const int id : test_case.logical) magnitudes += id;
  return weight;
}

}  // namespace allprove
