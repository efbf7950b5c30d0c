#include "tests/unit/search/served.h"

#include <functional>

namespace allprove {
namespace {

using Change = std::function<void(Operation&)>;

// Equal but for how they are taken apart into start and wait, and for what `change` changes.
bool twins(const Operation& plain, const Operation& varied, const Change& change) {
  Operation expected = plain;
  change(expected);
  expected.kind = varied.kind;
  expected.request = varied.request;
  return expected == varied;
}

// Whether the oracle demands one result, to the bit.
bool is_exact(const Operation& operation) {
  return !traits_of(operation.collective).reduces || !can_round(operation.dtype) ||
         operation.data.family == Family::closed;
}

// The properties that compare a call with another one.
struct Relation {
  const char* property;
  bool (*speaks_of)(Collective);
  // Whether `varied` is `plain` but for the aspect of the property.
  bool (*relates)(const Operation& plain, const Operation& varied);
};

bool moves(Collective collective) { return traits_of(collective).moves_data; }
bool reduces(Collective collective) { return traits_of(collective).reduces; }

constexpr Relation kRelations[] = {
    {"mean_needs_division", reduces,
     [](const Operation& a, const Operation& b) {
       return !a.divide && twins(a, b, [](Operation& o) { o.divide = true; });
     }},
    {"in_place_equals_out_of_place", [](Collective c) { return traits_of(c).can_in_place; },
     [](const Operation& a, const Operation& b) {
       return !a.in_place && is_exact(a) && twins(a, b, [](Operation& o) { o.in_place = true; });
     }},
    {"nonblocking_equals_blocking", moves,
     [](const Operation& a, const Operation& b) {
       return a.mode == Mode::blocking && b.mode != Mode::blocking && is_exact(a) &&
              twins(a, b, [&](Operation& o) { o.mode = b.mode; });
     }},
    {"permutation_invariant",
     [](Collective c) { return c == Collective::all_reduce || c == Collective::reduce; },
     [](const Operation& a, const Operation& b) {
       return b.data.rotate != 0 && a.data.rotate == 0 && is_exact(a) &&
              twins(a, b, [&](Operation& o) { o.data.rotate = b.data.rotate; });
     }},
    {"scaling_linear", reduces,
     [](const Operation& a, const Operation& b) {
       return b.data.scale != 0 && a.data.scale == 0 && !a.divide && is_exact(a) &&
              twins(a, b, [&](Operation& o) { o.data.scale = b.data.scale; });
     }},
    {"elementwise", [](Collective c) { return traits_of(c).elementwise; },
     [](const Operation& a, const Operation& b) {
       return !a.data.altered && is_exact(a) &&
              twins(a, b, [](Operation& o) { o.data.altered = true; });
     }},
    {"repeatable", moves,
     [](const Operation& a, const Operation& b) { return twins(a, b, [](Operation&) {}); }},
};

constexpr const char* kSplit = "split_equals_whole";

bool is_piece(const Operation& whole, const Operation& piece, std::int64_t first,
              std::int64_t count) {
  return twins(whole, piece, [=](Operation& expected) {
    expected.cut = kNoCut;
    expected.shape = {count};
    expected.data.first = first;
  });
}

template <class Related>
bool any_entry(const Case& test_case, Related related) {
  for (const auto& operation : test_case.program) {
    if (enters_collective(operation.kind) && related(operation)) return true;
  }
  return false;
}

bool is_split(const Case& test_case, const Operation& whole) {
  if (whole.cut <= 0 || !is_exact(whole)) return false;
  const auto has = [&](std::int64_t first, std::int64_t count) {
    return any_entry(test_case,
                     [&](const Operation& o) { return is_piece(whole, o, first, count); });
  };
  return has(whole.data.first, whole.cut) &&
         has(whole.data.first + whole.cut, count_of(whole) - whole.cut);
}

}  // namespace

const std::vector<std::string>& comparing_properties() {
  static const auto names = [] {
    std::vector<std::string> list = {kSplit};
    for (const auto& relation : kRelations) list.emplace_back(relation.property);
    return list;
  }();
  return names;
}

bool speaks_of(const std::string& property, Collective collective) {
  if (property == kSplit) return traits_of(collective).elementwise;
  for (const auto& relation : kRelations) {
    if (relation.property == property) return relation.speaks_of(collective);
  }
  return false;
}

std::set<std::pair<std::string, Collective>> served_by(const Case& test_case) {
  std::set<std::pair<std::string, Collective>> served;
  for (const auto& a : test_case.program) {
    if (!enters_collective(a.kind) || !traits_of(a.collective).moves_data) continue;
    if (is_split(test_case, a)) served.emplace(kSplit, a.collective);
    any_entry(test_case, [&](const Operation& b) {
      if (&a == &b || a.data.seed != b.data.seed) return false;
      for (const auto& relation : kRelations) {
        if (relation.relates(a, b)) served.emplace(relation.property, a.collective);
      }
      return false;
    });
  }
  return served;
}

}  // namespace allprove
