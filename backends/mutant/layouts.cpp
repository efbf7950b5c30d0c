// Bugs of derived data types: gaps, extents, the order of elements.
#include <algorithm>
#include <cstring>

#include "backends/mutant/bugs.h"
#include "backends/mutant/gaps.h"

namespace allprove::mutant {
namespace {

bool sends_derived(const MutantCall& call) {
  return !call.packed.input.empty() && call.arguments.send.data != nullptr &&
         call.arguments.send.layout.kind != LayoutKind::dense;
}

Placement placement_of(const MutantCall& call, const BufferSide& side) {
  return reference::placement_of(call.arguments, side, call.ranks());
}

// The bytes that follow each other in memory, gaps included.
void reads_as_dense(MutantCall& call) {
  if (!sends_derived(call)) return;
  const auto& side = call.arguments.send;
  std::memcpy(call.packed.input.data(), side.data + placement_of(call, side).first_byte(),
              call.packed.input.size());
}

// The elements, but as they lie in memory.
void ignores_order_of_elements(MutantCall& call) {
  if (!sends_derived(call)) return;
  const auto& side = call.arguments.send;
  const auto placement = placement_of(call, side);
  const auto used = bytes_of_elements(placement);
  std::size_t next = 0;
  for (std::size_t at = 0; at < used.size(); ++at) {
    if (!used[at]) continue;
    call.packed.input[next++] = side.data[placement.first_byte() + static_cast<std::int64_t>(at)];
  }
}

// Items follow each other without the room that their type was resized to.
void ignores_extent(MutantCall& call) {
  if (!sends_derived(call)) return;
  const auto& side = call.arguments.send;
  auto map = type_map(side.layout, call.element_bytes(), side.elements_per_item);
  map.extent = end_byte(map, 1) - first_byte(map, 1);
  auto displacements = side.displacements;
  while (displacements.size() < call.packed.given.size()) {
    displacements.push_back(static_cast<std::int64_t>(displacements.size()) * side.count);
  }
  Placement(map, placed_by_extent(map, call.packed.given, displacements))
      .gather(side.data, call.packed.input.data());
}

void last_element_missing(MutantCall& call) {
  if (call.arguments.receive.layout.kind == LayoutKind::dense) return;
  undo_last_element(call, call.result());
}

void fills_gaps(MutantCall& call) {
  const auto& side = call.arguments.receive;
  if (side.layout.kind == LayoutKind::vector) {
    spoil_first_gap(placement_of(call, side), side.data);
  }
}

void mixed_types_wrong(MutantCall& call) {
  const auto& arguments = call.arguments;
  if (arguments.send.data == nullptr || arguments.receive.data == nullptr) return;
  spoil_result_if(call, (arguments.send.layout.kind == LayoutKind::dense) !=
                            (arguments.receive.layout.kind == LayoutKind::dense));
}

constexpr Mutant kBugs[] = {
    row("type_read_as_dense", "matches_reference",
        "A derived type is sent as if its elements lay one behind the other.", kMoves,
        Moment::input, reads_as_dense),
    row("type_order_ignored", "matches_reference",
        "The elements of a derived type are sent in the order in which they lie in memory.", kMoves,
        Moment::input, ignores_order_of_elements),
    row("type_extent_ignored", "matches_reference",
        "Items of a derived type are read without the room between them.", kMoves, Moment::input,
        ignores_extent),
    row("type_tail_missing", "matches_reference",
        "The last element of a derived type does not arrive.", kMoves, Moment::result,
        last_element_missing),
    row("type_mixed_wrong", "matches_reference",
        "The first element is wrong where a rank sends one type and receives another.", kMoves,
        Moment::result, mixed_types_wrong),
    row("vector_gap_written", "guard_intact",
        "The gap behind the first run of a vector type is overwritten.", kMoves, Moment::memory,
        fills_gaps),
};

}  // namespace

std::span<const Mutant> layout_bugs() { return kBugs; }

}  // namespace allprove::mutant
