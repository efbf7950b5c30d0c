#include "framework/oracle/expect.h"

#include "framework/oracle/closed.h"
#include "framework/oracle/types.h"

namespace allprove::oracle {

template <class T>
void Expecter<T>::expect_tile(const Question& question, std::int64_t count, Expectation<T>& to) {
  const auto& sources = question.sources;
  const Source& first = sources.front();
  if (!question.reduces) {
    to.reset(count);
    make_inputs(first, 0, count, workspace_, to.value.data());
  } else if (first.family == Family::closed && sources.size() > 1 && question.uniform()) {
    to.reset(count);
    ids_.clear();
    for (const Source& source : sources) ids_.push_back(source.id);
    closed_results(first, ids_, workspace_.hashes(first.seed, first.first, count), to.value.data());
    if (first.scale != 0) apply_scale(to.value.data(), count, first.scale);
  } else {
    reference_.reduce(question.op, sources, 0, count, false, workspace_, to);
  }
  if (question.divisor > 1) divide(to, question.divisor);
}

template <class T>
void Expecter<T>::expect_element(const Question& question, std::int64_t element,
                                 Expectation<T>& to) {
  if (!question.reduces) {
    to.reset(1);
    to.value[0] = make_input<T>(question.sources.front(), element, workspace_);
    return;
  }
  reference_.reduce(question.op, question.sources, element, 1, true, workspace_, to);
  if (question.divisor > 1) divide(to, question.divisor);
}

#define ALLPROVE_INSTANTIATE(T) template class Expecter<T>;
ALLPROVE_FOR_TYPES(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

}  // namespace allprove::oracle
