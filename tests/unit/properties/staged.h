// A staged run: a case with a history made by hand. Every output starts as what it should be; a
// test spoils what it wants spoiled, and digests and counts follow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/random.h"
#include "framework/model/case.h"
#include "framework/model/history.h"
#include "properties/judge.h"

namespace allprove {

inline Operation all_reduce_of(std::int64_t count, std::uint64_t seed = 1) {
  Operation operation;
  operation.shape = {count};
  operation.data.family = Family::closed;
  operation.data.seed = seed;
  return operation;
}

template <class F>
Operation changed(Operation operation, F&& change) {
  change(operation);
  return operation;
}

class Staged {
 public:
  Staged(int ranks, std::vector<Operation> program, std::vector<Group> groups = {Group{}}) {
    test_case.ranks = ranks;
    test_case.groups = std::move(groups);
    test_case.program = std::move(program);
    history.ranks.resize(static_cast<std::size_t>(ranks));
    outputs_.resize(test_case.program.size());
    for (int rank = 0; rank < ranks; ++rank) {
      auto& record = history.ranks[static_cast<std::size_t>(rank)];
      record.operations.resize(test_case.program.size());
      record.position.phase = Phase::finished;
    }
    for (int index = 0; index < static_cast<int>(test_case.program.size()); ++index) {
      outputs_[static_cast<std::size_t>(index)].resize(static_cast<std::size_t>(ranks));
      for (int rank = 0; rank < ranks; ++rank) stage(rank, index);
    }
  }

  Operation& operation(int index) { return test_case.program[static_cast<std::size_t>(index)]; }
  OperationRecord& record(int rank, int index) {
    return history.ranks[static_cast<std::size_t>(rank)]
        .operations[static_cast<std::size_t>(index)];
  }
  Evidence& evidence(int rank, int index) { return record(rank, index).evidence; }

  // The element is wrong on the rank, and the oracle sees it.
  void spoil(int rank, int index, std::int64_t element, Symptom symptom = Symptom::value) {
    if (!redo(rank, index, element)) return;
    auto& seen = evidence(rank, index);
    ++seen.wrong;
    seen.symptom = symptom;
    if (!seen.first_wrong) seen.first_wrong = Mismatch{element, "12", "7"};
    history.outcome = Outcome::wrong;
  }
  void spoil_everywhere(int index, std::int64_t element, Symptom symptom = Symptom::value) {
    for (int rank = 0; rank < test_case.ranks; ++rank) spoil(rank, index, element, symptom);
  }
  // The element's bits differ on the rank, within what the oracle allows.
  void nudge(int rank, int index, std::int64_t element) {
    if (redo(rank, index, element)) evidence(rank, index).exact = false;
  }
  void make_inexact(int index) {
    for (int rank = 0; rank < test_case.ranks; ++rank) evidence(rank, index).exact = false;
  }

  Judged judge() const { return judge_case(test_case, history); }
  PropertyResult result_of(std::string_view property) const {
    for (auto& [name, result] : judge().results) {
      if (name == property) return result;
    }
    return {};
  }
  // The name of the finding; empty when nothing failed.
  std::string_view finding() const {
    const auto judged = judge();
    return judged.first_failed == nullptr ? "" : judged.first_failed->name;
  }

 private:
  std::vector<std::uint64_t>& output(int rank, int index) {
    return outputs_[static_cast<std::size_t>(index)][static_cast<std::size_t>(rank)];
  }
  void stage(int rank, int index) {
    const auto& what = operation(index);
    record(rank, index).called_ns = record(rank, index).completed_ns = 100 + index;
    if (!enters_collective(what.kind) || !traits_of(what.collective).moves_data) return;
    const auto member = membership_of(test_case, what.group, rank);
    if (member.part < 0) return;
    auto& elements = output(rank, index);
    elements.resize(static_cast<std::size_t>(count_of(what)));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto at = static_cast<std::uint64_t>(what.data.first) + i;
      elements[i] = hash_at(what.data.seed * 2 + (what.divide ? 1 : 0), at,
                            static_cast<std::uint64_t>(member.part));
    }
    if (what.data.altered) ++elements[static_cast<std::size_t>(what.cut)];
    evidence(rank, index).checked = true;
    evidence(rank, index).exact = true;
    digest(rank, index);
  }
  bool redo(int rank, int index, std::int64_t element) {
    if (!evidence(rank, index).checked) return false;
    output(rank, index)[static_cast<std::size_t>(element)] ^= 0xdead;
    digest(rank, index);
    return true;
  }
  void digest(int rank, int index) {
    const auto& elements = output(rank, index);
    const auto size = static_cast<std::int64_t>(elements.size());
    const auto range = [&](std::int64_t begin, std::int64_t end) {
      std::uint64_t hash = 17;
      for (auto i = begin; i < end; ++i) hash = mix64(hash ^ elements[static_cast<std::size_t>(i)]);
      return hash;
    };
    auto& digests = evidence(rank, index).digests;
    digests.whole = range(0, size);
    const auto cut = operation(index).cut;
    if (cut == kNoCut) return;
    digests.head = range(0, cut);
    digests.tail = range(cut, size);
    digests.after = range(std::min(cut + 1, size), size);
  }

 public:
  Case test_case;
  History history;

 private:
  std::vector<std::vector<std::vector<std::uint64_t>>> outputs_;  // by operation and rank
};

}  // namespace allprove
