#include "framework/oracle/meaning.h"

#include <algorithm>

#include "framework/base/check.h"

namespace allprove::oracle {
namespace {

// Positions [from, until) whose inputs an output is made of.
struct Contributors {
  int from = 0;
  int until = 0;
};

Contributors contributors_of(const Call& call) {
  const auto size = static_cast<int>(call.ids.size());
  switch (call.collective) {
    case Collective::all_reduce:
      return {0, size};
    case Collective::broadcast:
      return {call.root, call.root + 1};
    default:
      throw InternalError("internal error: the oracle does not know the collective");
  }
}

}  // namespace

bool gives_input(const Call& call, int position) {
  if (!traits_of(call.collective).moves_data) return false;
  const auto contributors = contributors_of(call);
  return contributors.from <= position && position < contributors.until;
}

bool holds_output(const Call& call, int) { return traits_of(call.collective).moves_data; }

bool Question::uniform() const {
  return std::ranges::all_of(sources, [&](Source source) {
    source.id = sources.front().id;
    return source == sources.front();
  });
}

void ask(const Call& call, int, Question& question) {
  const auto contributors = contributors_of(call);
  question.sources.clear();
  for (int p = contributors.from; p < contributors.until; ++p) {
    question.sources.push_back(source_of(call, p));
  }
  question.op = call.op;
  question.reduces = traits_of(call.collective).reduces;
  question.divisor = question.reduces && call.divide ? static_cast<int>(call.ids.size()) : 1;
}

Question question_of(std::span<const Call> calls, int position) {
  const Call& own = calls[static_cast<std::size_t>(position)];
  Question question;
  ask(own, position, question);
  const int from = contributors_of(own).from;
  for (std::size_t i = 0; i < question.sources.size(); ++i) {
    const auto p = static_cast<std::size_t>(from) + i;
    question.sources[i] = source_of(calls[p], static_cast<int>(p));
  }
  return question;
}

}  // namespace allprove::oracle
