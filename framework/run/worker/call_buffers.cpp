#include "framework/run/worker/call_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "framework/base/random.h"
#include "framework/model/user_operator.h"
#include "framework/oracle/divide.h"

namespace allprove {
namespace {

constexpr std::int64_t kSamplesMax = 16;

// So that gaps which a library copies along do not look untouched.
constexpr unsigned kSendSalt = 1;
constexpr unsigned kReceiveSalt = 2;

// The blocks in the order in which they lie in the buffer.
std::vector<std::size_t> order_of_blocks(std::uint64_t seed, std::size_t blocks) {
  std::vector<std::size_t> order(blocks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (seed == 0) return order;
  RandomStream stream(seed);
  for (std::size_t i = blocks; i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
  return order;
}

// Where each block begins, in items. A lone block begins the buffer: the collectives have no
// displacement for it.
std::vector<std::int64_t> displacements_of(const Operation& operation,
                                           const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> displacements(counts.size());
  std::int64_t next = 0;
  for (const auto block : order_of_blocks(operation.order, counts.size())) {
    displacements[block] = next;
    next += counts[block] + operation.holes / width_of(operation.collective, operation.op);
  }
  return displacements;
}

// World ranks by position, of those from whom the rank gets something.
const std::vector<int>& givers_of(const Case& test_case, const Operation& operation,
                                  const Membership& membership) {
  const auto& group = test_case.groups[static_cast<std::size_t>(operation.group)];
  return group.kind == GroupKind::inter
             ? group.parts[static_cast<std::size_t>(remote_part(membership.part))]
             : membership.members;
}

// Elements as operands: what user-defined operators work on; of all other calls, each is one.
std::vector<std::int64_t> in_operands(std::vector<std::int64_t> blocks, int width) {
  for (auto& block : blocks) block /= width;
  return blocks;
}

// How the side's elements lie. `blocks` are those that the items must fit.
void set_layout(const Layout& layout, int position, int width,
                const std::vector<std::int64_t>& blocks, BufferSide& side) {
  side.layout = layout_at(layout, position);
  side.layout.items /= width;
  side.elements_per_item = elements_per_item(side.layout, in_operands(blocks, width));
}

std::int64_t bytes_of(const Placement& placement) {
  return placement.end_byte() - placement.first_byte();
}

void add_damage(const PlacedBuffer& buffer, const char* name, unsigned salt, Evidence& evidence) {
  if (!buffer.memory) return;
  const auto around = inspect_guards(buffer.memory);
  const auto within =
      buffer.placement ? buffer.placement->inspect_gaps(buffer.base, salt) : GapDamage{};
  evidence.guard_changed += around.bytes + within.bytes;
  if (!evidence.guard_place.empty()) return;
  if (around.bytes > 0) {
    evidence.guard_place = fmt::format("{} {:+}", name, around.place);
  } else if (within.bytes > 0) {
    evidence.guard_place = fmt::format("{}, gap at byte {}", name, within.place);
  }
}

}  // namespace

CallBuffers Stage::make(const Case& test_case, const Operation& operation,
                        const Membership& membership, CollectiveArguments& arguments) {
  const auto sizes = block_sizes_of(test_case, operation, membership);
  const int position = membership.position;
  CallBuffers buffers;
  buffers.operation = &operation;
  buffers.membership = &membership;
  buffers.plan = buffer_plan(sizes, position);
  const auto& plan = buffers.plan;
  const int width = width_of(operation.collective, operation.op);
  // A reduction has one data type for both buffers: items that fit all blocks.
  const bool one_type = traits_of(operation.collective).reduces && !plan.send.empty();
  set_layout(operation.send_layout, position, width, plan.send, arguments.send);
  set_layout(operation.receive_layout, position, width, one_type ? plan.send : plan.receive,
             arguments.receive);
  buffers.send = place(operation, plan.send, arguments.send);
  buffers.receive = place(operation, plan.receive, arguments.receive);
  arguments.in_place = is_in_place(sizes, position);
  arguments.root = sizes.root;
  arguments.role = sizes.role;
  return buffers;
}

PlacedBuffer Stage::place(const Operation& operation, const std::vector<std::int64_t>& elements,
                          BufferSide& side) {
  PlacedBuffer buffer;
  if (elements.empty()) return buffer;
  const int width = width_of(operation.collective, operation.op);
  const auto blocks = in_operands(elements, width);
  const auto element = size_of(operation.dtype);
  const auto operand = element * static_cast<std::size_t>(width);
  const auto offset = static_cast<std::size_t>(operation.skew) * element % kAlignment;
  const bool irregular = traits_of(operation.collective).irregular;
  const bool spread =
      irregular && blocks.size() > 1 && (operation.holes > 0 || operation.order > 0);
  buffer.elements = total(elements);
  if (irregular) {
    side.counts = blocks;
    for (auto& count : side.counts) count /= side.elements_per_item;
    side.displacements = displacements_of(operation, side.counts);
  }
  // All others are as large, but those for no neighbor, whose places stay free.
  const auto largest = *std::ranges::max_element(blocks);
  const bool full = irregular || std::ranges::count(blocks, largest) == std::ssize(blocks);
  side.count = largest / side.elements_per_item;
  if (side.layout.kind == LayoutKind::dense && !spread && full) {
    buffer.memory = pool_.acquire(static_cast<std::size_t>(buffer.elements) * element, offset);
    buffer.base = buffer.memory.data;
  } else {
    const auto map = type_map(side.layout, operand, side.elements_per_item);
    auto displacements = side.displacements;
    if (!irregular) {
      displacements.resize(blocks.size());
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        displacements[i] = static_cast<std::int64_t>(i) * side.count;
      }
    }
    buffer.placement.emplace(map, placed_by_extent(map, blocks, displacements));
    const auto bytes = static_cast<std::size_t>(bytes_of(*buffer.placement));
    buffer.memory = pool_.acquire(bytes, offset);
    buffer.base = buffer.memory.data - buffer.placement->first_byte();
  }
  side.data = buffer.base;
  return buffer;
}

void Stage::blank(CallBuffers& buffers) const {
  if (bare_) return;
  for (const auto* memory : {&buffers.send.memory, &buffers.receive.memory}) {
    std::fill_n(memory->data, memory->bytes, kUntouched);
  }
}

void Stage::fill(const Case& test_case, CallBuffers& buffers) {
  if (bare_) return;
  const auto& operation = *buffers.operation;
  const int position = buffers.membership->position;
  const auto element = size_of(operation.dtype);
  oracle_.begin(call_of(test_case, operation, *buffers.membership));
  if (buffers.send.memory) {
    auto& send = buffers.send;
    arm_guards(send.memory);
    if (!send.placement) {
      oracle_.fill_input(position, send.base);
    } else {
      packed_.resize(static_cast<std::size_t>(send.elements) * element);
      oracle_.fill_input(position, packed_.data());
      send.placement->scatter(packed_.data(), send.base);
      send.placement->arm_gaps(send.base, kSendSalt);
    }
  }
  if (buffers.receive.memory) fill_receive(position, buffers, element);
}

void Stage::fill_receive(int position, const CallBuffers& buffers, std::size_t element_bytes) {
  const auto& receive = buffers.receive;
  const auto bytes = static_cast<std::size_t>(receive.elements) * element_bytes;
  arm_guards(receive.memory);
  if (receive.placement) packed_.resize(bytes);
  std::byte* const to = receive.placement ? packed_.data() : receive.base;
  const auto input_at = buffers.plan.input_at;
  const bool all_input = input_at == 0 && oracle_.input_count(position) == receive.elements;
  if (!all_input) std::fill_n(to, bytes, kUntouched);
  if (input_at >= 0) {
    oracle_.fill_input(position, to + input_at * static_cast<std::int64_t>(element_bytes));
  }
  if (!receive.placement) return;
  receive.placement->scatter(packed_.data(), receive.base);
  receive.placement->arm_gaps(receive.base, kReceiveSalt);
}

void Stage::judge(const Case& test_case, CallBuffers& buffers, Evidence& evidence) {
  if (bare_) return;
  const auto& operation = *buffers.operation;
  const auto& membership = *buffers.membership;
  const int position = membership.position;
  const auto element = size_of(operation.dtype);
  add_damage(buffers.receive, "output", kReceiveSalt, evidence);
  add_damage(buffers.send, "input", kSendSalt, evidence);
  oracle_.begin(call_of(test_case, operation, membership));
  if (buffers.send.memory) {
    oracle_.judge_input(position, packed(buffers.send, element), evidence);
  }
  if (!buffers.receive.memory || !oracle_.has_output(position)) return;
  std::byte* const output = packed(buffers.receive, element);
  const auto count = oracle_.output_count(position);
  if (operation.divide) {
    divide_by_size(operation.dtype, output, count, static_cast<int>(membership.members.size()));
  }
  if (samples_) take_samples(operation.dtype, output, count, evidence);
  oracle_.judge_output(position, output, kUntouched, evidence);
  if (evidence.suspect >= 0) {
    evidence.suspect =
        givers_of(test_case, operation, membership)[static_cast<std::size_t>(evidence.suspect)];
  }
}

void Stage::release(CallBuffers& buffers) {
  pool_.release(buffers.send.memory);
  pool_.release(buffers.receive.memory);
}

std::byte* Stage::packed(const PlacedBuffer& buffer, std::size_t element_bytes) {
  if (!buffer.placement) return buffer.base;
  packed_.resize(static_cast<std::size_t>(buffer.elements) * element_bytes);
  buffer.placement->gather(buffer.base, packed_.data());
  return packed_.data();
}

void Stage::take_samples(Dtype dtype, const std::byte* output, std::int64_t count,
                         Evidence& evidence) const {
  for (std::int64_t i = 0; i < std::min(count, kSamplesMax); ++i) {
    evidence.output.push_back(
        element_text(dtype, output + static_cast<std::size_t>(i) * size_of(dtype)));
  }
}

}  // namespace allprove
