#include "cli/investigate.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/base/enum_table.h"

namespace allprove {
namespace {

// While looking for a small case a hang need not be waited for as long as when it was found.
constexpr Milliseconds kHangSeen(2000);

std::string summary_of(const Examined& failed) {
  return fmt::format("{}: {}", describe(failed.test_case), failed.reason);
}

class Investigation {
 public:
  Investigation(Examiner& examiner, const Examined& failed, std::vector<Case> before,
                const InvestigateOptions& options)
      : examiner_(examiner), original_(failed), before_(std::move(before)), options_(options) {}

  Finding run() {
    best_ = original_;
    if (comes_back()) {
      const auto shrunk = shrink(
          original_.test_case, [this](const Case& smaller) { return shows(smaller); },
          options_.budget);
      finding_.shrink_tries = shrunk.tries;
      finding_.shrink_complete = !shrunk.exhausted;
    }
    settle();
    fill_in();
    return std::move(finding_);
  }

 private:
  Milliseconds deadline() const {
    const auto full = examiner_.pool().settings().deadline;
    return original_.outcome == Outcome::hang ? std::min(full, kHangSeen) : full;
  }

  bool same_kind(const Examined& examined) const {
    return examined.failed() && examined.outcome == original_.outcome;
  }

  // Runs the cases in the warm world; the first failure of the same kind, and its index.
  std::optional<std::pair<Examined, std::size_t>> first_failure(const std::vector<Case>& cases) {
    std::span<const Case> rest(cases);
    while (!rest.empty()) {
      const auto batch = rest.first(std::min<std::size_t>(rest.size(), kBatchCases));
      auto examined = examiner_.run(batch, deadline());
      if (!examined) finding_.trouble = to_line(examined.error());
      if (!examined || examined->empty()) return std::nullopt;
      if (examined->back().verdict == Verdict::unknown) finding_.trouble = examined->back().reason;
      const auto done = cases.size() - rest.size() + examined->size();
      if (same_kind(examined->back())) return std::pair{std::move(examined->back()), done - 1};
      if (examined->size() < batch.size() && !examined->back().failed() &&
          examined->back().verdict != Verdict::unknown) {
        return std::nullopt;
      }
      rest = rest.subspan(examined->size());
    }
    return std::nullopt;
  }

  std::optional<std::pair<Examined, std::size_t>> first_failure_of_copies(const Case& test_case,
                                                                          int copies) {
    return first_failure(std::vector<Case>(static_cast<std::size_t>(copies), test_case));
  }

  // Whether the original shows again, and with how many copies: decides how candidates are run.
  bool comes_back() {
    examiner_.options().keep_world_after_failure = true;
    for (const int copies : {1, options_.copies}) {
      if (examiner_.pool().settings().stop_wanted()) return false;
      static_cast<void>(examiner_.pool().discard(original_.test_case.ranks));
      copies_ = copies;
      if (first_failure_of_copies(original_.test_case, copies)) return true;
    }
    return false;
  }

  bool shows(const Case& candidate) {
    if (examiner_.pool().settings().stop_wanted()) return false;
    auto found = first_failure_of_copies(candidate, copies_);
    if (!found) return false;
    best_ = std::move(found->first);
    return true;
  }

  // How the shrunk case is to be run so that it shows: alone, in copies, or after other cases. If
  // none of them shows it, the case stands as it was first seen, with what ran before it.
  void settle() {
    examiner_.options().keep_world_after_failure = false;
    const Examined shrunk = best_;
    if (try_as(shrunk, {}, 1) || try_as(shrunk, {}, options_.copies)) return;
    if (!(shrunk.test_case == original_.test_case)) {
      if (try_as(original_, {}, 1) || try_as(original_, {}, options_.copies)) return;
    }
    if (!before_.empty() && try_as(original_, before_, 1)) return;
    best_ = original_;
    finding_.before = before_;
  }

  bool try_as(const Examined& candidate, const std::vector<Case>& before, int copies) {
    Reproduced reproduced;
    std::size_t latest = 0;
    std::vector<Case> cases = before;
    cases.insert(cases.end(), static_cast<std::size_t>(copies), candidate.test_case);
    while (reproduced.tries < options_.tries) {
      if (examiner_.pool().settings().stop_wanted() && reproduced.tries > 0) break;
      ++reproduced.tries;
      static_cast<void>(examiner_.pool().discard(candidate.test_case.ranks));
      auto found = first_failure(cases);
      if (!found) {
        if (reproduced.tries == 2 && reproduced.hits == 0 && copies == 1) break;
        continue;
      }
      ++reproduced.hits;
      latest = std::max(latest, found->second);
      best_ = std::move(found->first);
    }
    finding_.reproduced = reproduced;
    if (reproduced.hits == 0) return false;
    finding_.before = before;
    finding_.repeats = copies;
    // It always came by then: no more copies are needed.
    if (reproduced.hits == reproduced.tries && latest >= before.size()) {
      finding_.repeats = static_cast<int>(latest - before.size()) + 1;
    }
    return true;
  }

  void fill_in() {
    const auto& settings = examiner_.pool().settings();
    finding_.property = best_.property;
    finding_.outcome = best_.outcome;
    finding_.summary = summary_of(best_);
    finding_.blame = best_.history.blame.empty() ? best_.failure.ranks : best_.history.blame;
    finding_.test_case = best_.test_case;
    finding_.original = original_.test_case;
    finding_.history = best_.history;
    finding_.deadline_ms = settings.deadline.count();
  }

  Examiner& examiner_;
  const Examined& original_;
  std::vector<Case> before_;
  const InvestigateOptions& options_;
  int copies_ = 1;
  Examined best_;
  Finding finding_;
};

}  // namespace

Finding investigate(Examiner& examiner, const Examined& failed, std::vector<Case> before,
                    const InvestigateOptions& options) {
  return Investigation(examiner, failed, std::move(before), options).run();
}

Result<std::optional<Examined>> run_finding(Examiner& examiner, const Finding& finding,
                                            Milliseconds deadline) {
  examiner.options().keep_world_after_failure = true;  // what fails before the case is its history
  if (auto status = examiner.pool().discard(finding.test_case.ranks); !status) {
    return tl::unexpected(status.error());
  }
  std::vector<Case> cases = finding.before;
  cases.insert(cases.end(), static_cast<std::size_t>(finding.repeats), finding.test_case);
  std::span<const Case> rest(cases);
  while (!rest.empty()) {
    auto examined =
        examiner.run(rest.first(std::min<std::size_t>(rest.size(), kBatchCases)), deadline);
    if (!examined) return tl::unexpected(examined.error());
    if (examined->empty()) return fail(ErrorKind::interrupted, "interrupted");
    if (examined->back().verdict == Verdict::unknown) {
      return internal_error(examined->back().reason);
    }
    const auto first = cases.size() - rest.size();
    for (std::size_t i = 0; i < examined->size(); ++i) {
      auto& one = (*examined)[i];
      if (first + i < finding.before.size()) continue;
      if (one.verdict == Verdict::skip) {
        return fail(ErrorKind::unavailable, "the case cannot run here: " + one.reason);
      }
      if (one.failed()) return std::optional(std::move(one));
    }
    rest = rest.subspan(examined->size());
  }
  return std::optional<Examined>();
}

}  // namespace allprove
