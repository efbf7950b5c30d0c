// `allprove fuzz`: draws cases and runs them on one backend after the other.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/campaign.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "framework/base/enum_table.h"
#include "framework/base/version.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kDefaultTime(60'000);  // a backend

std::uint64_t new_seed() {
  std::uint32_t seed = 0;  // short enough to be typed
  ALLPROVE_CHECK(getrandom(&seed, sizeof seed, 0) == sizeof seed);
  return seed;
}

// Whether some operator that may be drawn is defined on some type that may be.
bool any_legal(const Space& space) {
  for (const auto op : space.ops) {
    for (const auto dtype : space.dtypes) {
      if (is_legal(op, dtype)) return true;
    }
  }
  return space.ops.empty() || space.dtypes.empty();
}

Result<Space> make_space(const Options& options, const std::vector<int>& ranks) {
  Space space;
  space.ranks = ranks;
  const auto collectives = parse_names<Collective>("--collective", options.collectives);
  if (!collectives) return tl::unexpected(collectives.error());
  const auto dtypes = parse_names<Dtype>("--dtype", options.dtypes);
  if (!dtypes) return tl::unexpected(dtypes.error());
  const auto ops = parse_names<Op>("--op", options.ops);
  if (!ops) return tl::unexpected(ops.error());
  space.collectives = *collectives;
  space.dtypes = *dtypes;
  space.ops = *ops;
  space.properties = options.properties;
  if (!any_legal(space)) {
    return usage_error("--op and --dtype: none of these operators is defined on these types");
  }
  return space;
}

Result<std::vector<Property>> choose_properties(const std::vector<std::string>& names) {
  std::vector<Property> chosen;
  for (const auto& property : all_properties()) {
    if (names.empty() || std::find(names.begin(), names.end(), property.name) != names.end()) {
      chosen.push_back(property);
    }
  }
  for (const auto& name : names) {
    if (find_property(name) != nullptr) continue;
    return usage_error(fmt::format("--property: '{}' is not known", name),
                       "see `./allprove list properties`");
  }
  return chosen;
}

Result<CampaignOptions> make_campaign(const Options& options, const Session& session) {
  CampaignOptions campaign;
  campaign.seed = options.seed ? *options.seed : new_seed();
  auto space = make_space(options, session.ranks());
  if (!space) return tl::unexpected(space.error());
  campaign.space = std::move(*space);
  auto properties = choose_properties(options.properties);
  if (!properties) return tl::unexpected(properties.error());
  campaign.examine.properties = std::move(*properties);
  if (options.history != "full" && options.history != "lean") {
    return usage_error(fmt::format("--history {}: not known", options.history),
                       "one of: full, lean");
  }
  campaign.full_history = options.history == "full";
  if (options.cases && *options.cases == 0) return usage_error("--cases 0: nothing to do");
  if (!options.faults.empty()) {
    return usage_error("--fault: fuzz runs without faults", "use `./allprove fault`");
  }
  if (options.findings_max == 0) return usage_error("--max-findings 0: nothing to do");
  campaign.findings_max = options.findings_max;
  campaign.cases = options.cases;
  if (!options.time.empty()) {
    const auto time = parse_duration("--time", options.time);
    if (!time) return tl::unexpected(time.error());
    campaign.time = *time;
  }
  if (!campaign.cases && !campaign.time) campaign.time = kDefaultTime;
  return campaign;
}

// One backend of the run, with its worlds.
struct Runner {
  std::unique_ptr<WorldPool> pool;
  TargetRecord record;
  KnownFailures known;
};

// Launches a first world, which tells the library's version.
Result<Runner> make_runner(const Target& target, const Session& session, const Options& options) {
  Runner runner;
  runner.pool = std::make_unique<WorldPool>(target, session.settings());
  const auto world = runner.pool->warm(session.ranks().front());
  if (!world) return tl::unexpected(world.error());
  const auto& ready = (*world)->ready();
  auto& record = runner.record;
  record.name = target.name;
  record.library = ready.library;
  record.version = ready.version;
  record.launcher = session.settings().use_mpirun ? "mpirun" : "direct";
  record.sandbox = name_of(session.settings().sandbox);
  record.worker = target.worker.string();
  record.environment = session.environment();
  if (options.no_known) return runner;
  auto known = KnownFailures::load(known_folder(), std::string(target.backend->family),
                                   ready.version, session.environment());
  if (!known) return tl::unexpected(known.error());
  runner.known = std::move(*known);
  return runner;
}

Json run_line(const std::vector<Runner>& runners, const CampaignOptions& campaign,
              const std::string& command_line) {
  Json backends = Json::array();
  for (const auto& runner : runners) {
    backends.push_back({{"name", runner.record.name},
                        {"library", runner.record.library},
                        {"version", runner.record.version}});
  }
  return Json{{"type", "run"},
              {"schema", kSchema},
              {"command", "fuzz"},
              {"seed", campaign.seed},
              {"backends", backends},
              {"started", utc_now()},
              {"command_line", command_line},
              {"allprove", version_info().version},
              {"commit", version_info().commit}};
}

