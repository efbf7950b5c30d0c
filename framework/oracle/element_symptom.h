// What wrong elements look like: as symptom.h, for the kinds of elements of the element oracle.
#pragma once

#include "framework/model/history.h"
#include "framework/oracle/element_tiles.h"
#include "framework/oracle/symptom.h"

namespace allprove::oracle {

template <class E>
struct WrongOne {
  std::int64_t index = 0;
  E got{};
};

template <class E>
class ElementDiagnostician {
 public:
  ElementDiagnostician(const Question& question, std::span<const WrongOne<E>> wrong,
                       Workspace& workspace)
      : question_(question), wrong_(wrong), workspace_(workspace) {}

  Diagnosis run(const std::optional<Source>& own, std::byte before) {
    E filled;
    std::memset(static_cast<void*>(&filled), std::to_integer<int>(before), sizeof filled);
    if (all([&](const auto& one) { return same_image(one.got, filled); })) {
      return {Symptom::unchanged, -1};
    }
    const auto ranks = question_.sources.size();
    if (question_.reduces && question_.op == Op::sum && question_.divisor == 1 && ranks > 1) {
      auto mean = question_;
      mean.divisor = static_cast<int>(ranks);
      if (answers(mean)) return {Symptom::averaged, -1};
    }
    if (own && all([&](const auto& one) {
          return same_image(one.got, input_at<E>(*own, one.index, workspace_));
        })) {
      return {Symptom::own_input, -1};
    }
    if (!question_.reduces || ranks < 2 || ranks > kRanksTried) return {};
    auto found = one_source(Symptom::missing_rank, [](std::vector<Source>& sources, std::size_t i) {
      sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(i));
    });
    if (found.symptom != Symptom::value) return found;
    return one_source(Symptom::doubled_rank, [](std::vector<Source>& sources, std::size_t i) {
      sources.insert(sources.begin() + static_cast<std::ptrdiff_t>(i), sources[i]);
    });
  }

 private:
  static constexpr std::size_t kRanksTried = 512;

  template <class F>
  bool all(F&& holds) const {
    return std::ranges::all_of(wrong_, holds);
  }
  bool answers(const Question& other) {
    return all([&](const auto& one) {
      const auto allowed = allowed_at<E>(other, one.index, workspace_);
      return allowed.holds(one.got);
    });
  }
  // The symptom that a change of the sources explains, and the source, if it is the only one.
  template <class F>
  Diagnosis one_source(Symptom symptom, F&& change) {
    Diagnosis found;
    for (std::size_t i = 0; i < question_.sources.size(); ++i) {
      auto other = question_;
      change(other.sources, i);
      if (!answers(other)) continue;
      if (found.symptom == symptom) return {symptom, -1};
      found = {symptom, static_cast<int>(i)};
    }
    return found;
  }

  const Question& question_;
  std::span<const WrongOne<E>> wrong_;
  Workspace& workspace_;
};

template <class E>
Diagnosis diagnose_elements(const Question& question, const std::vector<WrongOne<E>>& wrong,
                            const std::optional<Source>& own, std::byte before,
                            Workspace& workspace) {
  return ElementDiagnostician<E>(question, wrong, workspace).run(own, before);
}

}  // namespace allprove::oracle
