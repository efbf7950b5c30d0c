#include "cli/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/case_line.h"
#include "framework/base/enum_table.h"
#include "framework/model/case_json.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUnknownInARowMax = 10;
constexpr int kLaunchFailuresInARowMax = 3;
constexpr int kInvestigationsPerKind = 3;

// What the case looks like where it fails: two failures alike are taken for one bug.
std::string kind_of(const Examined& failed) {
  std::string kind = fmt::format("{}/{}/{}", failed.property, name_of(failed.outcome),
                                 name_of(failed.failure.symptom));
  const auto index = failed.failure.operation;
  if (index < 0 || static_cast<std::size_t>(index) >= failed.test_case.program.size()) return kind;
  const auto& operation = failed.test_case.program[static_cast<std::size_t>(index)];
  return fmt::format("{}/{}/{}", kind, name_of(operation.collective), name_of(operation.mode));
}

std::string detail_of(const Examined& failed) {
  const auto index = failed.failure.operation;
  if (index < 0 || static_cast<std::size_t>(index) >= failed.test_case.program.size()) return {};
  const auto& operation = failed.test_case.program[static_cast<std::size_t>(index)];
  return fmt::format("{}/{}/{}", name_of(operation.op), name_of(operation.dtype),
                     operation.algorithm.name);
}

// A shrunk case without what only makes its numbers: equal ones are the same finding.
std::string shape_of(const Finding& finding) {
  auto bare = finding.test_case;
  bare.logical.clear();
  for (auto& operation : bare.program) {
    operation.data.seed = 0;
    operation.algorithm.pick = 0;
  }
  return finding.property + to_json(bare).dump();
}

class Campaign {
 public:
  Campaign(WorldPool& pool, const TargetRecord& record, const KnownFailures& known,
           const CampaignOptions& options, ResultsFolder& results, Console& console)
      : pool_(pool),
        record_(record),
        options_(options),
        results_(results),
        console_(console),
        examiner_(pool, known, options.examine),
        generator_(options.seed, options.space) {}

