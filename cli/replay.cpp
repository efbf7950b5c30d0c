// `allprove replay`: runs a finding again, as often as asked, each time in a fresh world.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "cli/commands.h"
#include "cli/investigate.h"
#include "cli/session.h"
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
    options.env.insert(options.env.begin(), name + "=" + value);
  }
  if (finding.target.launcher == "mpirun") options.launcher = "mpirun";
  options.ranks = std::to_string(finding.test_case.ranks);
  return options;
}

}  // namespace

Result<int> run_replay(const Options& given, const std::string& file, int tries) {
  const auto finding = read_finding(file);
  if (!finding) return tl::unexpected(finding.error());
  const auto options = options_for(given, *finding);
  if (options.backends.size() != 1) return usage_error("replay takes one --backend");
  auto session = Session::begin(options);
  if (!session) return tl::unexpected(session.error());
  std::string why;
  const auto targets = (*session)->targets(options.backends, why);
  if (!targets) return tl::unexpected(targets.error());

  Console console;
  console.line(fmt::format("{} on {}: {}", finding->property, targets->front().name,
                           describe(finding->test_case)));
  int hits = 0;
  {
    WorldPool pool(targets->front(), (*session)->settings());
    const KnownFailures none;  // a replay shows what happens, known or not
    const auto properties = all_properties();
    Examiner examiner(pool, none, {.properties = {properties.begin(), properties.end()}});
    for (int attempt = 0; attempt < tries; ++attempt) {
      const auto failure = run_finding(examiner, *finding, (*session)->settings().deadline);
      if (!failure) return tl::unexpected(failure.error());
      if (!*failure) continue;
      if ((*failure)->outcome != finding->outcome) {
        console.line(fmt::format("  another failure: {}: {}: {}", name_of((*failure)->outcome),
                                 (*failure)->property, (*failure)->reason));
        continue;
      }
      if (hits++ == 0) {
        console.line(fmt::format("  {}: {}", (*failure)->property, (*failure)->reason));
        if (!(*failure)->history.diagnosis.empty()) {
          console.line("  " + (*failure)->history.diagnosis);
        }
      }
    }
  }
  console.line(
      fmt::format("{}: {} of {}", hits > 0 ? "reproduced" : "does not reproduce", hits, tries));
  if (auto finished = (*session)->finish(); !finished) return tl::unexpected(finished.error());
  return hits > 0 ? kExitFinding : kExitPass;
}

}  // namespace allprove
