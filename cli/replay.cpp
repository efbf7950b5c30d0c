// `allprove replay`: runs a finding again, as often as asked, each time in a fresh world.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/case_line.h"
#include "cli/commands.h"
#include "cli/investigate.h"
#include "cli/run.h"
#include "framework/base/enum_table.h"
#include "framework/report/console.h"

namespace allprove {
namespace {

constexpr std::uintmax_t kFileBytesMax = std::uintmax_t{64} << 20;

Result<Finding> read_finding(const std::string& file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  if (error) return usage_error(fmt::format("{}: {}", file, error.message()));
  if (bytes > kFileBytesMax) return usage_error(fmt::format("{}: too large for a finding", file));
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) return usage_error(fmt::format("{}: cannot be read", file));
  auto finding = finding_from_text(text.str());
  if (!finding) {
    return usage_error(fmt::format("{}: {}", file, finding.error().message),
                       "give a file from a run's findings/ folder");
  }
  return finding;
}

// The options of this command, completed by what the finding says of its target.
Options options_for(const Options& given, const Finding& finding) {
  Options options = given;
  if (options.backends.empty()) options.backends = {finding.target.name};
  for (const auto& [name, value] : finding.target.environment) {
    options.env.insert(options.env.begin(), fmt::format("{}={}", name, value));
  }
  if (finding.target.launcher == "mpirun") options.launcher = "mpirun";
  if (options.deadline.empty() && finding.deadline_ms > 0)
    options.deadline = fmt::format("{}ms", finding.deadline_ms);
  options.ranks = std::to_string(finding.test_case.ranks);
  return options;
}

struct Tries {
  int wanted = 5;
  int done = 0;
  int hits = 0;    // the finding's own failure
  int others = 0;  // other failures
};

// The tries, one after the other, told on the console and, where there is one, in the folder.
class Replay {
 public:
  Replay(const Finding& finding, const Runner& runner, std::optional<ResultsFolder>& results,
         bool full_history, Console& console)
      : finding_(finding),
        runner_(runner),
        results_(results),
        full_history_(full_history),
        console_(console) {}

  Result<Tries> run(int wanted, Milliseconds deadline) {
    Tries tries{.wanted = wanted};
    const KnownFailures none;  // a replay shows what happens, known or not
    const auto properties = all_properties();
    Examiner examiner(*runner_.pool, none, {.properties = {properties.begin(), properties.end()}});
    while (tries.done < wanted) {
      const auto failure = run_finding(examiner, finding_, deadline);
      if (!failure) return tl::unexpected(failure.error());
      if (*failure) count_failure(**failure, tries);
      if (auto status = record(*failure, tries.done++); !status) {
        return tl::unexpected(status.error());
      }
    }
    return tries;
  }

 private:
  void count_failure(const Examined& failure, Tries& tries) {
    if (failure.outcome != finding_.outcome) {
      ++tries.others;
      return console_.line(fmt::format("  another failure: {}: {}: {}", name_of(failure.outcome),
                                       failure.property, failure.reason));
    }
    if (tries.hits++ > 0) return;
    console_.line(fmt::format("  {}: {}", failure.property, failure.reason));
    const auto& history = failure.history;
    if (!history.diagnosis.empty()) console_.line("  " + history.diagnosis);
    const auto known = runner_.known.match(failure.test_case, history, failure.property,
                                           failure.failure.operation);
    if (known) console_.line("  known failure " + *known);
  }

  Status record(const std::optional<Examined>& failure, int id) {
    if (!results_) return {};
    Examined passed;
    passed.test_case = finding_.test_case;
    passed.verdict = Verdict::pass;
    return results_->append(case_line(failure ? *failure : passed, static_cast<std::uint64_t>(id),
                                      runner_.record.name, full_history_));
  }

  const Finding& finding_;
  const Runner& runner_;
  std::optional<ResultsFolder>& results_;
  bool full_history_;
  Console& console_;
};

nlohmann::ordered_json summary_line(const Tries& tries, double seconds) {
  return {{"type", "summary"},
          {"cases", tries.done},
          {"pass", tries.done - tries.hits - tries.others},
          {"fail", tries.hits + tries.others},
          {"skip", 0},
          {"unknown", 0},
          {"findings", tries.hits > 0 ? 1 : 0},
          {"known", 0},
          {"seconds", seconds},
          {"cases_per_second", tries.done / std::max(seconds, 1e-3)}};
}

// Only where the user wants one: a replay leaves the newest run's results the newest.
Result<std::optional<ResultsFolder>> make_results(const std::string& out, RunSettings& settings) {
  if (out.empty()) return std::nullopt;
  auto results = ResultsFolder::create(out, "replay");
  if (!results) return tl::unexpected(results.error());
  settings.log_directory = std::filesystem::absolute(results->log_folder());
  return std::optional(std::move(*results));
}

// The finding as it came back this time, and the summary.
Status end_results(ResultsFolder& results, Finding finding, const Runner& runner,
                   const std::string& file, const Tries& tries, double seconds) {
  finding.target = runner.record;
  finding.reproduced = {.hits = tries.hits, .tries = tries.done};
  if (tries.hits > 0) {
    if (auto status = results.append(finding_line(finding, file)); !status) return status;
  }
  return results.append(summary_line(tries, seconds));
}

}  // namespace

Result<int> run_replay(const Options& given, const std::string& file, int tries_wanted,
                       const std::string& command_line) {
  const auto full_history = parse_history(given.history);
  if (!full_history) return tl::unexpected(full_history.error());
  const auto finding = read_finding(file);
  if (!finding) return tl::unexpected(finding.error());
  const auto options = options_for(given, *finding);
  auto session = Session::begin(options);
  if (!session) return tl::unexpected(session.error());
  std::string why;
  const auto targets = (*session)->targets(options.backends, why);
  if (!targets) return tl::unexpected(targets.error());
  if (targets->size() != 1) return usage_error("replay takes one --backend");
  auto results = make_results(options.out, (*session)->settings());
  if (!results) return tl::unexpected(results.error());

  Console console;
  console.line(fmt::format("{} on {}: {}", finding->property, targets->front().name,
                           describe(finding->test_case)));
  const auto began = now_ns();
  std::vector<Runner> runners;
  {
    auto runner = make_runner(targets->front(), **session, options.no_known);
    if (!runner) return tl::unexpected(runner.error());
    runners.push_back(std::move(*runner));
  }
  if (*results) {
    auto status = begin_results(**results, runners, "replay", command_line, std::nullopt);
    if (!status) return tl::unexpected(status.error());
  }
  const auto tries = Replay(*finding, runners.front(), *results, *full_history, console)
                         .run(tries_wanted, (*session)->settings().deadline);
  if (!tries) return tl::unexpected(tries.error());
  console.line(fmt::format("{}: {} of {}{}", tries->hits > 0 ? "reproduced" : "does not reproduce",
                           tries->hits, tries->wanted,
                           tries->others > 0 ? fmt::format("; fails in another way: {} of {}",
                                                           tries->others, tries->wanted)
                                             : ""));
  if (*results) {
    auto status = end_results(**results, *finding, runners.front(), file, *tries,
                              static_cast<double>(now_ns() - began) / 1e9);
    if (!status) return tl::unexpected(status.error());
  }
  runners.clear();
  if (auto finished = (*session)->finish(); !finished) return tl::unexpected(finished.error());
  return tries->hits + tries->others > 0 ? kExitFinding : kExitPass;
}

}  // namespace allprove
