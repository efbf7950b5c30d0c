// What really happened when a case ran: per rank and operation, with the evidence that the rank
// took from its buffers before it went on. Properties judge this, and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/model/outcome.h"
#include "framework/model/position.h"

namespace allprove {

// What a wrong result looks like, when it looks like something known.
enum class Symptom {
  none,            // nothing is wrong
  value,           // wrong, and like nothing below
  averaged,        // the mean stands where the sum should be
  saturated,       // the sum stopped, somewhere on its way, at the end of the type's range
  signed_order,    // the least or greatest where unsigned numbers are compared as signed ones
  unsigned_order,  // the same of signed numbers that are compared as unsigned ones
  unchanged,       // the output is as it was before the call
  own_input,       // the rank's own input, not the reduction
  missing_rank,    // right but for one rank's contribution, which is missing
  doubled_rank,    // right but for one rank's contribution, which counts twice
  shifted,         // right for the calls that met each other, but not for the program
};

constexpr auto enum_names(Symptom) {
  return std::to_array<std::string_view>({"none", "value", "averaged", "saturated", "signed_order",
                                          "unsigned_order", "unchanged", "own_input",
                                          "missing_rank", "doubled_rank", "shifted"});
}

// An element that is not what it should be; numbers as exact text (decimal, or hexadecimal float
// beside a short decimal).
struct Mismatch {
  std::int64_t index = 0;
  std::string expected;
  std::string got;

  bool operator==(const Mismatch&) const = default;
};

// 64-bit digests (XXH3) of the output's bytes, with Data::scale undone: of all of it, and, when the
// operation has a cut, of [0, cut), [cut, count) and [cut + 1, count).
struct Digests {
  std::uint64_t whole = 0;
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::uint64_t after = 0;

  bool operator==(const Digests&) const = default;
};

// What one rank saw of one operation's buffers.
struct Evidence {
  bool checked = false;   // the output was compared with the oracle; false: no output here
  bool exact = false;     // the oracle demands one value, to the bit, for every element
  bool agreement = true;  // all members must hold identical bits
  Digests digests;
  std::int64_t wrong = 0;  // elements outside of what the oracle allows
  Symptom symptom = Symptom::none;
  int suspect = -1;                // world rank whose contribution is missing or doubled
  std::int64_t input_changed = 0;  // elements of the send buffer that the call changed
  std::int64_t guard_changed = 0;  // bytes around the buffers that the call changed
  std::string guard_place;         // "output +3": bytes past its end, "input -8": before its start
  std::optional<Mismatch> first_wrong;
  std::optional<Mismatch> first_input_changed;
  std::vector<std::string> output;  // its first elements as text, where a batch asks for samples

  bool operator==(const Evidence&) const = default;
};

struct OperationRecord {
  // Monotonic nanoseconds; 0: never. `returned` and `completed` differ for started operations.
  std::int64_t called_ns = 0;
  std::int64_t returned_ns = 0;
  std::int64_t completed_ns = 0;
  int code = 0;         // the library's error class; 0: success
  std::string message;  // the library's text for the code
  Evidence evidence;

  bool operator==(const OperationRecord&) const = default;
};

struct RankRecord {
  std::vector<OperationRecord> operations;  // by index in the program; those not reached: all zero
  Position position;                        // last seen
  std::optional<int> wait_status;           // of a process that has ended (see wait(2))
  std::string last_output;                  // last lines of its stderr, of a process that has ended

  bool operator==(const RankRecord&) const = default;
};

// How sure a `hang` is: a cycle of waits or a wait for a rank that can never come; different
// calls that met; or the clock alone.
enum class Proof { none, proven, presumed, deadline };

constexpr auto enum_names(Proof) {
  return std::to_array<std::string_view>({"none", "proven", "presumed", "deadline"});
}

struct History {
  std::vector<RankRecord> ranks;  // by world rank
  Outcome outcome = Outcome::ok;
  Proof proof = Proof::none;  // of a hang
  std::int64_t elapsed_ns = 0;
  std::int64_t detect_ns = 0;          // from the first deviation to the verdict
  std::vector<int> blame;              // world ranks
  std::string diagnosis;               // one paragraph in plain words; empty when all is well
  std::string skipped;                 // why the backend cannot run the case; it did not run
  std::optional<std::string> trouble;  // our own failure: the verdict is `unknown`

  bool operator==(const History&) const = default;
};

}  // namespace allprove
