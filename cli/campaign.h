// A campaign: cases drawn from one seed, run on one target, until a number of them or a time is
// reached; failures investigated and recorded as they come.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/investigate.h"
#include "framework/report/console.h"
#include "framework/report/results.h"
#include "framework/search/generate.h"

namespace allprove {

struct CampaignOptions {
  std::uint64_t seed = 0;
  Space space;
  std::optional<std::uint64_t> cases;
  std::optional<std::chrono::milliseconds> time;
  std::uint64_t findings_max = 20;  // ends the campaign
  bool full_history = false;
  ExamineOptions examine;
  InvestigateOptions investigate;
};

struct Tally {
  std::uint64_t cases = 0;
  std::uint64_t pass = 0;  // notes among them
  std::uint64_t fail = 0;
  std::uint64_t skip = 0;
  std::uint64_t unknown = 0;
  std::uint64_t notes = 0;
  std::uint64_t findings = 0;                     // distinct ones
  std::map<std::string, std::uint64_t> known;     // cases that each known failure masks
  std::map<std::string, std::uint64_t> shown_by;  // cases that each finding, by its file, shows in
  std::map<std::string, std::uint64_t> skip_reasons;
  double seconds = 0;
  std::optional<Error> gave_up;  // our own failure that ended the campaign early

  void add(const Tally& other);
};

// Runs the campaign. Lines go to `results` as they come; an error when they cannot be written (the
// campaign ends then, with its worlds).
Result<Tally> run_campaign(WorldPool& pool, const TargetRecord& record, const KnownFailures& known,
                           const CampaignOptions& options, ResultsFolder& results,
                           Console& console);

}  // namespace allprove
