#include "cli/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "framework/base/enum_table.h"
#include "framework/model/blocks.h"
#include "framework/oracle/oracle.h"
#include "properties/each.h"

namespace allprove {
namespace {

constexpr std::uint64_t kRecheckEvery = 16;            // cases
constexpr std::int64_t kRecheckElementsMax = 1 << 16;  // of one operation: it is a sample
constexpr int kMaskedPerOperationMax = 8;
constexpr Milliseconds kKnownHang(1000);  // where a hang would be no news

// A world in which a call came back with an error, or did not come back, is of no more use, whether
// that is known or not.
bool ends_world(const Examined& examined) {
  return examined.failed() || examined.verdict == Verdict::unknown ||
         examined.history.outcome != Outcome::ok;
}

// What the world has run when it comes to cases[index].
std::vector<Case> ran_before(const World& world, std::span<const Case> cases, std::size_t index) {
  const auto& earlier = world.ran();
  std::vector<Case> ran(earlier.begin(), earlier.end());
  ran.insert(ran.end(), cases.begin(), cases.begin() + static_cast<std::ptrdiff_t>(index));
  if (ran.size() > kRanMax) {
    ran.erase(ran.begin(), ran.end() - static_cast<std::ptrdiff_t>(kRanMax));
  }
  return ran;
}

// Why the case is what it is: the reason of the first property that says so.
std::string reason_of(const Judged& judged) {
  for (const auto& [name, result] : judged.results) {
    if (result.verdict == judged.verdict) return result.reason;
  }
  return {};
}

// Takes what a known failure explains out of the record, so that the rest can be judged: what
// happened to the bytes beside the result or to the input, when the call came to its end, or the
// result.
void forget(OperationRecord& record, std::string_view property) {
  auto& evidence = record.evidence;
  if (property == "guard_intact") {
    evidence.guard_changed = 0;
    evidence.guard_place.clear();
  } else if (property == "input_untouched") {
    evidence.input_changed = 0;
    evidence.first_input_changed.reset();
  } else if (property == "barrier_waits") {
    record.completed_ns = std::numeric_limits<std::int64_t>::max();  // after all had come
  } else {
    Evidence left;
    left.guard_changed = evidence.guard_changed;
    left.guard_place = evidence.guard_place;
    left.input_changed = evidence.input_changed;
    left.first_input_changed = evidence.first_input_changed;
    evidence = left;
  }
}

void forget(History& history, int operation, std::string_view property) {
  for (auto& rank : history.ranks) {
    const auto index = static_cast<std::size_t>(operation);
    if (index < rank.operations.size()) forget(rank.operations[index], property);
  }
}

// The operation did not come to its end: nothing that it, or what came after it or was under way,
// has left is what the program says.
void forget_from(History& history, const Case& test_case, int operation) {
  const bool in_order = threads_of(test_case) == 1;
  for (int i = 0; i < static_cast<int>(test_case.program.size()); ++i) {
    const int completed = completion_of(test_case, i);
    if (in_order && completed >= 0 && completed < operation) continue;
    for (auto& rank : history.ranks) {
      const auto index = static_cast<std::size_t>(i);
      if (index < rank.operations.size()) rank.operations[index].evidence = {};
    }
  }
}

// A failure stays one when the world could not be taken down; all else is in doubt.
void note_teardown(const Error& error, Examined& examined) {
  if (examined.failed()) {
    examined.reason += "; besides, " + to_line(error);
    return;
  }
  examined.verdict = Verdict::unknown;
  examined.reason = error.message;
}

}  // namespace

Case resolve_algorithms(Case test_case, const std::vector<AlgorithmList>& offered) {
  for (auto& operation : test_case.program) {
    auto& algorithm = operation.algorithm;
    if (!enters_collective(operation.kind) || algorithm.pick == 0) continue;
    const auto list = std::find_if(offered.begin(), offered.end(), [&](const auto& candidate) {
      return candidate.collective == operation.collective && candidate.mode == operation.mode;
    });
    if (list == offered.end() || list->names.empty()) {
      algorithm.name.clear();
    } else if (std::find(list->names.begin(), list->names.end(), algorithm.name) ==
               list->names.end()) {
      algorithm.name = list->names[algorithm.pick % list->names.size()];
    }
  }
  return test_case;
}

// A failure that waits for its turn is as good as run: where it is, a batch ends before it.
std::span<const Case> Examiner::up_to_owed(std::span<const Case> cases) {
  const auto at = std::ranges::find_if(
      cases, [this](const Case& given) { return find_owed(given) != owed_.end(); });
  return cases.first(static_cast<std::size_t>(at - cases.begin()));
}

std::vector<Examiner::Owed>::iterator Examiner::find_owed(const Case& given) {
  return std::ranges::find(owed_, given, &Owed::given);
}

Result<std::vector<Examined>> Examiner::run(std::span<const Case> cases, Milliseconds deadline) {
  if (const auto owed = find_owed(cases.front()); owed != owed_.end()) {
    std::vector<Examined> delivered;
    delivered.push_back(std::move(owed->examined));
    owed_.erase(owed);
    return delivered;
  }
  cases = up_to_owed(cases);
  const int ranks = cases.front().ranks;
  auto world = pool_.warm(ranks);
  if (!world) return tl::unexpected(world.error());
  std::vector<Case> resolved;
  for (const auto& test_case : cases) {
    resolved.push_back(resolve_algorithms(test_case, (*world)->ready().algorithms));
    if (known_.may_damage_memory(resolved.back())) break;  // the last case of its world
  }
  const auto hurried = hurry(resolved, cases, deadline);
  auto report = run_batch(**world, resolved, pool_.settings(), {.deadline = deadline});
  for (std::size_t i = 0; i < resolved.size(); ++i) resolved[i].deadline_ms = cases[i].deadline_ms;
  if (report.interrupted) {
    if (auto ended = pool_.discard(ranks); !ended) return tl::unexpected(ended.error());
    return std::vector<Examined>{};
  }
  std::vector<Examined> examined;
  if (report.broken) {
    auto earlier = ran_before(**world, resolved, report.broken_at);
    auto ended = pool_.discard(ranks);
    auto& history = report.histories.back();
    if (history.trouble) {  // ours, and of the batch as a whole: no case of it was judged
      examined.push_back(examine(resolved.front(), std::move(history)));
      return examined;
    }
    auto broken = examine(resolved[report.broken_at], std::move(history));
    if (broken.outcome == Outcome::hang && broken.failed() && hurried[report.broken_at]) {
      if (!ended) return tl::unexpected(ended.error());
      patient_ = cases[report.broken_at];
      return run(cases.first(report.broken_at + 1), deadline);
    }
    broken.before = std::move(earlier);
    if (!ended) note_teardown(ended.error(), broken);
    // The evidence of the cases before it went with the ranks: they run again.
    std::span<const Case> before(resolved.data(), report.broken_at);
    while (!before.empty()) {
      auto again = run(before, deadline);
      if (!again || again->empty()) return again;
      before = before.subspan(again->size());
      const bool stop = ends_world(again->back());
      std::move(again->begin(), again->end(), std::back_inserter(examined));
      if (!stop) continue;
      owed_.push_back({cases[report.broken_at], std::move(broken)});
      return examined;
    }
    examined.push_back(std::move(broken));
    return examined;
  }
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    examined.push_back(examine(resolved[i], std::move(report.histories[i])));
    auto& latest = examined.back();
    if (latest.failed()) latest.before = ran_before(**world, resolved, i);
    const bool damaged = known_.may_damage_memory(latest.test_case);
    if (!ends_world(latest) && !damaged) continue;
    if (options_.keep_world_after_failure && latest.outcome == Outcome::wrong) break;
    if (auto ended = pool_.discard(ranks); !ended) note_teardown(ended.error(), latest);
    return examined;
  }
  (*world)->note_ran(resolved);
  return examined;
}

