// `allprove fault`: injects one fault into one rank of a disposable world, under a hard deadline,
// and says what became of it: what every rank does, which one is to blame, and whether a fresh
// world with the order restored works.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/examine.h"
#include "cli/run.h"
#include "faults/shifted.h"
#include "framework/base/enum_table.h"
#include "framework/model/case_json.h"
#include "framework/model/wording.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kDefaultCases = 20;      // of each fault
constexpr std::uint64_t kDrawsPerCaseMax = 100;  // until a case has a place for the fault

struct Injected {
  std::uint64_t id = 0;
  FaultKind kind = FaultKind::skip;
  Case test_case = {};
  History history = {};
  Outcome outcome = Outcome::ok;
  bool recovered = false;
  std::string failed_again = {};  // how the case failed without its fault
};

std::vector<FaultKind> injectable() {
  std::vector<FaultKind> kinds;
  for (const auto& [kind, drawn] : kFaultsCarriedOut) {
    if (drawn) kinds.push_back(kind);
  }
  return kinds;
}

Result<std::vector<FaultKind>> choose_faults(const Options& options) {
  if (options.faults.empty()) return injectable();
  auto kinds = parse_names<FaultKind>("--fault", options.faults);
  if (!kinds) return kinds;
  for (const auto kind : *kinds) {
    if (is_drawn(kind)) continue;
    std::string known;
    for (const auto one : injectable()) known += fmt::format(" {}", name_of(one));
    return usage_error(fmt::format("--fault {}: cannot be injected yet", name_of(kind)),
                       "one of:" + known);
  }
  return kinds;
}

// What is injected, into what, and for how long.
struct FaultPlan {
  std::vector<FaultKind> kinds;
  Space space;
  Extent extent;
  std::uint64_t seed = 0;
};

Result<FaultPlan> make_plan(const Options& options) {
  FaultPlan plan;
  auto kinds = choose_faults(options);
  if (!kinds) return tl::unexpected(kinds.error());
  plan.kinds = std::move(*kinds);
  auto space = make_space(options);
  if (!space) return tl::unexpected(space.error());
  plan.space = std::move(*space);
  std::erase(plan.space.ranks, 1);  // alone, a rank's order cannot differ from anyone's
  if (plan.space.ranks.empty()) return usage_error("--ranks 1: a fault needs two ranks or more");
  plan.space.operations_max = 6;  // small programs: what happens is to be read by a person
  plan.space.series_max = 0;
  plan.space.large.ranks_max = 0;
  plan.space.probes = false;
  // They choose the cases; a world with the order restored must satisfy every property.
  if (const auto known = choose_properties(options.properties); !known) {
    return tl::unexpected(known.error());
  }
  if (options.findings_max) {
    return usage_error("--max-findings: what a library does with a fault is no finding",
                       "use --cases or --time");
  }
  // No case with a fault passes: lean and full lines are the same.
  if (const auto history = parse_history(options.history); !history) {
    return tl::unexpected(history.error());
  }
  const auto extent = parse_extent(options);
  if (!extent) return tl::unexpected(extent.error());
  plan.extent = *extent;
  if (!plan.extent.cases && !plan.extent.time)
    plan.extent.cases = kDefaultCases * plan.kinds.size();
  plan.seed = choose_seed(options);
  return plan;
}

// Wrong data on any rank that no known failure of the library explains; what is right for the calls
// that met is marked as shifted.
bool mark_wrong(const Case& test_case, const KnownFailures& known, History& history) {
  mark_shifted(test_case, orders_of(test_case, history), history);
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto is_wrong = [i](const RankRecord& rank) {
      const auto& evidence = rank.operations[i].evidence;
      return evidence.wrong > 0 || evidence.input_changed > 0 || evidence.guard_changed > 0;
    };
    if (std::none_of(history.ranks.begin(), history.ranks.end(), is_wrong)) continue;
    if (!known.match(test_case, history, "matches_reference", static_cast<int>(i))) return true;
  }
  return false;
}

// One line that fits a screen.
std::string shortened(const std::string& message) {
  constexpr std::size_t kShown = 120;
  auto text = message.substr(0, kShown);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return message.size() > kShown ? text + "..." : text;
}

// What the library said, ranks that it told the same together: "ranks 0, 2: error 15: ...".
std::vector<std::string> error_lines(const History& history) {
  std::map<std::pair<int, std::string>, std::vector<int>> ranks_of;
  for (std::size_t rank = 0; rank < history.ranks.size(); ++rank) {
    for (const auto& record : history.ranks[rank].operations) {
      if (record.code == 0) continue;
      auto& ranks = ranks_of[{record.code, shortened(record.message)}];
      if (ranks.empty() || ranks.back() != static_cast<int>(rank)) {
        ranks.push_back(static_cast<int>(rank));
      }
    }
  }
  std::vector<std::string> lines;
  lines.reserve(ranks_of.size());
  for (const auto& [error, ranks] : ranks_of) {
    lines.push_back(fmt::format("{}: error {}: {}", ranks_text(ranks), error.first, error.second));
  }
  return lines;
}

