#include "faults/standstill.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "framework/base/check.h"

namespace allprove {

Standstill::Standstill(const Case& test_case, const std::vector<Position>& positions)
    : test_case_(test_case), positions_(positions) {
  ALLPROVE_CHECK(positions.size() == static_cast<std::size_t>(test_case.ranks));
  const auto ranks = static_cast<std::size_t>(test_case.ranks);
  for (const auto& group : test_case.groups) {
    auto& parts = parts_.emplace_back(group.parts);
    if (group.kind == GroupKind::inter) {  // both sides wait for each other
      parts[0].insert(parts[0].end(), parts[1].begin(), parts[1].end());
      parts.pop_back();
    }
    if (parts.empty()) {
      auto& everyone = parts.emplace_back(ranks);
      std::iota(everyone.begin(), everyone.end(), 0);
    }
    auto& part_of = part_of_.emplace_back(ranks, -1);
    auto& position = position_.emplace_back(ranks, -1);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (std::size_t i = 0; i < parts[part].size(); ++i) {
        const auto rank = static_cast<std::size_t>(parts[part][i]);
        part_of[rank] = static_cast<int>(part);
        position[rank] = static_cast<int>(i);
      }
    }
  }
  calls_on_.resize(parts_.size());
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto& operation = test_case.program[i];
    if (!enters_collective(operation.kind)) continue;
    calls_on_[static_cast<std::size_t>(operation.group)].push_back(static_cast<int>(i));
  }
}

int Standstill::waited_operation(int rank) const {
  const auto& program = test_case_.program;
  const int index = at(rank).operation;
  if (index < 0 || static_cast<std::size_t>(index) >= program.size()) return -1;
  const auto& operation = program[static_cast<std::size_t>(index)];
  if (completes_all(operation.kind)) return oldest_request(rank);
  if (!completes_request(operation.kind)) return index;
  for (int i = index - 1; i >= 0; --i) {
    const auto& earlier = program[static_cast<std::size_t>(i)];
    if (earlier.kind == OperationKind::start && earlier.request == operation.request) return i;
  }
  return -1;
}

// Of those that a wait for all of them waits for, on the group that the position names.
int Standstill::oldest_request(int rank) const {
  std::map<int, int> open;  // by label, its start
  for (int i = 0; i < at(rank).operation; ++i) {
    const auto& operation = test_case_.program[static_cast<std::size_t>(i)];
    if (operation.kind == OperationKind::start) open[operation.request] = i;
    if (completes_request(operation.kind)) open.erase(operation.request);
    if (completes_all(operation.kind)) open.clear();
  }
  int oldest = -1;
  for (const auto& [label, start] : open) {
    if (test_case_.program[static_cast<std::size_t>(start)].group != at(rank).group) continue;
    if (oldest < 0 || start < oldest) oldest = start;
  }
  return oldest;
}

bool Standstill::waits(int rank) const {
  const auto& position = at(rank);
  if (!position.alive || position.phase != Phase::called) return false;
  if (position.group < 0 || position.group >= groups() || !member_of(position.group, rank)) {
    return false;
  }
  const int index = position.operation;
  if (index < 0 || static_cast<std::size_t>(index) >= test_case_.program.size()) return false;
  const auto kind = test_case_.program[static_cast<std::size_t>(index)].kind;
  return kind == OperationKind::call || completes_request(kind) || completes_all(kind);
}

const std::vector<int>& Standstill::members(int group, int rank) const {
  static const std::vector<int> kNobody;
  const int part = part_of_[static_cast<std::size_t>(group)][static_cast<std::size_t>(rank)];
  return part < 0 ? kNobody
                  : parts_[static_cast<std::size_t>(group)][static_cast<std::size_t>(part)];
}

int Standstill::position_in(int group, int rank) const {
  return position_[static_cast<std::size_t>(group)][static_cast<std::size_t>(rank)];
}

int Standstill::entered(int rank, int group) const {
  const auto& counts = at(rank).entered;
  const auto index = static_cast<std::size_t>(group);
  return index < counts.size() ? counts[index] : 0;
}

bool Standstill::entered_any(int rank) const {
  const auto& counts = at(rank).entered;
  return std::any_of(counts.begin(), counts.end(), [](int count) { return count > 0; });
}

const std::vector<int>& Standstill::calls_on(int group) const {
  return calls_on_[static_cast<std::size_t>(group)];
}

// Communicators are made before the first call, and again where they were freed; the position then
// names the operation that will use them.
bool Standstill::makes_communicators(int rank) const {
  const auto& position = at(rank);
  if (position.phase == Phase::finished) return false;
  return position.phase == Phase::called ? position.call_number == 0 : !entered_any(rank);
}

int Standstill::deviation(int rank, int group) const {
  if (!member_of(group, rank) || makes_communicators(rank)) return 0;
  if (entered(rank, group) == kEnteredAll) return 0;
  const auto& position = at(rank);
  const auto& calls = calls_on(group);
  // Threads go on each at its own pace; the position is that of one of them.
  const auto thread_at = [&](int index) {
    return test_case_.program[static_cast<std::size_t>(index)].thread;
  };
  if (!calls.empty() && position.operation >= 0 &&
      thread_at(calls.front()) != thread_at(position.operation)) {
    return 0;
  }
  const auto due = position.phase == Phase::finished
                       ? calls.end()
                       : std::upper_bound(calls.begin(), calls.end(), position.operation);
  return entered(rank, group) - static_cast<int>(due - calls.begin());
}

bool Standstill::deviates(int rank) const {
  for (int group = 0; group < groups(); ++group) {
    if (deviation(rank, group) != 0) return true;
  }
  return false;
}

bool fit(const Operation& a, const Operation& b) {
  const auto bytes = [](const Operation& operation) {
    return traits_of(operation.collective).moves_data
               ? largest_block(operation) * static_cast<std::int64_t>(size_of(operation.dtype))
               : 0;
  };
  return a.collective == b.collective && a.mode == b.mode && bytes(a) == bytes(b) &&
         (!traits_of(a.collective).rooted || a.root == b.root) &&
         a.algorithm.name == b.algorithm.name && a.algorithm.pick == b.algorithm.pick;
}

}  // namespace allprove
