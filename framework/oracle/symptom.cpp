#include "framework/oracle/symptom.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "framework/oracle/saturate.h"
#include "framework/oracle/types.h"

namespace allprove::oracle {
namespace {

constexpr std::size_t kElementsTried = 8;
// More ranks than this are not tried one by one.
constexpr std::size_t kRanksTried = 512;

template <class T>
class Diagnostician {
 public:
  Diagnostician(const Question& question, std::span<const WrongElement<T>> wrong,
                const Holder& holder, Expecter<T>& expecter)
      : question_(question), wrong_(wrong), holder_(holder), expecter_(expecter) {}

  Diagnosis run() {
    const auto ranks = question_.sources.size();
    // First what fits few values: a single element may happen to be something else besides.
    if (question_.reduces && ranks > 1) {
      if (saturated_everywhere()) return {Symptom::saturated, -1};
      if (all([&](const auto& element) { return other_order(element); })) {
        return {std::is_signed_v<T> ? Symptom::unsigned_order : Symptom::signed_order, -1};
      }
    }
    if (all([&](const auto& element) { return unchanged(element); })) {
      return {Symptom::unchanged, -1};
    }
    if (question_.reduces && question_.op == Op::sum && question_.divisor == 1 && ranks > 1) {
      auto mean = question_;
      mean.divisor = static_cast<int>(ranks);
      if (answers(mean)) return {Symptom::averaged, -1};
    }
    if (holder_.input && all([&](const auto& element) { return own_input(element); })) {
      return {Symptom::own_input, -1};
    }
    if (question_.reduces && ranks <= kRanksTried) {
      if (const auto found = missing()) return *found;
      if (const auto found = doubled()) return *found;
    }
    return {};
  }

 private:
  template <class F>
  bool all(F&& holds) const {
    return std::ranges::all_of(wrong_, holds);
  }

  // Whether the wrong elements are right for another question.
  bool answers(const Question& other) {
    return all([&](const auto& element) {
      expecter_.expect_element_of_any(other, element.index, expected_);
      return expected_.loose.empty() && expected_.range(0).holds(element.got);
    });
  }

  std::optional<Diagnosis> missing() {
    if (question_.sources.size() < 2) return std::nullopt;
    return one_source(Symptom::missing_rank, [](std::vector<Source>& sources, std::size_t i) {
      sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(i));
    });
  }
  std::optional<Diagnosis> doubled() {
    return one_source(Symptom::doubled_rank, [](std::vector<Source>& sources, std::size_t i) {
      sources.push_back(sources[i]);
    });
  }

  // The symptom that a change of the sources explains, and the source, if it is the only one.
  template <class F>
  std::optional<Diagnosis> one_source(Symptom symptom, F&& change) {
    std::optional<Diagnosis> found;
    for (std::size_t i = 0; i < question_.sources.size(); ++i) {
      auto other = question_;
      change(other.sources, i);
      if (!answers(other)) continue;
      if (found) return Diagnosis{symptom, -1};
      found = Diagnosis{symptom, static_cast<int>(i)};
    }
    return found;
  }

  bool unchanged(const WrongElement<T>& element) const {
    T before;
    std::memset(&before, static_cast<int>(holder_.before), sizeof before);
    return bits_of(element.got) == bits_of(before);
  }
  bool own_input(const WrongElement<T>& element) {
    const T own = make_input<T>(*holder_.input, element.index, expecter_.workspace());
    return bits_of(element.got) == bits_of(own);
  }
  // No library has saturating additions of wider types. Some of the elements stand for all: to try
  // every order of additions takes its time.
  bool saturated_everywhere() {
    if constexpr (sizeof(T) <= 2) {
      if (question_.op != Op::sum) return false;
      const std::size_t step = std::max<std::size_t>(1, wrong_.size() / kElementsTried);
      for (std::size_t i = 0; i < wrong_.size(); i += step) {
        if (!saturated(wrong_[i])) return false;
      }
      return saturated(wrong_.back());
    } else {
      return false;
    }
  }
  bool saturated(const WrongElement<T>& element) {
    return may_saturate_to(inputs_of(element.index), question_.divisor, element.got);
  }
  // The least or greatest where unsigned integers are compared as if they were signed, or signed
  // ones as if they were unsigned.
  bool other_order(const WrongElement<T>& element) {
    if constexpr (std::integral<T>) {
      using Other =
          std::conditional_t<std::is_signed_v<T>, std::make_unsigned<T>, std::make_signed<T>>::type;
      const auto inputs = inputs_of(element.index);
      const auto as_other = [](T value) { return static_cast<Other>(value); };
      if (question_.op == Op::min) return element.got == std::ranges::min(inputs, {}, as_other);
      if (question_.op == Op::max) return element.got == std::ranges::max(inputs, {}, as_other);
    }
    return false;
  }
  std::vector<T> inputs_of(std::int64_t element) {
    std::vector<T> inputs;
    for (const Source& source : question_.sources) {
      inputs.push_back(make_input<T>(source, element, expecter_.workspace()));
    }
    return inputs;
  }

  const Question& question_;
  std::span<const WrongElement<T>> wrong_;
  const Holder& holder_;
  Expecter<T>& expecter_;
  Expectation<T> expected_;
};

}  // namespace

template <class T>
Diagnosis diagnose(const Question& question, std::span<const WrongElement<T>> wrong,
                   const Holder& holder, Expecter<T>& expecter) {
  return Diagnostician<T>(question, wrong, holder, expecter).run();
}

#define ALLPROVE_INSTANTIATE(T)                                                                    \
  template Diagnosis diagnose<T>(const Question&, std::span<const WrongElement<T>>, const Holder&, \
                                 Expecter<T>&);
ALLPROVE_FOR_TYPES(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

}  // namespace allprove::oracle
