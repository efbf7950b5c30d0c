#include "framework/model/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "framework/base/enum_table.h"
#include "framework/model/use.h"
#include "framework/model/user_operator.h"

namespace allprove {

std::int64_t count_of(const Operation& operation) {
  std::int64_t count = 1;
  for (const auto extent : operation.shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return kElementsMax + 1;
  }
  return count;
}

std::int64_t largest_block(const Operation& operation) {
  return operation.counts.empty() ? count_of(operation) : std::ranges::max(operation.counts);
}

int logical_of(const Case& test_case, int rank) {
  return test_case.logical.empty() ? rank : test_case.logical[static_cast<std::size_t>(rank)];
}

Membership membership_of(const Case& test_case, int group, int rank) {
  const auto& parts = test_case.groups[static_cast<std::size_t>(group)].parts;
  Membership found;
  if (parts.empty()) {
    found.part = 0;
    found.position = rank;
    for (int r = 0; r < test_case.ranks; ++r) found.members.push_back(r);
    return found;
  }
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t position = 0; position < parts[part].size(); ++position) {
      if (parts[part][position] != rank) continue;
      found.part = static_cast<int>(part);
      found.position = static_cast<int>(position);
      found.members = parts[part];
      return found;
    }
  }
  return found;
}

int completion_of(const Case& test_case, int index) {
  const auto& made = test_case.program[static_cast<std::size_t>(index)];
  if (made.kind == OperationKind::call) return index;
  if (made.kind != OperationKind::start) return -1;
  for (int i = index + 1; i < static_cast<int>(test_case.program.size()); ++i) {
    const auto& later = test_case.program[static_cast<std::size_t>(i)];
    if (completes_all(later.kind)) return i;
    if (completes_request(later.kind) && later.request == made.request) return i;
  }
  return -1;
}

int threads_of(const Case& test_case) {
  int threads = 1;
  for (const auto& operation : test_case.program) threads = std::max(threads, operation.thread + 1);
  return threads;
}

