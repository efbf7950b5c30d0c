// The driver's own answer: the digests that an output must have, without a worker's help.
#include <algorithm>
#include <concepts>

#include "framework/base/check.h"
#include "framework/oracle/digest.h"
#include "framework/oracle/expect.h"
#include "framework/oracle/numbers.h"
#include "framework/oracle/oracle.h"

namespace allprove {
namespace {

using oracle::Expectation;
using oracle::Question;

// The elements that some source alters, in ascending order.
std::vector<std::int64_t> altered_elements(const Question& question) {
  std::vector<std::int64_t> elements;
  for (const auto& source : question.sources) {
    if (source.altered_at != kNoCut) elements.push_back(source.altered_at);
  }
  std::ranges::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

// `call` is the holder's own: it knows its cut, and undoes its scale.
template <class T>
std::optional<Digests> digests_of(const Question& question, const Call& call) {
  oracle::Expecter<T> expecter;
  Expectation<T> tile;
  expecter.expect_tile(question, oracle::tile_count(call.count), tile);
  if (!tile.exact) return std::nullopt;
  const auto altered = altered_elements(question);
  oracle::Digester digester;
  digester.begin(call.count, call.cut, sizeof(T));
  const auto length = static_cast<std::int64_t>(tile.value.size());
  auto next = altered.begin();
  std::vector<T> piece;
  for (std::int64_t index = 0; index < call.count; index += length) {
    piece.assign(tile.value.begin(), tile.value.begin() + std::min(length, call.count - index));
    for (; next != altered.end() && *next < index + length; ++next) {
      Expectation<T> element;
      expecter.expect_element(question, *next, element);
      if (!element.exact) return std::nullopt;
      piece[static_cast<std::size_t>(*next - index)] = element.value[0];
    }
    const auto count = static_cast<std::int64_t>(piece.size());
    if (call.data.scale != 0 && oracle::can_scale(call)) {
      oracle::undo_scale(piece.data(), count, call.data.scale);
    }
    if constexpr (std::floating_point<T>) {
      if (call.data.family == Family::special) oracle::unify_nans(piece.data(), count);
    }
    digester.add(reinterpret_cast<const std::byte*>(piece.data()), count);
  }
  return digester.finish();
}

}  // namespace

std::optional<Digests> expected_digests(std::span<const Call> calls, int position) {
  const Call& own = calls[static_cast<std::size_t>(position)];
  for (const Call& call : calls) {
    if (call.collective != own.collective || call.dtype != own.dtype || call.op != own.op ||
        call.count != own.count || call.root != own.root) {
      return std::nullopt;
    }
    ALLPROVE_CHECK(call.ids.size() == calls.size());
  }
  if (!oracle::holds_output(own, position)) return std::nullopt;
  const Question question = oracle::question_of(calls, position);
  return for_dtype(own.dtype, [&]<class T>() { return digests_of<T>(question, own); });
}

std::optional<Digests> expected_digests(const Call& call, int position) {
  if (!oracle::holds_output(call, position)) return std::nullopt;
  Question question;
  oracle::ask(call, position, question);
  return for_dtype(call.dtype, [&]<class T>() { return digests_of<T>(question, call); });
}

}  // namespace allprove
