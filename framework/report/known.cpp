#include "framework/report/known.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "framework/base/enum_table.h"
#include "framework/model/blocks.h"

namespace allprove {
namespace {

// "4.0.2" as {4, 0, 2}; what is no digit separates.
std::vector<int> parts_of(std::string_view version) {
  std::vector<int> parts;
  bool inside = false;
  for (const char c : version) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !inside) parts.push_back(0);
    if (digit && parts.back() < 100'000'000) parts.back() = parts.back() * 10 + (c - '0');
    inside = digit;
  }
  while (!parts.empty() && parts.back() == 0) parts.pop_back();  // 4.1 is 4.1.0
  return parts;
}

std::optional<std::string> value_of(const KnownFailures::Variables& environment,
                                    const std::string& name) {
  for (const auto& [key, value] : environment) {
    if (key == name) return value;
  }
  if (const char* value = std::getenv(name.c_str())) return value;
  return std::nullopt;
}

bool holds(const std::string& condition, const std::optional<std::string>& value) {
  if (!value) return false;
  if (condition.starts_with(">=")) {
    const auto number = [](std::string_view text) {
      std::int64_t result = -1;
      std::from_chars(text.data(), text.data() + text.size(), result);
      return result;
    };
    return number(*value) >= number(std::string_view(condition).substr(2));
  }
  return condition.substr(1) == *value;
}

const Operation& operation_at(const Case& test_case, int index) {
  return test_case.program[static_cast<std::size_t>(index)];
}

// The calls that the operation enters or completes.
std::vector<int> collectives_behind(const Case& test_case, int index) {
  const auto size = static_cast<int>(test_case.program.size());
  if (index < 0 || index >= size) return {};
  if (enters_collective(operation_at(test_case, index).kind)) return {index};
  std::vector<int> behind;
  for (int i = 0; i < index; ++i) {
    const bool starts = operation_at(test_case, i).kind == OperationKind::start;
    if (starts && completion_of(test_case, i) == index) behind.push_back(i);
  }
  return behind;
}

bool freed_while_pending(const Case& test_case, int start) {
  const auto& started = test_case.program[static_cast<std::size_t>(start)];
  if (started.kind != OperationKind::start) return false;
  for (auto i = static_cast<std::size_t>(start) + 1; i < test_case.program.size(); ++i) {
    const auto& later = test_case.program[i];
    if (completes_all(later.kind)) return false;
    if (completes_request(later.kind) && later.request == started.request) return false;
    const bool frees = later.kind == OperationKind::comm_free ||
                       later.kind == OperationKind::comm_create;  // makes it anew
    if (frees && later.group == started.group) return true;
  }
  return false;
}

// Whether the library gives this text on some rank; the empty one it always gives.
bool says(const History& history, int operation, const std::string& text) {
  const auto index = static_cast<std::size_t>(operation);
  return text.empty() || std::any_of(history.ranks.begin(), history.ranks.end(), [&](auto& rank) {
           return index < rank.operations.size() &&
                  rank.operations[index].message.find(text) != std::string::npos;
         });
}

// What `completes` says of the operation: others may wait for a rank that crashed or got an error,
// and then the case as a whole hangs.
Outcome end_of(const History& history, int operation) {
  const auto crashed = [](const RankRecord& rank) { return !rank.position.alive; };
  const auto got_error = [&](const RankRecord& rank) {
    return operation >= 0 && static_cast<std::size_t>(operation) < rank.operations.size() &&
           rank.operations[static_cast<std::size_t>(operation)].code != 0;
  };
  const auto& ranks = history.ranks;
  if (history.outcome != Outcome::hang) return history.outcome;
  if (std::any_of(ranks.begin(), ranks.end(), crashed)) return Outcome::crash;
  if (std::any_of(ranks.begin(), ranks.end(), got_error)) return Outcome::error;
  return history.outcome;
}

// Whether the failure looks as the signature says: on every rank on which it shows.
bool looks_like(const NameSet& symptoms, const History& history, std::string_view property,
                int operation) {
  if (symptoms.has("*")) return true;
  if (operation < 0) return false;
  bool shows = false;
  for (const auto& rank : history.ranks) {
    if (static_cast<std::size_t>(operation) >= rank.operations.size()) continue;
    const auto& seen = rank.operations[static_cast<std::size_t>(operation)].evidence;
    if (seen.wrong == 0) continue;
    if (!symptoms.has("wrong") && !symptoms.has(name_of(seen.symptom))) return false;
    shows = true;
  }
  return shows || (property == "ranks_agree" && symptoms.has("disagree"));
}