namespace {

constexpr std::size_t kBlocksMax = 4096;  // in a list of counts

// How many parts a group of the kind may have.
bool may_have_parts(GroupKind kind, std::size_t parts) {
  switch (kind) {
    case GroupKind::world:
    case GroupKind::duplicate:
      return parts == 0;
    case GroupKind::split:
    case GroupKind::create:
      return parts > 0;
    case GroupKind::cartesian:
    case GroupKind::graph:
      return parts <= 1;
    case GroupKind::inter:
      return parts == 2;
  }
  return false;
}

Status validate_group(const Case& test_case, std::size_t index) {
  const auto& group = test_case.groups[index];
  const auto path = fmt::format("groups[{}]", index);
  if (index == 0 && group.kind != GroupKind::world) {
    return usage_error(path + ": the first group is the world");
  }
  if (!may_have_parts(group.kind, group.parts.size())) {
    return usage_error(fmt::format("{}.parts: too few or too many for a group of kind {}", path,
                                   name_of(group.kind)));
  }
  std::set<int> seen;
  for (const auto& part : group.parts) {
    if (part.empty()) return usage_error(path + ".parts: a part without ranks");
    for (const int rank : part) {
      if (rank < 0 || rank >= test_case.ranks) return usage_error(path + ": no such rank");
      if (!seen.insert(rank).second) return usage_error(path + ": a rank stands in it twice");
    }
  }
  const auto members =
      group.parts.empty() ? static_cast<std::size_t>(test_case.ranks) : group.parts.front().size();
  return validate_topology(group, static_cast<int>(members), path + ".topology");
}

// The requests of a program, on the way through it.
struct Requests {
  std::set<int> open;                                 // labels of those under way
  std::map<int, const Operation*> persistent_starts;  // the first of each label
};

Status validate_blocks(const Operation& operation, const std::string& path) {
  const auto traits = traits_of(operation.collective);
  const bool placed = operation.holes != 0 || operation.order != 0;
  if (!traits.irregular && (placed || !operation.counts.empty())) {
    return usage_error(path +
                       ": counts, holes and order are for collectives with counts of their own");
  }
  if (operation.counts.size() > kBlocksMax) return usage_error(path + ".counts: too many");
  std::int64_t sum = 0;
  for (const auto count : operation.counts) {
    if (count < 0 || count > kElementsMax) return usage_error(path + ".counts: out of range");
    sum += count;
  }
  if (sum > kElementsMax) return usage_error(path + ".counts: too many elements");
  if (auto status = validate(operation.send_layout); !status) return status;
  if (auto status = validate(operation.receive_layout); !status) return status;
  const bool derived = operation.send_layout.kind != LayoutKind::dense ||
                       operation.receive_layout.kind != LayoutKind::dense;
  if (derived && traits.reduces && !has_user_operator(operation.collective, operation.op)) {
    return usage_error(path + ": predefined operators take no derived data types");
  }
  if (operation.holes < 0 || operation.holes > 63) {
    return usage_error(path + ".holes: not in 0 to 63");
  }
  if (!traits.elementwise && (operation.cut != kNoCut || operation.data.altered)) {
    return usage_error(path + ".cut: not for this collective");
  }
  return {};
}

// A user-defined operator combines operands of several elements, as they are.
Status validate_operands(const Operation& operation, const std::string& path) {
  const bool user = has_user_operator(operation.collective, operation.op);
  if (operation.divide && (user || !can_divide(operation.dtype))) {
    return usage_error(path + ".divide: not for this operator and type");
  }
  if (!user) return {};
  const auto is_whole = [width = width_of(operation.op)](std::int64_t elements) {
    return elements % width == 0;
  };
  if (!is_whole(count_of(operation)) || !std::ranges::all_of(operation.counts, is_whole) ||
      !is_whole(operation.holes) || !is_whole(operation.send_layout.items) ||
      !is_whole(operation.receive_layout.items)) {
    return usage_error(fmt::format("{}: elements of {} come in multiples of {}", path,
                                   name_of(operation.op), width_of(operation.op)));
  }
  if (operation.cut != kNoCut || operation.data.altered || operation.data.scale != 0) {
    return usage_error(path + ": no cut, altered or scaled data with user-defined operators");
  }
  // MPI's reductions take one data type, the same everywhere (4.0, 6.9.1).
  if (!(operation.send_layout == operation.receive_layout) ||
      operation.send_layout.ranks != Layout{}.ranks) {
    return usage_error(path + ": a reduction has one layout, on both sides and all ranks");
  }
  return {};
}

Status validate_use(const Group& group, const Operation& operation, const std::string& path) {
  if (may_run_on(group, operation)) return {};
  return usage_error(path + (needs_neighbors(operation.collective)
                                 ? ": a neighborhood collective needs a topology"
                                 : ": not on an intercommunicator"));
}

// Two threads may not call on one communicator at once (MPI 4.0, 11.6.2), and all communicators are
// made by calls on the world.
Status validate_threads(const Case& test_case) {
  std::map<int, int> thread_of_group = {{0, 0}};
  std::map<int, int> thread_of_request;
  const bool several = threads_of(test_case) > 1;
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto& operation = test_case.program[i];
    const auto path = fmt::format("program[{}].thread", i);
    const int thread = operation.thread;
    if (thread < 0 || thread >= kThreadsMax) {
      return usage_error(fmt::format("{}: not in 0 to {}", path, kThreadsMax - 1));
    }
    if (several && completes_all(operation.kind)) {
      return usage_error(path + ": what waits for all requests needs a program of one thread");
    }
    const bool manages = manages_communicator(operation.kind);
    if (manages && thread != 0) return usage_error(path + ": communicators are made by thread 0");
    if (manages || enters_collective(operation.kind)) {
      const int owner = thread_of_group.emplace(operation.group, thread).first->second;
      if (owner != thread) {
        return usage_error(
            fmt::format("{}: group {} is thread {}'s", path, operation.group, owner));
      }
    }
    if (operation.request < 0) continue;
    if (thread_of_request.emplace(operation.request, thread).first->second != thread) {
      return usage_error(path + ": the request is another thread's");
    }
  }
  return {};
}

