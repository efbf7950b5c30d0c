// Runs cases on the worlds of one target and says what to make of each: judged by the properties,
// known failures masked, a sample checked again without the workers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"
#include "framework/report/known.h"
#include "framework/run/pool.h"
#include "properties/judge.h"

namespace allprove {

// Cases that travel to the ranks in one message.
inline constexpr std::size_t kBatchCases = 64;

// One case, run and judged.
struct Examined {
  Case test_case;  // with the algorithms that the target resolved
  History history;
  Verdict verdict = Verdict::unknown;
  Outcome outcome = Outcome::ok;
  std::string reason;              // of a skip, a note, an unknown, or a failure
  std::optional<Judged> judged;    // when it ran; known failures are taken out of it
  std::string property;            // of a failure: the claim that it breaks
  PropertyResult failure;          // of a failure
  std::vector<std::string> known;  // ids of the known failures that it shows
  std::vector<Case> before;        // of a failure: what its world had run, oldest first

  bool failed() const { return verdict == Verdict::fail; }
};

struct ExamineOptions {
  std::vector<Property> properties;       // the claims that count
  bool keep_world_after_failure = false;  // a wrong value does not end the world (for shrinking)
};

// Not thread-safe; the pool and the known failures must outlive it.
class Examiner {
 public:
  Examiner(WorldPool& pool, const KnownFailures& known, ExamineOptions options)
      : pool_(pool), known_(known), options_(std::move(options)) {}

  // Runs cases of one world size in order, in a warm world. Returns them up to and including the
  // first that failed, is unknown or may have damaged the ranks, after which the world is ended;
  // empty when the user interrupted. An error when no world could be had.
  Result<std::vector<Examined>> run(std::span<const Case> cases, Milliseconds deadline);

  WorldPool& pool() { return pool_; }
  ExamineOptions& options() { return options_; }

 private:
  // A case that broke its world, when one before it turned out to fail as well.
  struct Owed {
    Case given;  // as run() was given it
    Examined examined;
  };

  std::vector<Owed>::iterator find_owed(const Case& given);
  std::span<const Case> up_to_owed(std::span<const Case> cases);
  std::vector<bool> hurry(std::vector<Case>& resolved, std::span<const Case> given,
                          Milliseconds deadline) const;
  Examined examine(const Case& test_case, History history);
  void mask_known(Examined& examined);
  std::optional<std::string> recheck(const Case& test_case, const History& history);

  WorldPool& pool_;
  const KnownFailures& known_;
  ExamineOptions options_;
  std::vector<Owed> owed_;
  std::optional<Case> patient_;  // has hung in a short time, and not as it is known to
  std::uint64_t examined_ = 0;   // which cases are checked again
};

// The case with every algorithm pick turned into a name that the target offers; picks of
// collectives for which it offers none stay without a name: the library's own choice.
Case resolve_algorithms(Case test_case, const std::vector<AlgorithmList>& offered);

}  // namespace allprove
