// Inputs of a source, and what a question allows, for all elements of a buffer: one period of the
// tile, and the elements that are altered.
#pragma once

#include <map>

#include "framework/oracle/allowed.h"
#include "framework/oracle/element_inputs.h"
#include "framework/oracle/meaning.h"

namespace allprove::oracle {

// The input of one element, altered if it is that one; of one operand.
template <class E>
E input_at(const Source& source, std::int64_t index, Workspace& /*workspace*/) {
  return element_input<E>(source, index);
}
template <class E>
requires requires(E operand) { operand.elements; }
E input_at(const Source& source, std::int64_t index, Workspace& workspace) {
  E operand;
  make_operand(source, index, workspace, operand);
  return operand;
}

// What is at(i) for i in [0, count): the same after each period, but where a source alters it.
// (An operand has so few elements that the period, a prime, is the same in operands.)
template <class Value>
class Tile {
 public:
  // make(altered, index) gives the value, with the sources as they are or as if none was altered.
  template <class Make>
  Tile(std::int64_t count, const std::vector<std::int64_t>& altered, Make&& make) : count_(count) {
    const auto period = std::min(count, kTilePeriod);
    values_.reserve(static_cast<std::size_t>(period));
    for (std::int64_t i = 0; i < period; ++i) values_.push_back(make(false, i));
    for (const std::int64_t i : altered) {
      if (i < count) altered_.emplace(i, make(true, i));
    }
  }
  std::int64_t count() const { return count_; }
  const Value& at(std::int64_t i) const {
    if (!altered_.empty()) {
      if (const auto found = altered_.find(i); found != altered_.end()) return found->second;
    }
    return values_[static_cast<std::size_t>(i % kTilePeriod)];
  }

 private:
  std::int64_t count_;
  std::vector<Value> values_;
  std::map<std::int64_t, Value> altered_;
};

inline Source unaltered(Source source) {
  source.altered_at = kNoCut;
  return source;
}
inline std::vector<std::int64_t> altered_elements(std::span<const Source> sources) {
  std::vector<std::int64_t> elements;
  for (const auto& source : sources) {
    if (source.altered_at != kNoCut) elements.push_back(source.altered_at);
  }
  return elements;
}

template <class E>
class InputTile : public Tile<E> {
 public:
  InputTile(const Source& source, std::int64_t count, Workspace& workspace)
      : Tile<E>(count, altered_elements({&source, 1}), [&](bool altered, std::int64_t i) {
          return input_at<E>(altered ? source : unaltered(source), i, workspace);
        }) {}
};

template <class E>
using Allowed = decltype(unchanged(E{}));

// What element i of the output may be, from the sources as they are.
template <class E>
Allowed<E> allowed_at(const Question& question, std::int64_t i, Workspace& workspace) {
  if (!question.reduces) return unchanged(input_at<E>(question.sources.front(), i, workspace));
  std::vector<E> inputs;
  inputs.reserve(question.sources.size());
  for (const auto& source : question.sources) inputs.push_back(input_at<E>(source, i, workspace));
  return allowed(question.op, std::span<const E>(inputs), question.divisor);
}

template <class E>
class AllowedTile : public Tile<Allowed<E>> {
 public:
  AllowedTile(const Question& question, std::int64_t count, Workspace& workspace)
      : AllowedTile(question, plain(question), count, workspace) {}

 private:
  AllowedTile(const Question& question, const Question& unaltered, std::int64_t count,
              Workspace& workspace)
      : Tile<Allowed<E>>(count, altered_elements(question.sources),
                         [&](bool altered, std::int64_t i) {
                           return allowed_at<E>(altered ? question : unaltered, i, workspace);
                         }) {}
  static Question plain(Question question) {
    for (auto& source : question.sources) source = unaltered(source);
    return question;
  }
};

}  // namespace allprove::oracle
