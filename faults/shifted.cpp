#include "faults/shifted.h"

#include <algorithm>

#include "framework/oracle/oracle.h"

namespace allprove {
namespace {

const OperationRecord* record_of(const History& history, int rank, int operation) {
  if (static_cast<std::size_t>(rank) >= history.ranks.size()) return nullptr;
  const auto& operations = history.ranks[static_cast<std::size_t>(rank)].operations;
  const auto index = static_cast<std::size_t>(operation);
  return index < operations.size() ? &operations[index] : nullptr;
}

// The operation that each member entered as its call number `number` (from 0) on the group; empty
// when a member has entered fewer.
std::vector<int> met_in(const Case& test_case, const Orders& orders, int group, std::size_t number,
                        const std::vector<int>& members) {
  std::vector<int> met;
  for (const int member : members) {
    std::size_t seen = 0;
    for (const int operation : orders[static_cast<std::size_t>(member)]) {
      if (test_case.program[static_cast<std::size_t>(operation)].group != group) continue;
      if (seen++ == number) {
        met.push_back(operation);
        break;
      }
    }
  }
  if (met.size() != members.size()) met.clear();
  return met;
}

// Whether the rank's wrong output is what the calls that met must leave.
bool is_shifted(const Case& test_case, const Membership& membership, const std::vector<int>& met,
                const Evidence& seen) {
  if (std::all_of(met.begin(), met.end(), [&](int other) { return other == met.front(); })) {
    return false;
  }
  std::vector<Call> calls;
  for (const int operation : met) {
    calls.push_back(
        call_of(test_case, test_case.program[static_cast<std::size_t>(operation)], membership));
  }
  const auto expected = expected_digests(calls, membership.position);
  return expected && expected->whole == seen.digests.whole;
}

}  // namespace

Orders orders_of(const Case& test_case, const History& history) {
  Orders orders(static_cast<std::size_t>(test_case.ranks));
  for (int rank = 0; rank < test_case.ranks; ++rank) {
    std::vector<std::pair<std::int64_t, int>> calls;
    for (int index = 0; index < static_cast<int>(test_case.program.size()); ++index) {
      const auto* record = record_of(history, rank, index);
      const auto kind = test_case.program[static_cast<std::size_t>(index)].kind;
      if (enters_collective(kind) && record != nullptr && record->called_ns != 0) {
        calls.emplace_back(record->called_ns, index);
      }
    }
    std::sort(calls.begin(), calls.end());
    for (const auto& [when, index] : calls) {
      orders[static_cast<std::size_t>(rank)].push_back(index);
    }
  }
  return orders;
}

std::vector<int> out_of_order(const Case& test_case, const Orders& orders) {
  std::vector<int> ranks;
  for (int rank = 0; rank < test_case.ranks; ++rank) {
    const auto& order = orders[static_cast<std::size_t>(rank)];
    if (order.empty()) continue;
    std::vector<int> due;
    const int last = *std::max_element(order.begin(), order.end());
    for (int index = 0; index <= last; ++index) {
      const auto& operation = test_case.program[static_cast<std::size_t>(index)];
      if (enters_collective(operation.kind) &&
          membership_of(test_case, operation.group, rank).part >= 0) {
        due.push_back(index);
      }
    }
    if (order != due) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<Shifted> find_shifted(const Case& test_case, const History& history,
                                  const Orders& orders) {
  std::vector<Shifted> found;
  for (int rank = 0; rank < test_case.ranks; ++rank) {
    std::vector<std::size_t> entered(test_case.groups.size(), 0);
    for (const int index : orders[static_cast<std::size_t>(rank)]) {
      const int group = test_case.program[static_cast<std::size_t>(index)].group;
      const auto number = entered[static_cast<std::size_t>(group)]++;
      const auto* record = record_of(history, rank, index);
      if (record == nullptr || !record->evidence.checked || record->evidence.wrong == 0) continue;
      const auto membership = membership_of(test_case, group, rank);
      if (membership.part < 0) continue;
      const auto met = met_in(test_case, orders, group, number, membership.members);
      if (met.empty() || !is_shifted(test_case, membership, met, record->evidence)) continue;
      found.push_back({rank, index});
    }
  }
  return found;
}

void mark_shifted(const Case& test_case, const Orders& orders, History& history) {
  for (const auto& [rank, operation] : find_shifted(test_case, history, orders)) {
    history.ranks[static_cast<std::size_t>(rank)]
        .operations[static_cast<std::size_t>(operation)]
        .evidence.symptom = Symptom::shifted;
  }
}

}  // namespace allprove
