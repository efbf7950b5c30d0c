// The oracle: what every rank puts into a collective, and what it must find there afterwards.
// It knows no library. Sources of the rules: docs/semantics.md.
//
// Buffers are made of tiles: element i of an operation is element (first + i) mod kTilePeriod of
// its family, so that making and checking a large buffer costs little more than reading it once.
// The period is a prime, so that no segment, vector or protocol boundary of a library hides in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"
#include "framework/model/intercomm.h"

namespace allprove {

inline constexpr std::int64_t kTilePeriod = 4093;

// One collective call on one communicator, as the oracle sees it.
struct Call {
  Collective collective = Collective::all_reduce;
  Dtype dtype = Dtype::int32;
  Op op = Op::sum;
  bool divide = false;
  std::int64_t count = 1;            // of one block, where `counts` is empty
  std::vector<std::int64_t> counts;  // see Operation::counts
  bool in_place = false;
  std::int64_t cut = kNoCut;
  int root = 0;  // position
  Data data;
  std::vector<int> ids;                // logical ids by position, of the caller's side
  std::vector<int> remote_ids;         // of an intercommunicator's other side; empty: there is none
  InterRole role = InterRole::remote;  // of a rooted collective on an intercommunicator
  Topology topology;                   // of a neighborhood collective

  bool operator==(const Call&) const = default;
};

// The call that `operation` makes on the part of its group described by `membership`.
Call call_of(const Case& test_case, const Operation& operation, const Membership& membership);

// Makes inputs and judges outputs of one call at a time: both as they are without gaps, block after
// block (blocks.h). Keeps its memory between calls; not
// thread-safe: one per thread.
class Oracle {
 public:
  Oracle();
  ~Oracle();
  Oracle(Oracle&&) noexcept;
  Oracle& operator=(Oracle&&) noexcept;

  // The call that the following functions speak of. Cheap: nothing is computed yet.
  void begin(const Call& call);

  // Whether the position gives an input, and whether it holds an output afterwards. The root of a
  // broadcast does both, in the one buffer that it has.
  bool has_input(int position) const;
  bool has_output(int position) const;
  std::int64_t input_count(int position) const;
  std::int64_t output_count(int position) const;

  // Writes all elements that the position gives, unaligned if need be.
  void fill_input(int position, std::byte* to);

  // Compares the output with what the call must leave, and fills in the evidence: checked, exact,
  // agreement, digests, wrong, first_wrong, symptom, suspect (a position here; the caller turns it
  // into a world rank). `before` is the byte with which the output was filled before the call.
  void judge_output(int position, const std::byte* output, std::byte before, Evidence& evidence);

  // Compares the send buffer with the input: input_changed and first_input_changed.
  void judge_input(int position, const std::byte* input, Evidence& evidence);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// One element as exact text: decimal, and for a float that decimal does not show to the bit, its
// hexadecimal form too.
std::string element_text(Dtype dtype, const std::byte* element);

// Digests of the output that the call must leave at the position; nothing when the oracle allows
// more than one. Computed without anything of the worker's.
std::optional<Digests> expected_digests(const Call& call, int position);

// The same for calls that met although the program did not mean them to: position p gave its input
// of calls[p]. All must agree in everything but their data; nothing otherwise.
std::optional<Digests> expected_digests(std::span<const Call> calls, int position);

}  // namespace allprove
