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
  // What stays in place is as large as what replaces it.
  const bool crosswise =
      first.collective == Collective::all_to_allv || first.collective == Collective::all_to_allw;
  if (crosswise && !first.counts.empty()) first.counts = {first.counts.front()};
  first.send_layout = first.receive_layout;  // what lies in place is of the receiver's type
  Operation twin = first;
  twin.in_place = true;
  return {twin};
}

Twins nonblocking(Operation& first, RandomStream& stream) {
  first.mode = Mode::blocking;
  Operation twin = first;
  twin.mode = stream.chance(1, 3) ? Mode::persistent : Mode::nonblocking;
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

bool to_all(Collective) { return true; }
bool to_any(Collective collective) { return traits_of(collective).moves_data; }
bool to_agreeing(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::all_reduce ||
         collective == Collective::all_gather || collective == Collective::all_gatherv;
}
// A broadcast has one buffer.
bool to_sending(Collective collective) {
  return to_any(collective) && collective != Collective::broadcast;
}
bool to_reductions(Collective collective) { return traits_of(collective).reduces; }
bool to_elementwise(Collective collective) { return traits_of(collective).elementwise; }
bool to_in_place(Collective collective) { return traits_of(collective).can_in_place; }
bool to_symmetric(Collective collective) {
  return collective == Collective::all_reduce || collective == Collective::reduce;
}

constexpr auto kAny = Operands::any;
constexpr auto kPredefined = Operands::predefined;

constexpr Pattern kPatterns[] = {
    // property, weight, operations, members_min, count_min, operands, exact, applies, twins
    {"matches_reference", 0, 1, 1, 0, kAny, false, to_any, none},
    {"completes", 0, 1, 1, 0, kAny, false, to_all, none},
    {"ranks_agree", 0, 1, 2, 1, kAny, false, to_agreeing, none},
    {"guard_intact", 0, 1, 1, 0, kAny, false, to_any, none},
    {"input_untouched", 0, 1, 1, 1, kAny, false, to_sending, out_of_place},
    {"mean_needs_division", 3, 2, 1, 1, Operands::sum, false, to_reductions, divided},
    {"in_place_equals_out_of_place", 4, 2, 1, 0, kAny, true, to_in_place, in_place},
    {"nonblocking_equals_blocking", 4, 2, 1, 0, kAny, true, to_any, nonblocking},
    {"permutation_invariant", 3, 2, 2, 1, kPredefined, true, to_symmetric, rotated},
    {"scaling_linear", 3, 2, 1, 1, Operands::linear, true, to_reductions, scaled},
    {"split_equals_whole", 3, 3, 1, 2, kPredefined, true, to_elementwise, split},
    {"elementwise", 3, 2, 1, 2, kPredefined, true, to_elementwise, altered},
    {"repeatable", 4, 2, 1, 1, kAny, false, to_any, repeated},
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
