// Every call comes to its end, without an error, a crash or a hang.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "framework/base/enum_table.h"
#include "framework/base/wait_status.h"
#include "framework/model/wording.h"
#include "properties/each.h"
#include "properties/trial.h"

namespace allprove {
namespace {

PropertyResult failed(std::string reason, int operation, std::vector<int> ranks) {
  PropertyResult result;
  result.verdict = Verdict::fail;
  result.reason = std::move(reason);
  result.operation = operation;
  result.ranks = std::move(ranks);
  return result;
}

// An index that the program has, or -1: what a dead rank last said may be anything.
int known_operation(const Trial& trial, int operation) {
  const auto size = static_cast<int>(trial.test_case().program.size());
  return operation >= 0 && operation < size ? operation : -1;
}

std::string in_operation(const Trial& trial, int operation) {
  const int known = known_operation(trial, operation);
  return known < 0 ? "before the first operation"
                   : "in " + operation_text(trial.test_case(), known);
}

std::string end_text(const RankRecord& rank) {
  if (!rank.wait_status) return "is gone";
  return describe_exit(*rank.wait_status);
}

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The last line with words in it, not too long: what a dying process said. Libraries frame theirs,
// and print stacks whose addresses tell nothing.
std::string last_line(const std::string& text) {
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool words =
        std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    const bool frame = line.find("[0x") != std::string::npos;
    if (words && !frame && line.find("***") == std::string::npos) last = line.substr(0, 200);
  }
  while (!last.empty() && std::isspace(static_cast<unsigned char>(last.back()))) last.pop_back();
  return last;
}

// The first operation, in the program's order, for which a rank got an error.
PropertyResult check_errors(const Trial& trial) {
  const auto& test_case = trial.test_case();
  for (int index = 0; index < static_cast<int>(test_case.program.size()); ++index) {
    std::vector<int> ranks;
    for (int rank = 0; rank < test_case.ranks; ++rank) {
      if (trial.record(rank, index).code != 0) ranks.push_back(rank);
    }
    if (ranks.empty()) continue;
    const auto& seen = trial.record(ranks.front(), index);
    auto reason = fmt::format("{}: {} got error {}", operation_text(test_case, index),
                              ranks_text(ranks), seen.code);
    if (!seen.message.empty()) reason += " (" + in_one_line(seen.message) + ")";
    return failed(std::move(reason), index, std::move(ranks));
  }
  return {};
}

PropertyResult check_crashes(const Trial& trial) {
  std::vector<int> ranks;
  const auto& records = trial.history().ranks;
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    if (!records[rank].position.alive) ranks.push_back(static_cast<int>(rank));
  }
  if (ranks.empty()) return {};
  const auto& first = records[static_cast<std::size_t>(ranks.front())];
  auto reason = fmt::format("rank {} {} {}", ranks.front(), end_text(first),
                            in_operation(trial, first.position.operation));
  if (const auto said = last_line(first.last_output); !said.empty()) reason += ": " + said;
  if (ranks.size() > 1) reason += "; ended: " + ranks_text(ranks);
  return failed(std::move(reason), known_operation(trial, first.position.operation),
                std::move(ranks));
}

PropertyResult check_hang(const Trial& trial) {
  std::vector<int> ranks;
  int operation = -1;
  const auto& records = trial.history().ranks;
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    if (records[rank].position.phase != Phase::called) continue;
    if (ranks.empty()) operation = records[rank].position.operation;
    ranks.push_back(static_cast<int>(rank));
  }
  const auto& diagnosis = trial.history().diagnosis;
  auto reason = ranks.empty() ? std::string("no rank comes to its end")
                              : fmt::format("{} hang{}: rank {} {}", ranks_text(ranks),
                                            ranks.size() == 1 ? "s" : "", ranks.front(),
                                            in_operation(trial, operation));
  if (!diagnosis.empty()) reason += "; " + diagnosis;
  return failed(std::move(reason), known_operation(trial, operation), std::move(ranks));
}

// What nobody saw the end of does not pass. A fault may leave calls out.
PropertyResult check_reports(const Trial& trial) {
  const auto& test_case = trial.test_case();
  if (!test_case.faults.empty()) return passed();
  for (int index = 0; index < static_cast<int>(test_case.program.size()); ++index) {
    const auto& operation = test_case.program[static_cast<std::size_t>(index)];
    if (!enters_collective(operation.kind)) continue;
    for (int rank = 0; rank < test_case.ranks; ++rank) {
      if (trial.record(rank, index).completed_ns != 0) continue;
      if (membership_of(test_case, operation.group, rank).part < 0) continue;
      PropertyResult result;
      result.verdict = Verdict::unknown;
      result.operation = index;
      result.reason =
          fmt::format("rank {} reports no end of {}", rank, operation_text(test_case, index));
      return result;
    }
  }
  return passed();
}

PropertyResult check(const Trial& trial) {
  const auto& history = trial.history();
  if (auto crash = check_crashes(trial); crash.verdict == Verdict::fail) return crash;
  if (auto error = check_errors(trial); error.verdict == Verdict::fail) return error;
  if (history.proof != Proof::none || history.outcome == Outcome::hang) return check_hang(trial);
  if (history.outcome == Outcome::crash || history.outcome == Outcome::error) {
    return failed(fmt::format("{}{}{}", name_of(history.outcome),
                              history.diagnosis.empty() ? "" : ": ", history.diagnosis),
                  -1, {});
  }
  return check_reports(trial);
}

}  // namespace

const Property kCompletes = {
    .name = "completes",
    .claim = "Every call comes to its end: no crash, no hang, no error.",
    .needs = "any program",
    .check = check,
};

}  // namespace allprove