// The sizes in elements of the blocks of the larger buffer at the root.
std::vector<std::int64_t> blocks_of(const Case& test_case, const Operation& operation,
                                    const Membership& some_member) {
  const auto sizes = block_sizes_of(test_case, operation, some_member);
  auto given = given_blocks(sizes, sizes.root);
  auto received = received_blocks(sizes, sizes.root);
  return given.size() >= received.size() ? given : received;
}

bool some_block_beyond_first(const std::vector<std::int64_t>& blocks) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0 && blocks[i] > before) return true;
    before += blocks[i];
  }
  return false;
}

// The blocks that each member of a part gives.
std::vector<std::vector<std::int64_t>> given_by_all(const BlockSizes& sizes) {
  std::vector<std::vector<std::int64_t>> all;
  for (int position = 0; position < sizes.members; ++position) {
    all.push_back(given_blocks(sizes, position));
  }
  return all;
}

bool has_empty_block(const std::vector<std::vector<std::int64_t>>& given) {
  return std::any_of(given.begin(), given.end(), [](const auto& blocks) {
    return std::count(blocks.begin(), blocks.end(), 0);
  });
}

bool has_empty_rank(const std::vector<std::vector<std::int64_t>>& given) {
  return std::any_of(given.begin(), given.end(),
                     [](const auto& blocks) { return total(blocks) == 0; });
}

// Whether a send item is as many receive items on one member as on every other.
bool item_sizes_differ(const Operation& operation, const BlockSizes& sizes) {
  std::set<double> ratios;
  for (int position = 0; position < sizes.members; ++position) {
    const auto plan = buffer_plan(sizes, position);
    const auto items = [position](const Layout& layout, const std::vector<std::int64_t>& blocks) {
      return static_cast<double>(elements_per_item(layout_at(layout, position), blocks));
    };
    ratios.insert(items(operation.send_layout, plan.send) /
                  items(operation.receive_layout, plan.receive));
  }
  return ratios.size() > 1;
}

// Whether each run of an item, of some member on either side, is one element before the last.
bool steps_back_by_one(const Operation& operation, const BlockSizes& sizes) {
  const auto steps_back = [](const Layout& layout, const std::vector<std::int64_t>& blocks) {
    if (layout.kind == LayoutKind::dense || blocks.empty()) return false;
    const auto runs = item_shape(layout, elements_per_item(layout, blocks)).runs;
    return runs.size() > 1 && runs[1].at - runs[0].at == -1;
  };
  for (int position = 0; position < sizes.members; ++position) {
    const auto plan = buffer_plan(sizes, position);
    if (steps_back(layout_at(operation.send_layout, position), plan.send) ||
        steps_back(layout_at(operation.receive_layout, position), plan.receive)) {
      return true;
    }
  }
  return false;
}

template <class Actual>
bool is_so(const std::optional<bool>& wanted, Actual actual) {
  return !wanted || *wanted == actual();
}

bool blocks_fit(const KnownFailure& known, const Case& test_case, const Operation& operation,
                const Membership& some_member) {
  const auto blocks = blocks_of(test_case, operation, some_member);
  const auto sizes = block_sizes_of(test_case, operation, some_member);
  const auto given = given_by_all(sizes);
  const auto element_bytes = static_cast<std::int64_t>(size_of(operation.dtype));
  return known.total_bytes.has(total(blocks) * element_bytes) &&
         is_so(known.block_beyond_first, [&] { return some_block_beyond_first(blocks); }) &&
         is_so(known.empty_block, [&] { return has_empty_block(given); }) &&
         is_so(known.empty_rank, [&] { return has_empty_rank(given); }) &&
         is_so(known.item_sizes_differ, [&] { return item_sizes_differ(operation, sizes); }) &&
         is_so(known.stride_minus_one, [&] { return steps_back_by_one(operation, sizes); });
}

