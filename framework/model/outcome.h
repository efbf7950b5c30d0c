// What happened, and what that means.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace allprove {

// Ordered from best to worst: merging keeps the worst.
enum class Outcome { ok, error, crash, hang, wrong };

constexpr auto enum_names(Outcome) {
  return std::to_array<std::string_view>({"ok", "error", "crash", "hang", "wrong"});
}
constexpr Outcome worse(Outcome a, Outcome b) { return std::max(a, b); }

// What an outcome means for a claim. `unknown` is our own failure and never counts as a pass.
// Ordered so that merging the verdicts of a case keeps the one that matters most.
enum class Verdict { skip, pass, note, unknown, fail };

constexpr auto enum_names(Verdict) {
  return std::to_array<std::string_view>({"skip", "pass", "note", "unknown", "fail"});
}
constexpr Verdict merge(Verdict a, Verdict b) { return std::max(a, b); }

}  // namespace allprove
