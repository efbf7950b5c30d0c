#include "framework/search/simplify.h"

#include <rapidcheck.h>

#include <algorithm>

#include "framework/search/edit.h"
#include "framework/search/simplify_places.h"

namespace allprove {
namespace {

void set_type(Operation& operation, Dtype dtype, Op op) {
  if (!has_elements(operation)) return;
  if (traits_of(operation.collective).reduces && !is_legal(op, dtype)) return;
  operation.dtype = dtype;
  operation.op = op;
  if (!may_be_derived(operation)) operation.send_layout = operation.receive_layout = {};
}

void drop_cut(Operation& operation) {
  operation.cut = kNoCut;
  operation.data.altered = false;
}

// Drops what the collective has no use for.
void drop_unused(Operation& operation) {
  const auto traits = traits_of(operation.collective);
  auto& counts = operation.counts;
  if (!traits.irregular && !counts.empty()) {
    operation.shape = {std::ranges::max(counts)};
    counts.clear();
  }
  if (!traits.irregular || traits.reduces) operation.holes = 0, operation.order = 0;
  if (operation.collective == Collective::broadcast) operation.send_layout = {};
  if (!may_be_derived(operation)) operation.send_layout = operation.receive_layout = {};
  if (!traits.reduces) operation.op = Op::sum, operation.divide = false;
  if (!traits.rooted) operation.root = 0;
  if (!traits.can_in_place) operation.in_place = false;
  if (!traits.elementwise) drop_cut(operation);
}

void set_collective(Operation& operation, Collective collective) {
  if (!has_elements(operation)) return;
  operation.collective = collective;
  drop_unused(operation);
}

// The one whose blocks are alike.
void regular(Operation& operation) {
  switch (operation.collective) {
    case Collective::gatherv:
      return set_collective(operation, Collective::gather);
    case Collective::scatterv:
      return set_collective(operation, Collective::scatter);
    case Collective::all_gatherv:
      return set_collective(operation, Collective::all_gather);
    case Collective::all_to_allv:
      return set_collective(operation, Collective::all_to_all);
    case Collective::all_to_allw:
      return set_collective(operation, Collective::all_to_allv);
    case Collective::reduce_scatter:
      return set_collective(operation, Collective::reduce_scatter_block);
    case Collective::neighbor_all_gatherv:
      return set_collective(operation, Collective::neighbor_all_gather);
    case Collective::neighbor_all_to_allv:
      return set_collective(operation, Collective::neighbor_all_to_all);
    case Collective::neighbor_all_to_allw:
      return set_collective(operation, Collective::neighbor_all_to_allv);
    default:
      return;
  }
}

// The one among all members instead of neighbors.
void among_all(Operation& operation) {
  switch (operation.collective) {
    case Collective::neighbor_all_gather:
      return set_collective(operation, Collective::all_gather);
    case Collective::neighbor_all_gatherv:
      return set_collective(operation, Collective::all_gatherv);
    case Collective::neighbor_all_to_all:
      return set_collective(operation, Collective::all_to_all);
    case Collective::neighbor_all_to_allv:
      return set_collective(operation, Collective::all_to_allv);
    case Collective::neighbor_all_to_allw:
      return set_collective(operation, Collective::all_to_allw);
    default:
      return;
  }
}

void ones(Operation& operation) {
  if (has_elements(operation)) operation.shape.assign(operation.shape.size(), 1);
  operation.cut = std::min<std::int64_t>(operation.cut, 0);
}

void fewer_dimensions(Operation& operation) {
  const auto one = std::ranges::find(operation.shape, 1);
  if (one != operation.shape.end() && operation.shape.size() > 1) operation.shape.erase(one);
}

void one_dimension(Operation& operation) {
  if (!has_elements(operation)) return;
  if (operation.counts.empty()) {
    operation.shape = {count_of(operation)};
  } else {
    operation.shape.clear();  // the blocks have sizes of their own
  }
}

// One size for all blocks.
void alike(Operation& operation) {
  if (operation.counts.empty()) return;
  operation.shape = {std::ranges::max(operation.counts)};
  operation.counts.clear();
}

void set_blocking(Operation& operation) {
  if (operation.kind == OperationKind::call) operation.mode = Mode::blocking;
}

// What has one value that is plain.
constexpr PlainStep kPlainSteps[] = {
    [](Operation& o) { set_collective(o, Collective::all_reduce); },
    [](Operation& o) { set_collective(o, Collective::broadcast); },
    [](Operation& o) { set_collective(o, Collective::gather); },
    [](Operation& o) {
      if (traits_of(o.collective).irregular) set_collective(o, Collective::gatherv);
    },
    among_all,
    regular,
    to_world,
    one_dimension,
    ones,
    fewer_dimensions,
    set_blocking,
    plain_places,
    alike,
    [](Operation& o) { o.holes = 0; },
    [](Operation& o) { o.order = 0; },
    [](Operation& o) { o.send_layout = {}; },
    [](Operation& o) { o.receive_layout = {}; },
    simplest_layouts,
    plain_layouts,
    [](Operation& o) { o.in_place = false; },
    [](Operation& o) { o.divide = false; },
    [](Operation& o) { o.algorithm = {}; },
    [](Operation& o) { o.skew = 0; },
    drop_cut,
    [](Operation& o) { o.data.altered = false; },
    [](Operation& o) { o.data.rotate = 0; },
    [](Operation& o) { o.data.scale = 0; },
    [](Operation& o) { o.data.family = Family::ramp; },
    [](Operation& o) { o.data.family = std::min(o.data.family, Family::closed); },
    [](Operation& o) { o.data.family = std::min(o.data.family, Family::free); },
    [](Operation& o) { o.data.seed = 0; },
    [](Operation& o) { set_type(o, Dtype::int32, Op::sum); },
    [](Operation& o) { set_type(o, Dtype::int32, o.op); },
    [](Operation& o) { set_type(o, Dtype::float32, o.op); },
    [](Operation& o) { set_type(o, Dtype::two_int, o.op); },
    [](Operation& o) { set_type(o, Dtype::complex64, o.op); },
    [](Operation& o) { set_type(o, o.dtype, Op::sum); },
    [](Operation& o) { set_type(o, o.dtype, Op::minloc); },
    [](Operation& o) { set_type(o, o.dtype, Op::user_sum); },
    [](Operation& o) { set_type(o, o.dtype, Op::user_affine); },
    [](Operation& o) { o.root = 0; },
    [](Operation& o) { o.delay_us = 0; },
    [](Operation& o) { o.thread = 0; },
    [](Operation& o) { o.thread = std::min(o.thread, 1); },
    [](Operation& o) { o.stream = 0; },
    [](Operation& o) {
      if (o.kind == OperationKind::test) o.kind = OperationKind::wait;
      if (o.kind == OperationKind::wait_some) o.kind = OperationKind::wait_all;
    },
    [](Operation& o) {
      if (o.mode == Mode::persistent) o.mode = Mode::nonblocking;
    },
    [](Operation& o) { o.data.first = 0; },
};

// Only operations that hold the same number follow, so that twins stay twins.
template <class Number>
void smaller_numbers(std::vector<Simplify>& list, const Operation& operation,
                     Number& (*number_of)(Operation&), Number least) {
  Operation copy = operation;
  const Number value = number_of(copy);
  for (const auto smaller : towards(value, least)) {
    list.push_back([=](Operation& other) {
      if (number_of(other) == value) number_of(other) = static_cast<Number>(smaller);
    });
  }
}

void smaller_extents(std::vector<Simplify>& list, const Operation& operation) {
  const auto& shape = operation.shape;
  if (!has_elements(operation) || shape.size() < 2) return;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    for (const auto smaller : towards(shape[i], 1)) {
      list.push_back([=](Operation& other) {
        if (other.shape != shape) return;
        other.shape[i] = smaller;
        other.cut = std::min(other.cut, count_of(other) - 1);
      });
    }
  }
}

}  // namespace

