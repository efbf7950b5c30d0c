// A trial: a case, its history, and what every property asks of them, worked out once: which
// operations can be judged, which are wrong, and which are twins.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"
#include "properties/property.h"

namespace allprove {

// What may differ between an operation and its twin. `mode` is blocking or not; `extent` is which
// elements of the data it works on, and in what shape.
enum class Aspect { in_place, mode, rotate, scale, altered, divide, extent };
inline constexpr int kAspects = 7;

// Stands for everything that an operation asks of the library, one part per aspect. Equal
// signatures: equal operations (up to a collision of 64-bit hashes). Labels of requests do not
// count.
class Signature {
 public:
  Signature() = default;
  explicit Signature(const Operation& operation);

  std::uint64_t all() const { return all_; }
  std::uint64_t without(Aspect aspect) const {
    return all_ ^ parts_[static_cast<std::size_t>(aspect)];
  }

 private:
  std::uint64_t all_ = 0;
  std::uint64_t parts_[kAspects] = {};
};

// One operation that enters a collective which moves data.
struct TrialCall {
  int index = 0;  // in the program
  const Operation* operation = nullptr;
  Signature signature;
  bool completed = false;  // on some rank
  bool checked = false;    // some rank's output was compared with the oracle
  bool exact = false;      // checked, and the oracle demands one value, to the bit, wherever it was
  bool wrong = false;      // some rank's output is outside of what the oracle allows
};

class Trial {
 public:
  // Both must outlive the trial. A history may lack records (of a rank that died, say).
  Trial(const Case& test_case, const History& history);

  const Case& test_case() const { return test_case_; }
  const History& history() const { return history_; }
  const std::vector<TrialCall>& calls() const { return calls_; }

  // The record of a rank for an operation; an empty one where the history has none.
  const OperationRecord& record(int rank, int operation) const;
  const Evidence& evidence(int rank, const TrialCall& call) const {
    return record(rank, call.index).evidence;
  }
  // World ranks whose evidence for the call satisfies the condition, ascending.
  std::vector<int> ranks_where(const TrialCall& call,
                               const std::function<bool(const Evidence&)>& condition) const;
  std::vector<int> wrong_ranks(const TrialCall& call) const;

  // Whether every call that is wrong satisfies the condition.
  bool every_wrong_call(const std::function<bool(const TrialCall&)>& condition) const;

  // "operation 3 all_reduce(int32[8], sum)".
  std::string name_of_call(const TrialCall& call) const;
  // "rank 2: element 5 is 7, expected 12 (2 of 8 elements are wrong; the input of rank 1 is
  // missing)": what is wrong on the first of the wrong ranks, and which others there are.
  std::string wrong_text(const TrialCall& call) const;

 private:
  const Case& test_case_;
  const History& history_;
  std::vector<TrialCall> calls_;
};

// Results in one line each.
PropertyResult result_of(Verdict verdict, std::string reason);
PropertyResult passed();
PropertyResult skipped(std::string reason);
// A failure that shows in the outputs of `call`: its wrong ranks, and their symptom.
PropertyResult failed_by_values(const Trial& trial, const TrialCall& call, std::string reason);

}  // namespace allprove