Status validate_start(const Operation& operation, const std::string& path, Requests& requests) {
  if (operation.request < 0 || operation.mode == Mode::blocking) {
    return usage_error(path + ": a start needs a request and a mode that is not blocking");
  }
  if (!requests.open.insert(operation.request).second) {
    return usage_error(path + ".request: already under way");
  }
  if (operation.mode == Mode::persistent) {
    requests.persistent_starts.emplace(operation.request, &operation);
  }
  const auto first = requests.persistent_starts.find(operation.request);
  if (first == requests.persistent_starts.end()) return {};
  Operation same = operation;
  same.data = first->second->data;
  if (!(same == *first->second)) {
    return usage_error(path + ": a persistent request is started again with other data only");
  }
  return {};
}

Status validate_operation(const Case& test_case, std::size_t index, Requests& requests) {
  const auto& operation = test_case.program[index];
  const auto path = fmt::format("program[{}]", index);
  const auto groups = static_cast<int>(test_case.groups.size());
  if (operation.group < 0 || operation.group >= groups) {
    return usage_error(path + ".group: no such group");
  }
  if (operation.shape.size() > 5) return usage_error(path + ".shape: more than 5 dimensions");
  for (const auto extent : operation.shape) {
    if (extent < 0) return usage_error(path + ".shape: a negative extent");
  }
  const auto count = count_of(operation);
  if (count > kElementsMax) return usage_error(path + ".shape: too many elements");
  if (operation.root < 0) return usage_error(path + ".root: negative");
  if (operation.skew < 0 || operation.skew > 63) return usage_error(path + ".skew: not in 0 to 63");
  if (operation.cut < kNoCut || (operation.cut != kNoCut && operation.cut >= count)) {
    return usage_error(path + ".cut: not an element of the buffer");
  }
  if (operation.data.first < 0 || operation.data.first > kFirstMax || operation.data.rotate < 0 ||
      operation.data.scale < 0 || operation.data.scale > 30) {
    return usage_error(path +
                       ".data: first (up to 2^60), rotate and scale (up to 30) are not negative");
  }
  if (operation.delay_us < 0 || operation.delay_us > 60'000'000) {
    return usage_error(path + ".delay_us: not in 0 to 60 seconds");
  }
  const auto& traits = traits_of(operation.collective);
  if (enters_collective(operation.kind) && traits.reduces &&
      !is_legal(operation.op, operation.dtype)) {
    return usage_error(fmt::format("{}: {} is not defined on {}", path, name_of(operation.op),
                                   name_of(operation.dtype)));
  }
  if (enters_collective(operation.kind) && operation.in_place && !traits.can_in_place) {
    return usage_error(path + ".in_place: not for this collective");
  }
  if (enters_collective(operation.kind)) {
    const auto& group = test_case.groups[static_cast<std::size_t>(operation.group)];
    if (auto status = validate_use(group, operation, path); !status) return status;
    if (auto status = validate_blocks(operation, path); !status) return status;
    if (auto status = validate_operands(operation, path); !status) return status;
  }
  if (operation.kind == OperationKind::start) return validate_start(operation, path, requests);
  if (completes_all(operation.kind)) requests.open.clear();
  if (completes_request(operation.kind) && requests.open.erase(operation.request) == 0) {
    return usage_error(path + ".request: nothing of that label is under way");
  }
  return {};
}

}  // namespace

