#include "framework/search/edit.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "framework/model/user_operator.h"
#include "framework/search/group.h"
#include "framework/search/topology.h"

namespace allprove {
namespace {

// What is left of the parts, with new numbers; -1 in `renumbered` for ranks that are gone.
std::vector<std::vector<int>> surviving(const std::vector<std::vector<int>>& parts,
                                        const std::vector<int>& renumbered) {
  std::vector<std::vector<int>> result;
  for (const auto& part : parts) {
    std::vector<int> members;
    for (const int rank : part) {
      if (const int now = renumbered[static_cast<std::size_t>(rank)]; now >= 0)
        members.push_back(now);
    }
    if (!members.empty()) result.push_back(std::move(members));
  }
  return result;
}

// Removes members from the group, and whole parts with them; -1 in `renumbered` for ranks that are
// gone. False when nobody is left, or one side of an intercommunicator.
bool keep_members(Group& group, const std::vector<int>& renumbered) {
  const bool everyone = group.parts.empty();
  if (group.topology != Topology{}) {
    auto positions = everyone ? renumbered : std::vector<int>();
    int left = 0;
    for (const int rank : everyone ? std::vector<int>() : group.parts.front()) {
      positions.push_back(renumbered[static_cast<std::size_t>(rank)] < 0 ? -1 : left++);
    }
    keep_members(group.topology, positions);
  }
  if (everyone) return true;
  group.parts = surviving(group.parts, renumbered);
  return group.parts.size() >= (group.kind == GroupKind::inter ? 2 : 1);
}

std::vector<int> logical_ids(const Case& test_case, const std::vector<int>& kept) {
  std::vector<int> ids;
  for (const int rank : kept) ids.push_back(logical_of(test_case, rank));
  std::vector<int> plain(ids.size());
  std::iota(plain.begin(), plain.end(), 0);
  return ids == plain ? std::vector<int>() : ids;
}

}  // namespace

bool has_elements(const Operation& operation) {
  return enters_collective(operation.kind) && traits_of(operation.collective).moves_data;
}

bool may_be_derived(const Operation& operation) {
  return !traits_of(operation.collective).reduces ||
         has_user_operator(operation.collective, operation.op);
}

void whole_operands(Operation& operation) {
  const auto width = width_of(operation.collective, operation.op);
  const auto round_up = [=](std::int64_t& elements) {
    elements += (width - elements % width) % width;
  };
  auto count = count_of(operation);
  if (count % width != 0) {
    round_up(count);
    operation.shape = {count};
  }
  for (auto& block : operation.counts) round_up(block);
  round_up(operation.send_layout.items);
  round_up(operation.receive_layout.items);
}

void keep_ranks(Case& test_case, const std::vector<int>& kept) {
  std::vector<int> renumbered(static_cast<std::size_t>(test_case.ranks), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    renumbered[static_cast<std::size_t>(kept[i])] = static_cast<int>(i);
  }
  test_case.logical = logical_ids(test_case, kept);
  test_case.ranks = static_cast<int>(kept.size());
  std::erase_if(test_case.faults, [&](Fault& fault) {
    fault.rank = renumbered[static_cast<std::size_t>(fault.rank)];
    return fault.rank < 0;
  });
  std::vector<bool> deserted;
  for (auto& group : test_case.groups) deserted.push_back(!keep_members(group, renumbered));
  keep_operations(test_case, [&test_case, &deserted](std::size_t i) {
    const auto& operation = test_case.program[i];
    return !deserted[static_cast<std::size_t>(operation.group)];
  });
}

void keep_operations(Case& test_case, const std::function<bool(std::size_t)>& kept) {
  auto& program = test_case.program;
  std::map<int, std::size_t> start_of;  // by the label of a request that is under way
  std::vector<bool> keep(program.size());
  const auto complete_at_start = [&](std::size_t start) {
    program[start].kind = OperationKind::call;
    program[start].request = -1;
  };
  for (std::size_t i = 0; i < program.size(); ++i) {
    keep[i] = kept(i);
    if (program[i].kind == OperationKind::start && keep[i]) start_of[program[i].request] = i;
    if (completes_request(program[i].kind)) {
      const auto start = start_of.find(program[i].request);
      if (start != start_of.end() && !keep[i]) complete_at_start(start->second);
      keep[i] = keep[i] && start != start_of.end();
      if (start != start_of.end()) start_of.erase(start);
    }
    if (completes_all(program[i].kind)) {
      for (const auto& [label, start] : start_of) {
        if (!keep[i]) complete_at_start(start);
      }
      keep[i] = keep[i] && !start_of.empty();
      start_of.clear();
    }
  }
  std::vector<int> moved_to(program.size(), -1);
  std::vector<Operation> left;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (!keep[i]) continue;
    moved_to[i] = static_cast<int>(left.size());
    left.push_back(std::move(program[i]));
  }
  program = std::move(left);
  std::erase_if(test_case.faults, [&](Fault& fault) {
    fault.operation = moved_to[static_cast<std::size_t>(fault.operation)];
    return fault.operation < 0;
  });
  drop_unused_groups(test_case);
}

void complete_at_once(Case& test_case) {
  keep_operations(test_case, [&test_case](std::size_t i) {
    const auto kind = test_case.program[i].kind;
    return !completes_request(kind) && !completes_all(kind);
  });
}

void wait_by_name(Case& test_case) {
  std::set<int> open;
  for (auto& operation : test_case.program) {
    if (operation.kind == OperationKind::start) open.insert(operation.request);
    if (completes_request(operation.kind)) open.erase(operation.request);
    if (!completes_all(operation.kind)) continue;
    if (open.size() == 1) {
      operation.kind = OperationKind::wait;
      operation.request = *open.begin();
    }
    open.clear();
  }
}

void renumber_requests(Case& test_case) {
  std::map<int, int> renumbered;
  for (auto& operation : test_case.program) {
    if (operation.request < 0) continue;
    operation.request =
        renumbered.emplace(operation.request, static_cast<int>(renumbered.size())).first->second;
  }
}

void map_elements(Operation& operation, const ElementMap& map) {
  if (!has_elements(operation)) return;
  auto& first = operation.data.first;
  if (!operation.counts.empty()) {
    const auto begin = map(first);
    for (auto& block : operation.counts) block = map(first + block) - begin;
    first = begin;
    return;
  }
  const auto count = count_of(operation);
  const auto begin = map(first);
  const auto new_count = map(first + count) - begin;
  if (operation.cut != kNoCut) {
    operation.cut = std::min(map(first + operation.cut) - begin, new_count - 1);
    if (new_count == 0) operation.data.altered = false;
  }
  if (new_count != count) operation.shape = {new_count};
  first = begin;
}

}  // namespace allprove