class Injection {
 public:
  Injection(Runner& runner, Run& run, Console& console)
      : runner_(runner),
        run_(run),
        console_(console),
        examiner_(*runner.pool, runner.known,
                  {.properties = {all_properties().begin(), all_properties().end()}}) {}

  // Runs the case with its fault, then without, each in a world of its own.
  Result<Injected> inject(std::uint64_t id, FaultKind kind, const Case& test_case) {
    Injected injected{.id = id, .kind = kind, .test_case = test_case};
    auto history = run_alone(injected.test_case);
    if (!history) return tl::unexpected(history.error());
    injected.history = std::move(*history);
    injected.outcome = injected.history.outcome;
    if (!injected.history.skipped.empty()) {  // nothing ran, so that nothing is to recover
      injected.recovered = true;
      return injected;
    }
    if (mark_wrong(injected.test_case, runner_.known, injected.history)) {
      injected.outcome = worse(injected.outcome, Outcome::wrong);
    }
    auto restored = injected.test_case;
    restored.faults.clear();
    if (auto ended = runner_.pool->discard(restored.ranks); !ended) {
      return tl::unexpected(ended.error());
    }
    const auto again = examiner_.run({&restored, 1}, run_.session->settings().deadline);
    if (!again) return tl::unexpected(again.error());
    if (again->empty()) return fail(ErrorKind::interrupted, "interrupted");
    const auto& healed = again->front();
    injected.recovered = healed.verdict == Verdict::pass || healed.verdict == Verdict::note;
    const auto why = "with the order restored: " + healed.reason;
    if (healed.verdict == Verdict::unknown && !injected.history.trouble) {
      injected.history.trouble = why;
    }
    if (healed.failed()) injected.failed_again = why;
    return injected;
  }

  Status record(const Injected& injected) {
    const auto& history = injected.history;
    Json line;
    line["type"] = "case";
    line["id"] = injected.id;
    line["backend"] = runner_.record.name;
    line["ranks"] = injected.test_case.ranks;
    line["outcome"] = name_of(injected.outcome);
    line["verdict"] = name_of(verdict_of(injected));
    line["elapsed_ms"] = static_cast<double>(history.elapsed_ns) / 1e6;
    if (const auto reason = reason_of(injected); !reason.empty()) line["reason"] = reason;
    line["fault"] = name_of(injected.kind);
    line["blame"] = history.blame;
    line["detect_ms"] = static_cast<double>(history.detect_ns) / 1e6;
    line["proof"] = name_of(history.proof);
    line["errors"] = errors_of(history);
    line["recovered"] = injected.recovered;
    line["diagnosis"] = history.diagnosis;
    line["case"] = to_json(injected.test_case);
    return run_.results.append(line);
  }

  void show(const Injected& injected) {
    const auto& fault = injected.test_case.faults.front();
    console_.line(fmt::format(
        "{}: {} on rank {} at operation {}: {}{}, {}{}{}", injected.id, name_of(fault.kind),
        fault.rank, fault.operation, name_of(injected.outcome),
        injected.outcome == Outcome::hang ? fmt::format(" ({})", name_of(injected.history.proof))
                                          : "",
        injected.recovered ? "recovered" : "NOT RECOVERED",
        reason_of(injected).empty() ? "" : fmt::format("; {}: ", name_of(verdict_of(injected))),
        reason_of(injected)));
    if (!injected.history.diagnosis.empty()) console_.line("   " + injected.history.diagnosis);
    for (const auto& line : error_lines(injected.history)) console_.line("   " + line);
  }

  // What a library does with a fault is for the reader to judge; that we could say it is a note.
  static Verdict verdict_of(const Injected& injected) {
    if (injected.history.trouble) return Verdict::unknown;
    if (!injected.history.skipped.empty()) return Verdict::skip;
    return injected.recovered ? Verdict::note : Verdict::fail;
  }

 private:
  // Why nothing can be said, or what is wrong; empty when all is well.
  static std::string reason_of(const Injected& injected) {
    if (injected.history.trouble) return *injected.history.trouble;
    return injected.failed_again.empty() ? injected.history.skipped : injected.failed_again;
  }

  Result<History> run_alone(Case& test_case) {
    auto world = runner_.pool->fresh(test_case.ranks);
    if (!world) return tl::unexpected(world.error());
    test_case = resolve_algorithms(test_case, (*world)->ready().algorithms);
    const auto& settings = run_.session->settings();
    auto report = run_batch(**world, {&test_case, 1}, settings, {.deadline = settings.deadline});
    auto ended = runner_.pool->discard(test_case.ranks);
    if (report.interrupted) return fail(ErrorKind::interrupted, "interrupted");
    auto& history = report.histories.front();
    if (!ended && !history.trouble) history.trouble = ended.error().message;
    return std::move(history);
  }

