#include "properties/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "framework/base/random.h"
#include "framework/model/blocks.h"
#include "framework/model/wording.h"

namespace allprove {
namespace {

// A hash of some fields, in order. One multiplication a field, since it is made for every call.
template <class... Fields>
std::uint64_t hash_of(const Fields&... values) {
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  (add(static_cast<std::uint64_t>(values)), ...);
  return mix64(hash);
}

std::uint64_t hash_of_text(std::string_view text) {
  return text.empty() ? 0 : std::hash<std::string_view>{}(text);
}

std::int64_t output_count(const Case& test_case, const Operation& operation, int rank) {
  const auto membership = membership_of(test_case, operation.group, rank);
  const auto sizes = block_sizes_of(test_case, operation, membership);
  return total(received_blocks(sizes, membership.position));
}

std::uint64_t hash_of_layout(const Layout& layout) {
  return layout == Layout{}
             ? 0
             : hash_of(layout.kind, layout.items, layout.gap, layout.seed, layout.ranks);
}

std::string symptom_text(const Evidence& evidence) {
  const auto of_rank =
      evidence.suspect < 0 ? std::string("a rank") : fmt::format("rank {}", evidence.suspect);
  switch (evidence.symptom) {
    case Symptom::none:
    case Symptom::value:
      return "";
    case Symptom::averaged:
      return "the mean stands where the sum should be";
    case Symptom::unchanged:
      return "the output is as it was before the call";
    case Symptom::own_input:
      return "the rank holds its own input";
    case Symptom::missing_rank:
      return fmt::format("the input of {} is missing", of_rank);
    case Symptom::doubled_rank:
      return fmt::format("the input of {} counts twice", of_rank);
    case Symptom::saturated:
      return "it stuck at a bound of the type instead of wrapping";
    case Symptom::signed_order:
      return "unsigned numbers were compared as if they were signed";
    case Symptom::unsigned_order:
      return "signed numbers were compared as if they were unsigned";
    case Symptom::shifted:
      return "right for the calls that met, but not for the program";
  }
  return "";
}

}  // namespace

Signature::Signature(const Operation& operation) {
  const auto& o = operation;
  const auto part = [this](Aspect aspect, std::uint64_t hash) {
    parts_[static_cast<std::size_t>(aspect)] = hash;
    all_ ^= hash;
  };
  // What is plain has the part 0.
  const auto variation = [&part](Aspect aspect, int value) {
    if (value != 0) part(aspect, hash_at(static_cast<std::uint64_t>(aspect), value));
  };
  all_ = hash_of(o.collective, o.group, o.dtype, o.op, o.root, o.skew, o.algorithm.pick,
                 o.data.family, o.data.seed, o.delay_us, o.thread, o.stream, o.holes, o.order,
                 hash_of_layout(o.send_layout), hash_of_layout(o.receive_layout));
  // An algorithm has another name in another mode. That a call is taken apart in start and wait is
  // nothing that the library sees.
  part(Aspect::mode, hash_of(o.mode, hash_of_text(o.algorithm.name)));
  variation(Aspect::in_place, o.in_place);
  variation(Aspect::rotate, o.data.rotate);
  variation(Aspect::scale, o.data.scale);
  variation(Aspect::altered, o.data.altered);
  variation(Aspect::divide, o.divide);
  std::uint64_t extent = hash_of(o.data.first, o.cut, o.shape.size());
  for (const auto length : o.shape) extent = hash_of(extent, length);
  for (const auto count : o.counts) extent = hash_of(extent, count);
  part(Aspect::extent, extent);
}

Trial::Trial(const Case& test_case, const History& history)
    : test_case_(test_case), history_(history) {
  const auto& program = test_case.program;
  calls_.reserve(program.size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto& operation = program[i];
    if (!enters_collective(operation.kind) || !traits_of(operation.collective).moves_data) continue;
    auto& call = calls_.emplace_back();
    call.index = static_cast<int>(i);
    call.operation = &operation;
    call.signature = Signature(operation);
    bool exact = true;
    for (int rank = 0; rank < test_case.ranks; ++rank) {
      const auto& seen = record(rank, call.index);
      call.completed |= seen.completed_ns != 0;
      if (!seen.evidence.checked) continue;
      call.checked = true;
      exact &= seen.evidence.exact;
      call.wrong |= seen.evidence.wrong > 0;
    }
    call.exact = call.checked && exact;
  }
}

const OperationRecord& Trial::record(int rank, int operation) const {
  static const OperationRecord kNone;
  if (static_cast<std::size_t>(rank) >= history_.ranks.size()) return kNone;
  const auto& operations = history_.ranks[static_cast<std::size_t>(rank)].operations;
  const auto index = static_cast<std::size_t>(operation);
  return index < operations.size() ? operations[index] : kNone;
}

std::vector<int> Trial::ranks_where(const TrialCall& call,
                                    const std::function<bool(const Evidence&)>& condition) const {
  std::vector<int> ranks;
  for (int rank = 0; rank < test_case_.ranks; ++rank) {
    if (condition(evidence(rank, call))) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<int> Trial::wrong_ranks(const TrialCall& call) const {
  return ranks_where(call, [](const Evidence& seen) { return seen.checked && seen.wrong > 0; });
}

bool Trial::every_wrong_call(const std::function<bool(const TrialCall&)>& condition) const {
  return std::all_of(calls_.begin(), calls_.end(),
                     [&](const TrialCall& call) { return !call.wrong || condition(call); });
}

std::string Trial::name_of_call(const TrialCall& call) const {
  return operation_text(test_case_, call.index);
}

std::string Trial::wrong_text(const TrialCall& call) const {
  const auto ranks = wrong_ranks(call);
  if (ranks.empty()) return "nothing is wrong";
  const auto& seen = evidence(ranks.front(), call);
  std::string text = fmt::format("rank {}: ", ranks.front());
  if (seen.first_wrong) {
    text += fmt::format("element {} is {}, expected {} ", seen.first_wrong->index,
                        seen.first_wrong->got, seen.first_wrong->expected);
  }
  const auto count = output_count(test_case_, *call.operation, ranks.front());
  text += fmt::format("({} of {} element{} wrong", seen.wrong, count, count == 1 ? " is" : "s are");
  if (const auto symptom = symptom_text(seen); !symptom.empty()) text += "; " + symptom;
  text += ")";
  if (ranks.size() > 1) text += "; wrong on " + ranks_text(ranks);
  return text;
}

PropertyResult result_of(Verdict verdict, std::string reason) {
  PropertyResult result;
  result.verdict = verdict;
  result.reason = std::move(reason);
  return result;
}

PropertyResult passed() { return result_of(Verdict::pass, {}); }

PropertyResult skipped(std::string reason) { return result_of(Verdict::skip, std::move(reason)); }

PropertyResult failed_by_values(const Trial& trial, const TrialCall& call, std::string reason) {
  PropertyResult result;
  result.verdict = Verdict::fail;
  result.reason = std::move(reason);
  result.operation = call.index;
  result.ranks = trial.wrong_ranks(call);
  if (!result.ranks.empty()) result.symptom = trial.evidence(result.ranks.front(), call).symptom;
  return result;
}

}  // namespace allprove
