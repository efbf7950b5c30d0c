// Nobody leaves a barrier before all members have come. No value tells of it, but the times do: the
// ranks of a world share the monotonic clock of their host, and each takes the time just before and
// just after its calls.
#include <fmt/format.h>

#include <algorithm>

#include "framework/model/wording.h"
#include "properties/each.h"
#include "properties/trial.h"

namespace allprove {
namespace {

// The member that called last; -1 where some have not called (they may be gone).
int last_to_call(const Trial& trial, int index, const std::vector<int>& members) {
  int last = -1;
  for (const int rank : members) {
    const auto called = trial.record(rank, index).called_ns;
    if (called == 0) return -1;
    if (last < 0 || called > trial.record(last, index).called_ns) last = rank;
  }
  return last;
}

std::vector<int> left_before(const Trial& trial, int index, const std::vector<int>& members,
                             std::int64_t time_ns) {
  std::vector<int> early;
  std::ranges::copy_if(members, std::back_inserter(early), [&](int rank) {
    const auto completed = trial.record(rank, index).completed_ns;
    return completed != 0 && completed < time_ns;
  });
  std::ranges::sort(early);
  return early;
}

PropertyResult left_early(const Trial& trial, int index, std::vector<int> early, int last) {
  const auto left = trial.record(early.front(), index).completed_ns;
  PropertyResult result;
  result.verdict = Verdict::fail;
  result.operation = index;
  result.reason = fmt::format("{}: rank {} left it {:.1f} us before rank {} called it; early: {}",
                              operation_text(trial.test_case(), index), early.front(),
                              static_cast<double>(trial.record(last, index).called_ns - left) / 1e3,
                              last, ranks_text(early));
  result.ranks = std::move(early);
  return result;
}

// The members of each communicator of the group that are in it together.
std::vector<std::vector<int>> parts_of(const Case& test_case, const Group& group) {
  if (group.parts.empty()) return {membership_of(test_case, 0, 0).members};
  return group.parts;
}

PropertyResult check(const Trial& trial) {
  const auto& test_case = trial.test_case();
  bool judged = false;
  for (int index = 0; index < static_cast<int>(test_case.program.size()); ++index) {
    const auto& operation = test_case.program[static_cast<std::size_t>(index)];
    if (!enters_collective(operation.kind) || operation.collective != Collective::barrier) continue;
    const auto& group = test_case.groups[static_cast<std::size_t>(operation.group)];
    if (group.kind == GroupKind::inter) continue;  // each side waits for the other one alone
    for (const auto& members : parts_of(test_case, group)) {
      const int last = members.size() < 2 ? -1 : last_to_call(trial, index, members);
      if (last < 0) continue;
      judged = true;
      auto early = left_before(trial, index, members, trial.record(last, index).called_ns);
      if (!early.empty()) return left_early(trial, index, std::move(early), last);
    }
  }
  return judged ? passed() : skipped("no barrier of two ranks or more that all came to");
}

}  // namespace

const Property kBarrierWaits = {
    .name = "barrier_waits",
    .claim = "Nobody leaves a barrier before all members have come to it.",
    .needs = "a barrier of two ranks or more",
    .check = check,
};

}  // namespace allprove