std::vector<std::int64_t> towards(std::int64_t value, std::int64_t least) {
  std::vector<std::int64_t> values;
  if (value <= least) return values;
  rc::seq::forEach(rc::shrink::towards(value, least),
                   [&](std::int64_t smaller) { values.push_back(smaller); });
  return values;
}

void to_world(Operation& operation) {
  if (enters_collective(operation.kind)) operation.group = 0;
}

void one_element(Operation& operation) {
  if (!has_elements(operation)) return;
  if (operation.counts.empty()) {
    operation.shape = {1};
  } else {
    operation.counts = {1};
  }
  operation.cut = kNoCut;
}

void plain_data(Operation& operation) {
  if (!has_elements(operation)) return;
  operation.data = {};
  operation.cut = kNoCut;
}

void plain_manner(Operation& operation) {
  if (!enters_collective(operation.kind)) return;
  set_blocking(operation);
  plain_places(operation);
  operation.in_place = false;
  operation.divide = false;
  operation.skew = 0;
  operation.root = 0;
  operation.algorithm = {};
}

void plain_type(Operation& operation) {
  set_collective(operation, Collective::all_reduce);
  set_type(operation, Dtype::int32, Op::sum);
  one_dimension(operation);
}

std::span<const PlainStep> plain_steps() { return kPlainSteps; }

std::vector<Simplify> number_steps(const Operation& operation) {
  std::vector<Simplify> list;
  smaller_extents(list, operation);
  add_smaller_blocks(list, operation);
  add_simpler_layouts(list, operation);
  using O = Operation;
  smaller_numbers<std::int64_t>(
      list, operation, [](O & o) -> auto& { return o.cut; }, 0);
  smaller_numbers<int>(
      list, operation, [](O & o) -> auto& { return o.skew; }, 1);
  smaller_numbers<int>(
      list, operation, [](O & o) -> auto& { return o.holes; }, 1);
  smaller_numbers<int>(
      list, operation, [](O & o) -> auto& { return o.root; }, 1);
  smaller_numbers<int>(
      list, operation, [](O & o) -> auto& { return o.data.rotate; }, 1);
  smaller_numbers<int>(
      list, operation, [](O & o) -> auto& { return o.data.scale; }, 1);
  smaller_numbers<std::int64_t>(
      list, operation, [](O & o) -> auto& { return o.delay_us; }, 1);
  for (const std::uint64_t seed : {1, 2, 3}) {
    list.push_back([=](Operation& other) { other.data.seed = std::min(other.data.seed, seed); });
    list.push_back([=](Operation& other) { other.order = std::min(other.order, seed); });
  }
  return list;
}

}  // namespace allprove
