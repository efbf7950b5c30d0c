#include "framework/search/pattern.h"

namespace allprove {
namespace {

using Twins = std::vector<Operation>;

Twins none(Operation&, RandomStream&) { return {}; }

Twins out_of_place(Operation& first, RandomStream&) {
  first.in_place = false;
  return {};
}

Twins divided(Operation& first, RandomStream&) {
  first.divide = false;
  Operation twin = first;
  twin.divide = true;
  return {twin};
}

Twins in_place(Operation& first, RandomStream&) {
  first.in_place = false;
  Operation twin = first;
  twin.in_place = true;
  return {twin};
}

Twins nonblocking(Operation& first, RandomStream&) {
  first.mode = Mode::blocking;
  Operation twin = first;
  twin.mode = Mode::nonblocking;
  return {twin};
}

Twins rotated(Operation& first, RandomStream& stream) {
  Operation twin = first;
  twin.data.rotate = static_cast<int>(stream.between(1, 7));
  return {twin};
}

// Small factors, so that floating point stays exact.
Twins scaled(Operation& first, RandomStream& stream) {
  first.divide = false;
  Operation twin = first;
  twin.data.scale = static_cast<int>(stream.between(1, 8));
  return {twin};
}

Twins split(Operation& first, RandomStream& stream) {
  const auto count = count_of(first);
  first.cut = stream.between(1, count - 1);
  Operation head = first;
  head.cut = kNoCut;
  head.shape = {first.cut};
  Operation tail = head;
  tail.shape = {count - first.cut};
  tail.data.first = first.data.first + first.cut;
  return {head, tail};
}

Twins altered(Operation& first, RandomStream& stream) {
  first.cut = stream.between(0, count_of(first) - 1);
  Operation twin = first;
  twin.data.altered = true;
  return {twin};
}

Twins repeated(Operation& first, RandomStream&) { return {first}; }

constexpr auto kAny = Operands::any;

constexpr Pattern kPatterns[] = {
    // property, weight, operations, members_min, count_min, operands, exact, twins
    {"matches_reference", 0, 1, 1, 0, kAny, false, none},
    {"ranks_agree", 0, 1, 2, 1, kAny, false, none},
    {"guard_intact", 0, 1, 1, 0, kAny, false, none},
    {"input_untouched", 0, 1, 1, 1, kAny, false, out_of_place},
    {"mean_needs_division", 3, 2, 1, 1, Operands::sum, false, divided},
    {"in_place_equals_out_of_place", 3, 2, 1, 0, kAny, true, in_place},
    {"nonblocking_equals_blocking", 3, 2, 1, 0, kAny, true, nonblocking},
    {"permutation_invariant", 3, 2, 2, 1, kAny, true, rotated},
    {"scaling_linear", 3, 2, 1, 1, Operands::linear, true, scaled},
    {"split_equals_whole", 3, 3, 1, 2, kAny, true, split},
    {"elementwise", 3, 2, 1, 2, kAny, true, altered},
    {"repeatable", 2, 2, 1, 1, kAny, false, repeated},
};

}  // namespace

std::span<const Pattern> all_patterns() { return kPatterns; }

const Pattern& pattern_for(std::string_view property) {
  for (const auto& pattern : kPatterns) {
    if (pattern.property == property) return pattern;
  }
  return kPatterns[0];
}

}  // namespace allprove