  Result<Tally> run() {
    const auto began = Clock::now();
    std::vector<Case> waiting;
    std::uint64_t first = 0;  // number of waiting[0]
    while (!over(began, first)) {
      if (waiting.empty()) waiting = draw(first);
      auto done = run_some(waiting, first);
      if (!done) return tl::unexpected(done.error());
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(*done));
      first += *done;
      tally_.seconds = std::chrono::duration<double>(Clock::now() - began).count();
      show_progress();
      if (tally_.gave_up) break;
    }
    if (auto ended = pool_.discard_all(); !ended && !tally_.gave_up) {
      tally_.gave_up = ended.error();
    }
    return tally_;
  }

 private:
  bool over(TimePoint began, std::uint64_t next) const {
    if (pool_.settings().stop_wanted() || tally_.findings >= options_.findings_max) return true;
    if (options_.cases && next >= *options_.cases) return true;
    return options_.time && Clock::now() - began >= *options_.time;
  }

  // The next cases of one world size.
  std::vector<Case> draw(std::uint64_t first) const {
    std::vector<Case> drawn;
    while (drawn.size() < kBatchCases) {
      const auto number = first + drawn.size();
      if (options_.cases && number >= *options_.cases) break;
      auto test_case = generator_.at(number);
      if (!drawn.empty() && test_case.ranks != drawn.front().ranks) break;
      drawn.push_back(std::move(test_case));
    }
    return drawn;
  }

  // Runs a prefix of the waiting cases; how many.
  Result<std::size_t> run_some(const std::vector<Case>& waiting, std::uint64_t first) {
    const int ranks = waiting.front().ranks;
    auto examined = examiner_.run(waiting, pool_.settings().deadline);
    if (!examined) return no_world(examined.error(), ranks, first);
    for (std::size_t i = 0; i < examined->size(); ++i) {
      const auto& one = (*examined)[i];
      if (auto status = record(one, first + i); !status) return tl::unexpected(status.error());
      if (one.failed()) {
        if (auto status = pursue(one, first + i); !status) return tl::unexpected(status.error());
      }
    }
    return examined->size();
  }

  // The case cannot be run for want of a world.
  Result<std::size_t> no_world(const Error& error, int ranks, std::uint64_t id) {
    if (error.kind == ErrorKind::interrupted) return std::size_t{0};
    ++tally_.cases;
    ++tally_.unknown;
    Json line = {{"type", "case"},          {"id", id},
                 {"backend", record_.name}, {"ranks", ranks},
                 {"outcome", "ok"},         {"verdict", "unknown"},
                 {"elapsed_ms", 0.0},       {"reason", to_line(error)}};
    if (auto status = results_.append(line); !status) return tl::unexpected(status.error());
    console_.line("unknown: " + to_line(error));
    if (++unknown_in_a_row_ >= kLaunchFailuresInARowMax) tally_.gave_up = error;
    return std::size_t{1};
  }

  Status record(const Examined& examined, std::uint64_t id) {
    ++tally_.cases;
    unknown_in_a_row_ = examined.verdict == Verdict::unknown ? unknown_in_a_row_ + 1 : 0;
    switch (examined.verdict) {
      case Verdict::note:
        ++tally_.notes;
        [[fallthrough]];
      case Verdict::pass:
        ++tally_.pass;
        break;
      case Verdict::fail:
        ++tally_.fail;
        break;
      case Verdict::skip:
        ++tally_.skip;
        ++tally_.skip_reasons[examined.reason];
        break;
      case Verdict::unknown:
        ++tally_.unknown;
        console_.line(fmt::format("unknown: case {}: {}", id, examined.reason));
        if (unknown_in_a_row_ >= kUnknownInARowMax) {
          tally_.gave_up = Error{ErrorKind::internal, examined.reason, ""};
        }
        break;
    }
    std::set<std::string> ids(examined.known.begin(), examined.known.end());
    for (const auto& known : ids) {
      if (++tally_.known[known] > 1) continue;
      if (auto status = record_known(examined, id, known); !status) return status;
    }
    return results_.append(case_line(examined, id, record_.name, options_.full_history));
  }

  // The first case that shows a known failure is recorded as it is: its witness is already small.
  Status record_known(const Examined& examined, std::uint64_t id, const std::string& known) {
    Finding finding;
    finding.id = id;
    finding.target = record_;
    finding.property = examined.property;
    finding.outcome = examined.outcome;
    finding.summary = fmt::format("known failure {}: {}", known, examined.reason);
    finding.known = known;
    finding.test_case = finding.original = examined.test_case;
    finding.history = examined.history;
    finding.deadline_ms = pool_.settings().deadline.count();
    return write(finding);
  }

  // From a failure to a recorded finding, unless it is one that is recorded already.
  Status pursue(const Examined& failed, std::uint64_t id) {
    const auto kind = kind_of(failed);
    auto& recorded = finding_of_[kind + detail_of(failed)];
    if (recorded.empty() && investigations_[kind]++ >= kInvestigationsPerKind) {
      recorded = finding_of_[kind];
    }
    Status status;
    if (recorded.empty()) {
      console_.progress([&] { return fmt::format("case {} fails: making it small", id); });
      auto finding = investigate(examiner_, failed, options_.investigate);
      finding.id = id;
      finding.target = record_;
      auto& alike = finding_of_[shape_of(finding)];
      if (alike.empty()) {
        alike = name_of_file(finding);
        ++tally_.findings;
        status = write(finding);
      }
      recorded = finding_of_[kind] = alike;
    }
    ++tally_.shown_by[recorded];
    return status;
  }

  std::string name_of_file(const Finding& finding) const {
    auto name = fmt::format("findings/{}-{}-{}.json", record_.name, finding.id,
                            finding.known ? *finding.known : finding.property);
    std::replace(name.begin(), name.end(), ':', '-');  // of mutant:NAME; not all systems take it
    return name;
  }

  Status write(const Finding& finding) {
    const auto name = name_of_file(finding);
    if (auto status = results_.write(name, finding_file(finding).dump(2) + "\n"); !status) {
      return status;
    }
    const auto file = (results_.folder() / name).string();
    if (!finding.known) {
      console_.line(fmt::format("FINDING {}: {}", finding.property, finding.summary));
      console_.line(fmt::format(
          "  came back in {} of {} fresh worlds{}{}", finding.reproduced.hits,
          finding.reproduced.tries,
          finding.repeats > 1 ? fmt::format(", run {} times in each", finding.repeats) : "",
          finding.before.empty() ? ""
                                 : fmt::format(", after {} that may be its cause",
                                               counted(finding.before.size(), "earlier case"))));
      if (!finding.trouble.empty()) console_.line("  unknown meanwhile: " + finding.trouble);
      console_.line("  " + reproduce_line(file));
    }
    return results_.append(finding_line(finding, file));
  }

  void show_progress() {
    console_.progress([&] {
      return fmt::format("{}: {}, {:.0f}/s, {}, {} skipped, {:.0f} s", record_.name,
                         counted(tally_.cases, "case"),
                         static_cast<double>(tally_.cases) / std::max(tally_.seconds, 1e-3),
                         counted(tally_.findings, "finding"), tally_.skip, tally_.seconds);
    });
  }

  WorldPool& pool_;
  const TargetRecord& record_;
  const CampaignOptions& options_;
  ResultsFolder& results_;
  Console& console_;
  Examiner examiner_;
  Generator generator_;
  Tally tally_;
  std::map<std::string, int> investigations_;
  // The file of the recorded finding that failures of a kind, of a kind with its details, and of a
  // shrunk shape are taken for.
  std::map<std::string, std::string> finding_of_;
  int unknown_in_a_row_ = 0;
};

}  // namespace

void Tally::add(const Tally& other) {
  cases += other.cases;
  pass += other.pass;
  fail += other.fail;
  skip += other.skip;
  unknown += other.unknown;
  notes += other.notes;
  findings += other.findings;
  seconds += other.seconds;
  for (const auto& [id, count] : other.known) known[id] += count;
  for (const auto& [file, count] : other.shown_by) shown_by[file] += count;
  for (const auto& [reason, count] : other.skip_reasons) skip_reasons[reason] += count;
  if (!gave_up) gave_up = other.gave_up;
}

Result<Tally> run_campaign(WorldPool& pool, const TargetRecord& record, const KnownFailures& known,
                           const CampaignOptions& options, ResultsFolder& results,
                           Console& console) {
  return Campaign(pool, record, known, options, results, console).run();
}

}  // namespace allprove
