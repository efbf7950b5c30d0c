// What every command that draws cases begins with: the space, the seed, a session, the folder of
// the results, and a first world of every backend.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/session.h"
#include "framework/report/console.h"
#include "framework/report/finding.h"
#include "framework/report/known.h"
#include "framework/report/results.h"
#include "framework/run/pool.h"
#include "framework/search/generate.h"
#include "properties/table.h"

namespace allprove {

// Usage errors name the option.
Result<Space> make_space(const Options& options);
Result<std::vector<Property>> choose_properties(
    const std::vector<std::string>& names);  // none: all
std::uint64_t choose_seed(const Options& options);

// One backend of the run, with its worlds.
struct Runner {
  std::unique_ptr<WorldPool> pool;
  TargetRecord record;
  KnownFailures known;
};

// Launches a first world, of the smallest size, which tells the library's version.
Result<Runner> make_runner(const Target& target, const Session& session, bool no_known);

// Writes the `run` line and run.json. Without a seed nothing is drawn.
Status begin_results(ResultsFolder& results, const std::vector<Runner>& runners,
                     const std::string& command, const std::string& command_line,
                     std::optional<std::uint64_t> seed);

struct Run {
  std::unique_ptr<Session> session;
  ResultsFolder results;
  std::vector<Runner> runners;  // after the session: its settings outlive the worlds
};

// Starts the session, makes the folder, makes the runners and begins the results.
Result<Run> begin_run(const std::string& command, const std::string& command_line,
                      const Options& options, std::uint64_t seed, Console& console);

// Ends the worlds and the session, and writes the summary as the history's last line.
Status end_run(Run& run, const nlohmann::ordered_json& summary, Console& console);

}  // namespace allprove