// A condition on the layout of either side speaks of a derived type, if there is one.
bool layout_fits(const NameSet& wanted, const Operation& operation) {
  const auto send = operation.send_layout.kind;
  const auto receive = operation.receive_layout.kind;
  const auto has = [&](LayoutKind kind) { return wanted.has(name_of(kind)); };
  if (send == LayoutKind::dense) return has(receive);
  return has(send) || (receive != LayoutKind::dense && has(receive));
}

// Whether some part of the operation's group, in which the failure may be, is as the conditions
// say.
bool some_part_fits(const KnownFailure& known, const Case& test_case, const Operation& operation) {
  const auto fits = [&](int some_rank) {
    const auto member = membership_of(test_case, operation.group, some_rank);
    const auto size = std::ssize(member.members);
    const bool power_of_two = std::has_single_bit(static_cast<std::uint64_t>(size));
    return known.ranks.has(size) &&
           known.root.has(block_sizes_of(test_case, operation, member).root) &&
           known.ranks_power_of_two.value_or(power_of_two) == power_of_two &&
           blocks_fit(known, test_case, operation, member);
  };
  const auto& parts = test_case.groups[static_cast<std::size_t>(operation.group)].parts;
  if (parts.empty()) return fits(0);
  return std::any_of(parts.begin(), parts.end(),
                     [&](const auto& part) { return fits(part.front()); });
}

// How often the persistent request of a call has been started before.
std::int64_t restarts_of(const Case& test_case, int index) {
  const auto& made = operation_at(test_case, index);
  if (made.kind != OperationKind::start || made.mode != Mode::persistent) return 0;
  return std::count_if(test_case.program.begin(), test_case.program.begin() + index,
                       [&](const auto& earlier) {
                         return earlier.kind == OperationKind::start &&
                                earlier.mode == Mode::persistent && earlier.request == made.request;
                       });
}

// Whether the call is completed as the conditions say.
bool completed_so(const KnownFailure& known, const Case& test_case, int index) {
  const int completion = completion_of(test_case, index);
  if (completion < 0) return !known.completed_with && known.completed_by.has("*");
  if (!known.completed_by.has(name_of(operation_at(test_case, completion).kind))) return false;
  if (!known.completed_with) return true;
  const auto together = collectives_behind(test_case, completion);
  return std::any_of(together.begin(), together.end(), [&](int other) {
    return other != index &&
           known.completed_with->has(name_of(operation_at(test_case, other).mode));
  });
}

bool has_short_ring(const Topology& topology) {
  for (std::size_t d = 0; d < topology.dims.size(); ++d) {
    if (topology.periods[d] != 0 && topology.dims[d] <= 2) return true;
  }
  return false;
}

bool has_repeated_edge(const Topology& topology) {
  return std::any_of(topology.edges.begin(), topology.edges.end(), [](const auto& sent) {
    return std::set<int>(sent.begin(), sent.end()).size() < sent.size();
  });
}

bool communicator_fits(const KnownFailure& known, const Group& group) {
  return known.group.has(name_of(group.kind)) &&
         (!known.short_ring || has_short_ring(group.topology)) &&
         (!known.repeated_edge || has_repeated_edge(group.topology));
}

bool explains(const KnownFailure& known, const Case& test_case, int index) {
  const auto& operation = operation_at(test_case, index);
  const auto count = largest_block(operation);
  const auto& algorithm = operation.algorithm.name;
  return known.collective.has(name_of(operation.collective)) &&
         known.mode.has(name_of(operation.mode)) &&
         known.algorithm.has(algorithm.empty() ? "auto" : algorithm) &&
         known.op.has(name_of(operation.op)) && known.dtype.has(name_of(operation.dtype)) &&
         known.family.has(name_of(operation.data.family)) &&
         known.send_layout.has(name_of(operation.send_layout.kind)) &&
         known.receive_layout.has(name_of(operation.receive_layout.kind)) &&
         known.count.has(count) &&
         known.bytes.has(count * static_cast<std::int64_t>(size_of(operation.dtype))) &&
         known.in_place.value_or(operation.in_place) == operation.in_place &&
         layout_fits(known.layout, operation) && known.restart.has(restarts_of(test_case, index)) &&
         communicator_fits(known, test_case.groups[static_cast<std::size_t>(operation.group)]) &&
         completed_so(known, test_case, index) && some_part_fits(known, test_case, operation);
}

