#include "framework/oracle/expect.h"

#include "framework/oracle/closed.h"
#include "framework/oracle/types.h"

namespace allprove::oracle {
namespace {

bool has_closed_form(const Question& question) {
  return question.sources.size() > 1 && question.sources.front().family == Family::closed &&
         question.uniform();
}

}  // namespace

template <class T>
void Expecter<T>::expect_tile(const Question& question, std::int64_t count, Expectation<T>& to) {
  const Source& first = question.sources.front();
  if (!question.reduces) {
    to.reset(count);
    make_inputs(first, 0, count, workspace_, to.value.data());
  } else if (has_closed_form(question)) {
    closed_form(question, first.first, count, to);
  } else {
    reference_.reduce(question.op, question.sources, 0, count, false, workspace_, to);
    if (question.divisor > 1) divide(to, question.divisor);
  }
}

template <class T>
void Expecter<T>::expect_element(const Question& question, std::int64_t element,
                                 Expectation<T>& to) {
  if (!question.reduces) {
    to.reset(1);
    to.value[0] = make_input<T>(question.sources.front(), element, workspace_);
  } else if (has_closed_form(question)) {
    closed_form(question, family_element(question.sources.front(), element), 1, to);
  } else {
    expect_element_of_any(question, element, to);
  }
}

template <class T>
void Expecter<T>::expect_element_of_any(const Question& question, std::int64_t element,
                                        Expectation<T>& to) {
  reference_.reduce(question.op, question.sources, element, 1, true, workspace_, to);
  if (question.divisor > 1) divide(to, question.divisor);
}

template <class T>
void Expecter<T>::closed_form(const Question& question, std::int64_t family_element,
                              std::int64_t count, Expectation<T>& to) {
  const Source& first = question.sources.front();
  to.reset(count);
  ids_.clear();
  for (const Source& source : question.sources) ids_.push_back(source.id);
  closed_results(first, ids_, workspace_.hashes(first.seed, family_element, count),
                 to.value.data());
  if (first.scale != 0) apply_scale(to.value.data(), count, first.scale);
  if (question.divisor > 1) divide(to, question.divisor);
}

#define ALLPROVE_INSTANTIATE(T) template class Expecter<T>;
ALLPROVE_FOR_TYPES(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

}  // namespace allprove::oracle