// A hang that is known need not take the whole deadline. Which cases get less time.
std::vector<bool> Examiner::hurry(std::vector<Case>& resolved, std::span<const Case> given,
                                  Milliseconds deadline) const {
  std::vector<bool> hurried;
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    auto& limit = resolved[i].deadline_ms;
    hurried.push_back(limit == 0 && deadline > kKnownHang && known_.may_hang(resolved[i]) &&
                      given[i] != patient_);
    if (hurried.back()) limit = kKnownHang.count();
  }
  return hurried;
}

Examined Examiner::examine(const Case& test_case, History history) {
  Examined examined;
  examined.test_case = test_case;
  examined.history = std::move(history);
  examined.outcome = examined.history.outcome;
  if (examined.history.trouble) {
    examined.reason = *examined.history.trouble;
    return examined;
  }
  if (!examined.history.skipped.empty()) {
    examined.verdict = Verdict::skip;
    examined.reason = examined.history.skipped;
    return examined;
  }
  mask_known(examined);
  if (examined_++ % kRecheckEvery == 0 && !examined.failed()) {
    if (auto disagreement = recheck(test_case, examined.history)) {
      examined.verdict = Verdict::unknown;
      examined.reason = *disagreement;
    }
  }
  return examined;
}

// Judges, and while what fails is a known failure, judges again without that operation.
void Examiner::mask_known(Examined& examined) {
  History history = examined.history;
  auto properties = options_.properties;
  const auto masked_max = kMaskedPerOperationMax * std::ssize(examined.test_case.program);
  for (int round = 0;; ++round) {
    examined.judged = judge_case(examined.test_case, history, properties);
    const auto& judged = *examined.judged;
    examined.verdict = judged.verdict;
    if (judged.verdict != Verdict::fail) break;
    ALLPROVE_CHECK(judged.first_failed != nullptr);
    examined.property = std::string(judged.first_failed->name);
    examined.failure = *judged.failure();
    examined.reason = examined.failure.reason;
    if (examined.outcome == Outcome::ok) examined.outcome = Outcome::wrong;
    const auto id =
        known_.match(examined.test_case, history, examined.property, examined.failure.operation);
    if (!id) return;
    if (std::ranges::find(examined.known, *id) == examined.known.end()) {
      examined.known.push_back(*id);
    }
    examined.verdict = Verdict::note;
    const int operation = examined.failure.operation;
    if (operation < 0) return;
    if (round == masked_max) {
      examined.verdict = Verdict::unknown;
      examined.reason = "too many known failures in one case: the rest of it was not judged";
      return;
    }
    if (examined.property != kCompletes.name) {
      forget(history, operation, examined.property);
      continue;
    }
    forget_from(history, examined.test_case, operation);
    std::erase_if(properties,
                  [](const auto& property) { return property.name == kCompletes.name; });
  }
  if (examined.known.empty()) examined.property.clear();
  if (examined.verdict == Verdict::skip && examined.known.empty()) {
    examined.reason = "no claim that was asked for has anything to judge in it";
  } else if (examined.verdict == Verdict::unknown ||
             (examined.verdict == Verdict::note && examined.known.empty())) {
    examined.reason = reason_of(*examined.judged);
  } else if (!examined.known.empty()) {
    examined.verdict = Verdict::note;
  }
}

// Computes digests here, in a process that the library cannot have touched, and compares them with
// those that the ranks reported.
std::optional<std::string> Examiner::recheck(const Case& test_case, const History& history) {
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto& operation = test_case.program[i];
    if (!enters_collective(operation.kind) || !traits_of(operation.collective).moves_data) continue;
    if (elements_max(test_case, operation) > kRecheckElementsMax) continue;
    // There the library chooses the positions, and it alone knows them.
    if (test_case.groups[static_cast<std::size_t>(operation.group)].topology.reorder) continue;
    for (int rank = 0; rank < test_case.ranks; ++rank) {
      const auto& evidence = history.ranks[static_cast<std::size_t>(rank)].operations[i].evidence;
      if (!evidence.checked || !evidence.exact || evidence.wrong > 0) continue;
      const auto membership = membership_of(test_case, operation.group, rank);
      if (membership.part < 0) continue;
      const auto expected =
          expected_digests(call_of(test_case, operation, membership), membership.position);
      if (!expected || *expected == evidence.digests) continue;
      return fmt::format(
          "rank {} says that operation {} is right, but the digest it reports is not that of the "
          "right answer: the process that checks is itself damaged",
          rank, i);
    }
  }
  return std::nullopt;
}

}  // namespace allprove
