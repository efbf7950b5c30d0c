// The driver's own answer: the digests that an output must have, without a worker's help.
#include <algorithm>
#include <concepts>

#include "framework/base/check.h"
#include "framework/oracle/digest.h"
#include "framework/oracle/element_oracle.h"
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

// Adds what a piece must be; false when the oracle allows more than one value. `call` is the
// holder's own: it undoes its scale.
template <class T>
bool add_piece(const oracle::Piece& piece, const Call& call, oracle::Digester& digester) {
  oracle::Expecter<T> expecter;
  Expectation<T> tile;
  expecter.expect_tile(piece.question, oracle::tile_count(piece.count), tile);
  if (!tile.exact) return false;
  const auto altered = altered_elements(piece.question);
  const auto length = static_cast<std::int64_t>(tile.value.size());
  auto next = altered.begin();
  std::vector<T> part;
  for (std::int64_t index = 0; index < piece.count; index += length) {
    part.assign(tile.value.begin(), tile.value.begin() + std::min(length, piece.count - index));
    for (; next != altered.end() && *next < index + length; ++next) {
      Expectation<T> element;
      expecter.expect_element(piece.question, *next, element);
      if (!element.exact) return false;
      part[static_cast<std::size_t>(*next - index)] = element.value[0];
    }
    const auto count = static_cast<std::int64_t>(part.size());
    if (call.data.scale != 0 && oracle::can_scale(call)) {
      oracle::undo_scale(part.data(), count, call.data.scale);
    }
    if constexpr (std::floating_point<T>) {
      if (call.data.family == Family::special) oracle::unify_nans(part.data(), count);
    }
    digester.add(reinterpret_cast<const std::byte*>(part.data()), count);
  }
  return true;
}

template <class T>
std::optional<Digests> digests_of(const std::vector<oracle::Piece>& pieces, const Call& call) {
  oracle::Digester digester;
  digester.begin(oracle::total_of(pieces), call.cut, sizeof(T));
  for (const auto& piece : pieces) {
    if (!add_piece<T>(piece, call, digester)) return std::nullopt;
  }
  return digester.finish();
}

// Whether the calls differ in their data, and what goes with it, at most.
bool are_alike(Call a, const Call& b) {
  a.data = b.data;
  a.cut = b.cut;
  a.divide = b.divide;
  return a == b;
}

}  // namespace

std::optional<Digests> expected_digests(std::span<const Call> calls, int position) {
  const Call& own = calls[static_cast<std::size_t>(position)];
  for (const Call& call : calls) {
    ALLPROVE_CHECK(call.ids.size() == calls.size());
    if (!are_alike(call, own)) return std::nullopt;
  }
  if (!own.remote_ids.empty() || !oracle::holds_output(own, position)) return std::nullopt;
  const auto pieces = oracle::pieces_of(calls, position);
  if (oracle::is_of_elements(own)) return oracle::element_digests(pieces, own);
  return for_dtype(own.dtype, [&]<class T>() { return digests_of<T>(pieces, own); });
}

std::optional<Digests> expected_digests(const Call& call, int position) {
  if (!oracle::holds_output(call, position)) return std::nullopt;
  std::vector<oracle::Piece> pieces;
  oracle::find_pieces(call, position, pieces);
  if (oracle::is_of_elements(call)) return oracle::element_digests(pieces, call);
  return for_dtype(call.dtype, [&]<class T>() { return digests_of<T>(pieces, call); });
}

}  // namespace allprove
