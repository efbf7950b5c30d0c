#include "cli/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/base/enum_table.h"
#include "framework/base/version.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

// Whether some operator that may be drawn is defined on some type that may be.
bool any_legal(const Space& space) {
  for (const auto op : space.ops) {
    for (const auto dtype : space.dtypes) {
      if (is_legal(op, dtype)) return true;
    }
  }
  return space.ops.empty() || space.dtypes.empty();
}

Json run_line(const std::vector<Runner>& runners, const std::string& command,
              const std::string& command_line, std::optional<std::uint64_t> seed) {
  Json backends = Json::array();
  for (const auto& runner : runners) {
    backends.push_back({{"name", runner.record.name},
                        {"library", runner.record.library},
                        {"version", runner.record.version}});
  }
  return Json{{"type", "run"},
              {"schema", kSchema},
              {"command", command},
              {"seed", seed ? Json(*seed) : Json(nullptr)},
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

}  // namespace

Result<Space> make_space(const Options& options) {
  Space space;
  const auto ranks = parse_ranks(options.ranks);
  if (!ranks) return tl::unexpected(ranks.error());
  space.ranks = *ranks;
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
  space.threads = options.threads;
  if (options.large) space.large = kBeyondInt;
  if (!any_legal(space)) {
    return usage_error("--op and --dtype: none of these operators is defined on these types");
  }
  if (auto status = check(space); !status) return tl::unexpected(status.error());
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

std::uint64_t choose_seed(const Options& options) {
  if (options.seed) return *options.seed;
  std::uint32_t seed = 0;  // short enough to be typed
  ALLPROVE_CHECK(getrandom(&seed, sizeof seed, 0) == sizeof seed);
  return seed;
}

Result<Runner> make_runner(const Target& target, const Session& session, bool no_known) {
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
  if (no_known) return runner;
  auto known = KnownFailures::load(programs_folder() / "known", std::string(target.backend->family),
                                   ready.version, session.environment());
  if (!known) return tl::unexpected(known.error());
  runner.known = std::move(*known);
  return runner;
}

Status begin_results(ResultsFolder& results, const std::vector<Runner>& runners,
                     const std::string& command, const std::string& command_line,
                     std::optional<std::uint64_t> seed) {
  const auto line = run_line(runners, command, command_line, seed);
  if (auto status = results.append(line); !status) return status;
  return results.write("run.json", run_file(runners, line).dump(2) + "\n");
}

Result<Run> begin_run(const std::string& command, const std::string& command_line,
                      const Options& options, std::uint64_t seed, Console& console) {
  auto session = Session::begin(options);
  if (!session) return tl::unexpected(session.error());
  std::string why;
  const auto targets = (*session)->targets(options.backends, why);
  if (!targets) return tl::unexpected(targets.error());
  const auto out =
      options.out.empty() ? std::nullopt : std::optional<std::filesystem::path>(options.out);
  auto results = ResultsFolder::create(out, command);
  if (!results) return tl::unexpected(results.error());
  auto& settings = (*session)->settings();
  settings.log_directory = std::filesystem::absolute(results->log_folder());

  Run run{std::move(*session), std::move(*results), {}};
  if (!why.empty()) console.line(why);
  for (const auto& target : *targets) {
    auto runner = make_runner(target, *run.session, options.no_known);
    if (!runner) return tl::unexpected(runner.error());
    const auto& record = runner->record;
    console.line(fmt::format("{}: {} {}, {} launch, sandbox {}, seed {}, ranks {}", target.name,
                             record.library, record.version, record.launcher, record.sandbox, seed,
                             fmt::join(run.session->ranks(), ",")));
    run.runners.push_back(std::move(*runner));
  }
  auto written = begin_results(run.results, run.runners, command, command_line, seed);
  if (!written) return tl::unexpected(written.error());
  return run;
}

Status end_run(Run& run, const Json& summary, Console& console) {
  if (run.session->interrupted()) console.line("interrupted");
  console.line(fmt::format("results: {}", run.results.folder().string()));
  if (auto status = run.results.append(summary); !status) return status;
  run.runners.clear();
  return run.session->finish();
}

}  // namespace allprove