// Whether such a call is made in the operations up to this one; -1: in any. Of several threads,
// each may be anywhere.
bool makes_call(const KnownFailure& known, const Case& test_case, int operation) {
  const auto size = static_cast<int>(test_case.program.size());
  const bool anywhere = operation < 0 || threads_of(test_case) > 1;
  for (int i = 0; i < size && (anywhere || i <= operation); ++i) {
    const bool enters = enters_collective(operation_at(test_case, i).kind);
    if (enters && explains(known, test_case, i)) return true;
  }
  return false;
}

// A communicator that is freed too early brings a process down later, in whatever it does then: any
// operation of the case may be the cause.
bool explains_by_freeing(const KnownFailure& known, const Case& test_case) {
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto start = static_cast<int>(i);
    if (freed_while_pending(test_case, start) && explains(known, test_case, start)) return true;
  }
  return false;
}

}  // namespace

bool NameSet::has(std::string_view name) const {
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& known) { return known == name || known == "*"; });
}

bool applies_to_version(const KnownFailure& known, std::string_view version) {
  const auto parts = parts_of(version);
  return parts_of(known.version_from) <= parts &&
         (!known.version_to || parts <= parts_of(*known.version_to));
}

Result<KnownFailures> KnownFailures::load(const std::filesystem::path& folder,
                                          const std::string& library, std::string_view version,
                                          const Variables& environment) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return internal_error("no folder of known failures at " + folder.string(),
                          "build again, or give --no-known");
  }
  const auto path = folder / (library + ".json");
  if (!std::filesystem::exists(path, ignored)) return KnownFailures{};
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return internal_error("cannot read " + path.string());
  auto all = known_from_text(text.str(), "known/" + path.filename().string());
  if (!all) return tl::unexpected(all.error());
  KnownFailures kept;
  for (auto& known : *all) {
    if (known.library != library) {
      return usage_error(fmt::format("known/{}.json: {}: library '{}' in this file", library,
                                     known.id, known.library));
    }
    const bool applies =
        applies_to_version(known, version) &&
        std::all_of(known.environment.begin(), known.environment.end(), [&](const auto& entry) {
          return holds(entry.second, value_of(environment, entry.first));
        });
    if (applies) kept.known_.push_back(std::move(known));
  }
  return kept;
}

bool KnownFailures::may_damage_memory(const Case& test_case) const {
  const auto last = static_cast<int>(test_case.program.size()) - 1;
  return std::any_of(known_.begin(), known_.end(), [&](const KnownFailure& known) {
    return known.damages_memory && makes_call(known, test_case, last);
  });
}

bool KnownFailures::may_hang(const Case& test_case) const {
  const auto last = static_cast<int>(test_case.program.size()) - 1;
  return std::any_of(known_.begin(), known_.end(), [&](const KnownFailure& known) {
    if (!known.property.has("completes") || !known.symptom.has("hang")) return false;
    return known.freed_while_pending ? explains_by_freeing(known, test_case)
                                     : makes_call(known, test_case, last);
  });
}

std::optional<std::string> KnownFailures::match(const Case& test_case, const History& history,
                                                std::string_view property, int operation) const {
  const auto calls = collectives_behind(test_case, operation);
  const auto looks = [&](const KnownFailure& known, int call) {
    return property == "completes" ? known.symptom.has(name_of(end_of(history, operation))) &&
                                         says(history, operation, known.message)
                                   : looks_like(known.symptom, history, property, call);
  };
  const auto match = [&](const KnownFailure& known) {
    if (!known.property.has(property)) return false;
    const bool looks_somehow = looks(known, calls.empty() ? -1 : calls.front());
    if (known.freed_while_pending) return looks_somehow && explains_by_freeing(known, test_case);
    if (known.damages_memory && looks_somehow && makes_call(known, test_case, operation)) {
      return true;
    }
    return std::any_of(calls.begin(), calls.end(), [&](int call) {
      return looks(known, call) && explains(known, test_case, call);
    });
  };
  const auto found = std::find_if(known_.begin(), known_.end(), match);
  return found == known_.end() ? std::nullopt : std::optional(found->id);
}

}  // namespace allprove