  static Json errors_of(const History& history) {
    Json errors = Json::array();
    for (std::size_t rank = 0; rank < history.ranks.size(); ++rank) {
      for (const auto& record : history.ranks[rank].operations) {
        if (record.code == 0) continue;
        errors.push_back({{"rank", rank}, {"code", record.code}, {"message", record.message}});
      }
    }
    return errors;
  }

  Runner& runner_;
  Run& run_;
  Console& console_;
  Examiner examiner_;  // of the worlds with the order restored
};

// The next drawn case that has a place for the fault.
std::optional<Case> draw(const Generator& generator, FaultKind kind, std::uint64_t seed,
                         std::uint64_t& number) {
  for (std::uint64_t tries = 0; tries < kDrawsPerCaseMax; ++tries) {
    RandomStream stream(hash_at(seed, number, 0xfa));
    auto faulty = with_fault(generator.at(number++), kind, stream);
    if (faulty) return faulty;
  }
  return std::nullopt;
}

struct FaultTally {
  std::map<Verdict, std::uint64_t> verdicts;
  std::map<std::string, std::uint64_t> outcomes;  // "skip: hang"

  std::uint64_t of(Verdict verdict) const {
    const auto found = verdicts.find(verdict);
    return found == verdicts.end() ? 0 : found->second;
  }
};

Status inject_all(Runner& runner, Run& run, const FaultPlan& plan, Console& console,
                  FaultTally& tally) {
  Injection injection(runner, run, console);
  const Generator generator(plan.seed, plan.space);
  const auto cases = plan.extent.cases.value_or(std::numeric_limits<std::uint64_t>::max());
  std::optional<Deadline> end;
  if (plan.extent.time) end = Deadline::after(*plan.extent.time);
  std::uint64_t number = 0;
  for (std::uint64_t id = 0; id < cases && !(end && end->passed()); ++id) {
    if (run.session->interrupted()) return {};
    const auto kind = plan.kinds[id % plan.kinds.size()];
    const auto test_case = draw(generator, kind, plan.seed, number);
    if (!test_case) return usage_error("no case of this space has a place for the fault");
    const auto injected = injection.inject(id, kind, *test_case);
    if (!injected) {
      if (injected.error().kind == ErrorKind::interrupted) return {};
      return tl::unexpected(injected.error());
    }
    ++tally.verdicts[Injection::verdict_of(*injected)];
    ++tally.outcomes[fmt::format("{}: {}", name_of(kind), name_of(injected->outcome))];
    injection.show(*injected);
    if (auto status = injection.record(*injected); !status) return status;
  }
  return {};
}

Json summary_line(const FaultTally& tally, double seconds) {
  std::uint64_t cases = 0;
  for (const auto& [verdict, count] : tally.verdicts) cases += count;
  return Json{{"type", "summary"},
              {"cases", cases},
              {"pass", tally.of(Verdict::note)},
              {"fail", tally.of(Verdict::fail)},
              {"skip", tally.of(Verdict::skip)},
              {"unknown", tally.of(Verdict::unknown)},
              {"findings", 0},
              {"known", 0},
              {"seconds", seconds},
              {"cases_per_second", static_cast<double>(cases) / std::max(seconds, 1e-3)},
              {"outcomes", tally.outcomes}};
}

}  // namespace

Result<int> run_fault(const Options& options, const std::string& command_line) {
  const auto plan = make_plan(options);
  if (!plan) return tl::unexpected(plan.error());
  Console console;
  auto run = begin_run("fault", command_line, options, plan->seed, console);
  if (!run) return tl::unexpected(run.error());
  const auto began = now_ns();
  FaultTally tally;
  for (auto& runner : run->runners) {
    auto status = inject_all(runner, *run, *plan, console, tally);
    if (!status) return tl::unexpected(status.error());
  }
  for (const auto& [what, count] : tally.outcomes) {
    console.line(fmt::format("{:24} {}", what, count));
  }
  const bool interrupted = run->session->interrupted();
  auto ended =
      end_run(*run, summary_line(tally, static_cast<double>(now_ns() - began) / 1e9), console);
  if (!ended) return tl::unexpected(ended.error());
  if (tally.of(Verdict::fail) > 0) return kExitFinding;
  if (tally.of(Verdict::unknown) > 0) return kExitOwnFailure;
  if (interrupted) return kExitInterrupted;
  return tally.of(Verdict::note) > 0 ? kExitPass : kExitNothingChecked;
}

}  // namespace allprove