Status validate(const Case& test_case) {
  if (test_case.ranks < 1 || test_case.ranks > kRanksMax) {
    return usage_error(fmt::format("ranks: not in 1 to {}", kRanksMax));
  }
  if (!test_case.logical.empty()) {
    const std::set<int> ids(test_case.logical.begin(), test_case.logical.end());
    if (test_case.logical.size() != static_cast<std::size_t>(test_case.ranks) ||
        ids.size() != test_case.logical.size() || *ids.begin() < 0 || *ids.rbegin() > kRanksMax) {
      return usage_error("logical: one id for every rank, all different");
    }
  }
  if (test_case.groups.empty() || test_case.groups.size() > 64) {
    return usage_error("groups: 1 to 64, the first is the world");
  }
  for (std::size_t i = 0; i < test_case.groups.size(); ++i) {
    if (auto status = validate_group(test_case, i); !status) return status;
  }
  if (test_case.program.size() > kOperationsMax) return usage_error("program: too long");
  Requests requests;
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    if (auto status = validate_operation(test_case, i, requests); !status) return status;
  }
  if (auto status = validate_threads(test_case); !status) return status;
  if (!requests.open.empty())
    return usage_error("program: a request that is started is never completed");
  for (std::size_t i = 0; i < test_case.faults.size(); ++i) {
    const auto& fault = test_case.faults[i];
    if (fault.rank < 0 || fault.rank >= test_case.ranks || fault.operation < 0 ||
        static_cast<std::size_t>(fault.operation) >= test_case.program.size()) {
      return usage_error(fmt::format("faults[{}]: no such rank or operation", i));
    }
  }
  if (test_case.deadline_ms < 0 || test_case.deadline_ms > kDeadlineMaxMs) {
    return usage_error("deadline_ms: not in 0 to 24 hours");
  }
  return {};
}

std::string describe(const Case& test_case, const Operation& operation) {
  if (completes_request(operation.kind)) {
    return fmt::format("{}(request {})", name_of(operation.kind), operation.request);
  }
  if (completes_all(operation.kind)) return std::string(name_of(operation.kind));
  if (operation.kind == OperationKind::delay)
    return fmt::format("delay({} us)", operation.delay_us);
  if (!enters_collective(operation.kind)) {
    return fmt::format("{}(group {})", name_of(operation.kind), operation.group);
  }
  std::string text(name_of(operation.collective));
  if (traits_of(operation.collective).moves_data) {
    const auto& extents = operation.counts.empty() ? operation.shape : operation.counts;
    text += fmt::format("({}{}[{}]", name_of(operation.dtype),
                        operation.counts.empty() ? "" : " in blocks of ", fmt::join(extents, ","));
    if (traits_of(operation.collective).reduces) text += fmt::format(", {}", name_of(operation.op));
    if (traits_of(operation.collective).rooted) text += fmt::format(", root {}", operation.root);
    text += ")";
  }
  if (operation.kind == OperationKind::start) {
    text = fmt::format("start {} as request {}", text, operation.request);
  } else if (operation.mode != Mode::blocking) {
    text = fmt::format("{} {}", name_of(operation.mode), text);
  }
  if (operation.in_place) text += " in place";
  if (operation.holes != 0)
    text += fmt::format(" with holes of {} between blocks", operation.holes);
  if (operation.order != 0) text += " with blocks out of order";
  for (const auto* layout : {&operation.send_layout, &operation.receive_layout}) {
    if (layout->kind == LayoutKind::dense) continue;
    text += fmt::format(" {} {}", layout == &operation.send_layout ? "from" : "to",
                        name_of(layout->kind));
  }
  if (operation.divide) text += " divided by the group's size";
  if (operation.group != 0) {
    const auto& group = test_case.groups[static_cast<std::size_t>(operation.group)];
    text += fmt::format(" on group {} ({})", operation.group, name_of(group.kind));
  }
  if (!operation.algorithm.name.empty()) text += fmt::format(" by {}", operation.algorithm.name);
  if (operation.thread != 0) text += fmt::format(" in thread {}", operation.thread);
  return text;
}

std::string describe(const Case& test_case) {
  std::string text = fmt::format("{} rank{}: ", test_case.ranks, test_case.ranks == 1 ? "" : "s");
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < test_case.program.size() && i < kShown; ++i) {
    if (i > 0) text += "; ";
    text += describe(test_case, test_case.program[i]);
  }
  if (test_case.program.size() > kShown) {
    text += fmt::format("; and {} more", test_case.program.size() - kShown);
  }
  return text;
}

}  // namespace allprove
