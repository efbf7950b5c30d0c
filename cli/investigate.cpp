#include "cli/investigate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "framework/base/enum_table.h"

namespace allprove {
namespace {

// While looking for a small case a hang need not be waited for as long as when it was found.
constexpr Milliseconds kHangSeen(2000);
constexpr std::size_t kFirstBatch = 8;  // of many copies: most failures come soon
constexpr int kManyMore = 8;            // times the copies
constexpr int kHopelessTries = 2;
constexpr int kLostWorldsMax = 2;

std::string summary_of(const Examined& failed) {
  return fmt::format("{}: {}", describe(failed.test_case), failed.reason);
}

// A failure that came back, and at which of the cases that were run for it.
struct Shown {
  Examined failed;
  std::size_t index = 0;
};

class Investigation {
 public:
  Investigation(Examiner& examiner, const Examined& failed, const InvestigateOptions& options)
      : examiner_(examiner), original_(failed), options_(options), best_(failed), kept_(failed) {}

  Finding run() {
    examiner_.options().keep_world_after_failure = true;  // as replay does it
    // Until what is left comes so surely that a reader will see it.
    for (const int copies : {1, options_.copies, kManyMore * options_.copies}) {
      if (narrow(copies) || (shrink_end_ && shrink_end_->passed())) break;
    }
    const bool showed = shrink_end_.has_value();
    if (showed && !mostly(finding_.reproduced)) settle(original_, {}, options_.copies);
    if (!came_back() && !original_.before.empty()) settle(original_, original_.before, 1);
    if (!came_back()) {
      finding_.before = original_.before;
      finding_.reproduced.tries = fresh_worlds_;
    }
    examiner_.options().keep_world_after_failure = false;
    // Some have failed; what goes on starts afresh.
    if (auto ended = examiner_.pool().discard_all(); !ended) note_trouble(to_line(ended.error()));
    fill_in();
    return std::move(finding_);
  }

 private:
  bool came_back() const { return finding_.reproduced.hits > 0; }
  bool stop_wanted() const { return examiner_.pool().settings().stop_wanted(); }

  Milliseconds deadline() const {
    const auto full = examiner_.pool().settings().deadline;
    return original_.outcome == Outcome::hang ? std::min(full, kHangSeen) : full;
  }

  bool same_kind(const Examined& examined) const {
    return examined.failed() && examined.outcome == original_.outcome;
  }

  void note_trouble(const std::string& what) {
    if (finding_.trouble.empty()) finding_.trouble = what;
  }

  // Runs the cases in the warm world; the first failure of the same kind from index `first` on.
  std::optional<Shown> first_failure(const std::vector<Case>& cases, std::size_t first,
                                     Deadline end) {
    std::span<const Case> rest(cases);
    std::size_t batch_cases = kFirstBatch;
    while (!rest.empty() && !end.passed() && !stop_wanted() && lost_worlds_ < kLostWorldsMax) {
      const auto batch = rest.first(std::min(rest.size(), batch_cases));
      batch_cases = std::min(2 * batch_cases, kBatchCases);
      auto examined = examiner_.run(batch, deadline());
      if (!examined) {
        note_trouble(to_line(examined.error()));
        ++lost_worlds_;
        return std::nullopt;
      }
      if (examined->empty()) return std::nullopt;
      auto& latest = examined->back();
      if (latest.verdict == Verdict::unknown) note_trouble(latest.reason);
      const auto done = cases.size() - rest.size() + examined->size();
      if (same_kind(latest) && done > first) return Shown{std::move(latest), done - 1};
      if (examined->size() < batch.size() && !latest.failed() &&
          latest.verdict != Verdict::unknown) {
        return std::nullopt;
      }
      rest = rest.subspan(examined->size());
    }
    return std::nullopt;
  }

  std::optional<Shown> in_fresh_world(const Case& test_case, const std::vector<Case>& before,
                                      int copies, Deadline end) {
    ++fresh_worlds_;
    if (auto ended = examiner_.pool().discard(test_case.ranks); !ended) {
      note_trouble(to_line(ended.error()));
    }
    std::vector<Case> cases = before;
    cases.insert(cases.end(), static_cast<std::size_t>(copies), test_case);
    return first_failure(cases, before.size(), end);
  }