Json run_file(const std::vector<Runner>& runners, const Json& run_line) {
  Json json = run_line;
  json.erase("type");
  Json targets = Json::array();
  for (const auto& runner : runners) targets.push_back(to_json(runner.record));
  json["targets"] = targets;
  return json;
}

Json summary_line(const Tally& tally, bool interrupted) {
  const double seconds = std::max(tally.seconds, 1e-3);
  std::uint64_t known = 0;
  for (const auto& [id, count] : tally.known) known += count > 0 ? 1 : 0;
  Json line = {{"type", "summary"},
               {"cases", tally.cases},
               {"pass", tally.pass},
               {"fail", tally.fail},
               {"skip", tally.skip},
               {"unknown", tally.unknown},
               {"findings", tally.findings},
               {"known", known},
               {"seconds", seconds},
               {"cases_per_second", static_cast<double>(tally.cases) / seconds},
               {"notes", tally.notes},
               {"masked", tally.known},
               {"skip_reasons", tally.skip_reasons}};
  if (interrupted) line["interrupted"] = true;
  return line;
}

void print_tally(Console& console, const std::string& name, const Tally& tally) {
  console.line(fmt::format(
      "{}: {} cases in {:.1f} s ({:.0f}/s): {} pass, {} fail, {} skip, {} unknown; {} finding{}",
      name, tally.cases, tally.seconds,
      static_cast<double>(tally.cases) / std::max(tally.seconds, 1e-3), tally.pass, tally.fail,
      tally.skip, tally.unknown, tally.findings, tally.findings == 1 ? "" : "s"));
  for (const auto& [id, count] : tally.known) {
    console.line(fmt::format("  known failure {} shows in {} cases", id, count));
  }
  for (const auto& [reason, count] : tally.skip_reasons) {
    console.line(fmt::format("  {} skipped: {}", count, reason));
  }
  if (tally.gave_up) console.line("  gave up: " + to_line(*tally.gave_up));
}

int exit_code(const Tally& tally, bool interrupted) {
  if (tally.findings > 0 || tally.fail > 0) return kExitFinding;
  if (tally.unknown > 0 || tally.gave_up) return kExitOwnFailure;
  if (interrupted) return kExitInterrupted;
  if (tally.pass == 0) return kExitNothingChecked;
  return kExitPass;
}

}  // namespace

Result<int> run_fuzz(const Options& options, const std::string& command_line) {
  auto session = Session::begin(options);
  if (!session) return tl::unexpected(session.error());
  const auto campaign = make_campaign(options, **session);
  if (!campaign) return tl::unexpected(campaign.error());
  std::string why;
  const auto targets = (*session)->targets(options.backends, why);
  if (!targets) return tl::unexpected(targets.error());
  auto results = ResultsFolder::create(
      options.out.empty() ? std::nullopt : std::optional<std::filesystem::path>(options.out),
      "fuzz");
  if (!results) return tl::unexpected(results.error());
  (*session)->settings().log_directory = std::filesystem::absolute(results->log_folder());

  Console console;
  if (!why.empty()) console.line(why);
  std::vector<Runner> runners;
  for (const auto& target : *targets) {
    auto runner = make_runner(target, **session, options);
    if (!runner) return tl::unexpected(runner.error());
    console.line(fmt::format("{}: {} {}, {} launch, sandbox {}, seed {}, ranks {}", target.name,
                             runner->record.library, runner->record.version,
                             runner->record.launcher, runner->record.sandbox, campaign->seed,
                             fmt::join((*session)->ranks(), ",")));
    runners.push_back(std::move(*runner));
  }
  const auto line = run_line(runners, *campaign, command_line);
  Status written = results->append(line);
  if (written) written = results->write("run.json", run_file(runners, line).dump(2) + "\n");
  if (!written) return tl::unexpected(written.error());

  Tally total;
  for (auto& runner : runners) {
    if ((*session)->interrupted()) break;
    const auto tally =
        run_campaign(*runner.pool, runner.record, runner.known, *campaign, *results, console);
    if (!tally) return tl::unexpected(tally.error());
    print_tally(console, runner.record.name, *tally);
    total.add(*tally);
  }
  const bool interrupted = (*session)->interrupted();
  if (interrupted) console.line("interrupted");
  console.line(fmt::format("results: {}", results->folder().string()));
  written = results->append(summary_line(total, interrupted));
  if (!written) return tl::unexpected(written.error());
  runners.clear();
  if (auto finished = (*session)->finish(); !finished) return tl::unexpected(finished.error());
  return exit_code(total, interrupted);
}

}  // namespace allprove
