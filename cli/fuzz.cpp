// `allprove fuzz`: draws cases and runs them on one backend after the other.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/campaign.h"
#include "cli/commands.h"
#include "cli/run.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kDefaultTime(60'000);  // a backend

Result<CampaignOptions> make_campaign(const Options& options) {
  if (!options.faults.empty()) {
    return usage_error("--fault: fuzz runs without faults", "use `./allprove fault`");
  }
  CampaignOptions campaign;
  campaign.seed = choose_seed(options);
  auto space = make_space(options);
  if (!space) return tl::unexpected(space.error());
  campaign.space = std::move(*space);
  auto properties = choose_properties(options.properties);
  if (!properties) return tl::unexpected(properties.error());
  campaign.examine.properties = std::move(*properties);
  const auto full_history = parse_history(options.history);
  if (!full_history) return tl::unexpected(full_history.error());
  campaign.full_history = *full_history;
  if (options.findings_max == 0u) return usage_error("--max-findings 0: nothing to do");
  campaign.findings_max = options.findings_max.value_or(campaign.findings_max);
  const auto extent = parse_extent(options);
  if (!extent) return tl::unexpected(extent.error());
  campaign.cases = extent->cases;
  campaign.time = extent->time;
  if (!campaign.cases && !campaign.time) campaign.time = kDefaultTime;
  return campaign;
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
               {"shown_by", tally.shown_by},
               {"skip_reasons", tally.skip_reasons}};
  if (interrupted) line["interrupted"] = true;
  return line;
}

void print_tally(Console& console, const std::string& name, const KnownFailures& known,
                 const Tally& tally) {
  console.line(
      fmt::format("{}: {} in {:.1f} s ({:.0f}/s): {} pass, {} fail, {} skip, {} unknown; {}", name,
                  counted(tally.cases, "case"), tally.seconds,
                  static_cast<double>(tally.cases) / std::max(tally.seconds, 1e-3), tally.pass,
                  tally.fail, tally.skip, tally.unknown, counted(tally.findings, "finding")));
  for (const auto& [file, count] : tally.shown_by) {
    console.line(fmt::format("  {} shows in {}", file, counted(count, "case")));
  }
  for (const auto& [id, count] : tally.known) {
    const auto entry = std::ranges::find(known.all(), id, &KnownFailure::id);
    console.line(fmt::format("  known failure {} shows in {}{}", id, counted(count, "case"),
                             entry == known.all().end() ? "" : ": see " + entry->page));
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
  const auto campaign = make_campaign(options);
  if (!campaign) return tl::unexpected(campaign.error());
  Console console;
  auto run = begin_run("fuzz", command_line, options, campaign->seed, console);
  if (!run) return tl::unexpected(run.error());
  Tally total;
  for (auto& runner : run->runners) {
    if (run->session->interrupted()) break;
    const auto tally =
        run_campaign(*runner.pool, runner.record, runner.known, *campaign, run->results, console);
    if (!tally) return tl::unexpected(tally.error());
    print_tally(console, runner.record.name, runner.known, *tally);
    total.add(*tally);
  }
  const bool interrupted = run->session->interrupted();
  auto ended = end_run(*run, summary_line(total, interrupted), console);
  if (!ended) return tl::unexpected(ended.error());
  return exit_code(total, interrupted);
}

}  // namespace allprove