  // Makes the best case smaller, each candidate run in so many copies. Whether what is left then
  // came back every time.
  bool narrow(int copies) {
    if (!comes_back(copies)) return false;
    const auto end = level_end();
    const auto shrunk =
        shrink(Case(best_.test_case),
               [&](const Case& smaller) {
                 const std::vector<Case> all(static_cast<std::size_t>(copies), smaller);
                 auto shown = first_failure(all, 0, end);
                 if (shown) best_ = std::move(shown->failed);
                 return shown.has_value();
               },
               {options_.budget.tries_max, Milliseconds(end.left_ms())});
    finding_.shrink_tries += shrunk.tries;
    finding_.shrink_complete = !shrunk.exhausted;
    const auto reproduced = settle(best_, {}, copies);
    return reproduced.hits == reproduced.tries;
  }

  // All levels of copies share the time, but for the last to get some.
  Deadline level_end() {
    const auto whole = options_.budget.time_max;
    const auto left = shrink_end_ ? Milliseconds(shrink_end_->left_ms()) : whole;
    if (!shrink_end_) shrink_end_ = Deadline::after(whole);
    return Deadline::after(std::max(left, whole / 2));
  }

  // Whether the best case fails again: alone in both of two fresh worlds, since a failure that
  // comes by chance may well come once; in many copies in one of them.
  bool comes_back(int copies) {
    const auto end = Deadline::after(options_.rerun_max);
    const auto shows = [&] { return in_fresh_world(best_.test_case, {}, copies, end).has_value(); };
    return copies == 1 ? shows() && shows() : shows() || shows();
  }

  static bool mostly(Reproduced reproduced) { return 2 * reproduced.hits > reproduced.tries; }

  // Runs the case in fresh worlds, as replay will. Keeps it for the finding when it came back more
  // often than not, or more often than what is kept.
  Reproduced settle(const Examined& candidate, const std::vector<Case>& before, int copies) {
    const auto hang = original_.outcome == Outcome::hang ? deadline() : Milliseconds(0);
    const auto end = Deadline::after(options_.rerun_max + options_.tries * hang);
    Reproduced reproduced;
    Examined seen = candidate;
    std::set<std::size_t> indices;
    while (reproduced.tries < options_.tries) {
      auto shown = in_fresh_world(candidate.test_case, before, copies, end);
      const bool cut_short = !shown && (end.passed() || stop_wanted());
      if (cut_short && reproduced.tries > 0) break;
      ++reproduced.tries;
      if (shown) {
        ++reproduced.hits;
        indices.insert(shown->index);
        seen = std::move(shown->failed);
      } else if (reproduced.tries == kHopelessTries && reproduced.hits == 0) {
        break;
      }
      if (end.passed()) break;
    }
    if (!mostly(reproduced) && reproduced.hits <= finding_.reproduced.hits) return reproduced;
    kept_ = std::move(seen);
    finding_.reproduced = reproduced;
    finding_.before = before;
    // It always came at that one: no more copies are needed.
    const bool always = reproduced.hits == reproduced.tries && indices.size() == 1;
    finding_.repeats = always ? static_cast<int>(*indices.begin() - before.size()) + 1 : copies;
    return reproduced;
  }

  void fill_in() {
    const auto& settings = examiner_.pool().settings();
    finding_.property = kept_.property;
    finding_.outcome = kept_.outcome;
    finding_.summary = summary_of(kept_);
    // Who hangs is not who is to blame for it.
    const bool told = !kept_.history.blame.empty() || kept_.outcome == Outcome::hang;
    finding_.blame = told ? kept_.history.blame : kept_.failure.ranks;
    finding_.test_case = kept_.test_case;
    finding_.original = original_.test_case;
    finding_.history = kept_.history;
    finding_.deadline_ms = settings.deadline.count();
  }

  Examiner& examiner_;
  const Examined& original_;
  const InvestigateOptions& options_;
  Examined best_;  // the smallest that has shown so far
  Examined kept_;  // what the finding tells of
  Finding finding_;
  std::optional<Deadline> shrink_end_;
  int fresh_worlds_ = 0;
  int lost_worlds_ = 0;  // that could not be had
};

}  // namespace

Finding investigate(Examiner& examiner, const Examined& failed, const InvestigateOptions& options) {
  return Investigation(examiner, failed, options).run();
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
    const bool in_history = first + examined->size() <= finding.before.size();
    if (in_history && examined->size() < std::min<std::size_t>(rest.size(), kBatchCases)) {
      return internal_error(fmt::format(
          "case {} of the history before it ended the world, so that the finding's own world could "
          "not be made again",
          first + examined->size()));
    }
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
