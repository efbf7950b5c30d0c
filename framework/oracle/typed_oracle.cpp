#include "framework/oracle/typed_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "framework/oracle/compare.h"
#include "framework/oracle/digest.h"
#include "framework/oracle/element_oracle.h"
#include "framework/oracle/expect.h"
#include "framework/oracle/symptom.h"
#include "framework/oracle/text.h"

namespace allprove::oracle {
namespace {

template <class T>
class OracleOf final : public TypedOracle {
 public:
  void begin(const Call& call) override {
    call_ = &call;
    input_position_ = -1;
  }

  void fill_input(int position, std::byte* to) override {
    prepare_input(position);
    for_tiles(input_, input_count_, [&](std::int64_t index, std::int64_t count) {
      std::memcpy(at(to, index), input_.data(), static_cast<std::size_t>(count) * sizeof(T));
    });
    if (alters()) std::memcpy(at(to, call_->cut), &altered_input_, sizeof(T));
  }

  void judge_output(int position, const std::byte* output, std::byte before,
                    Evidence& evidence) override {
    find_pieces(*call_, position, pieces_);
    begin_evidence(*call_, evidence);
    digester_.begin(total_of(pieces_), call_->cut, sizeof(T));
    for (const Piece& piece : pieces_) judge_piece(position, piece, output, before, evidence);
    evidence.digests = digester_.finish();
  }

  void judge_input(int position, const std::byte* input, Evidence& evidence) override {
    prepare_input(position);
    wrong_.reset();
    for_tiles(input_, input_count_, [&](std::int64_t index, std::int64_t count) {
      around_altered(index, count, [&](std::int64_t begin, std::int64_t n, bool altered) {
        const T* expected = altered ? &altered_input_ : input_.data() + (begin - index);
        compare_bits(expected, at(input, begin), begin, n, wrong_);
      });
    });
    evidence.input_changed = wrong_.count;
    evidence.first_input_changed.reset();
    if (wrong_.count == 0) return;
    const std::int64_t first = wrong_.some.front();
    const T expected = make_input<T>(source_of(*call_, position), first, expecter_.workspace());
    evidence.first_input_changed =
        Mismatch{first, number_text(expected), number_text(load<T>(input, first))};
  }

 private:
  static std::byte* at(std::byte* buffer, std::int64_t index) {
    return buffer + index * static_cast<std::int64_t>(sizeof(T));
  }
  static const std::byte* at(const std::byte* buffer, std::int64_t index) {
    return buffer + index * static_cast<std::int64_t>(sizeof(T));
  }
  bool alters() const { return call_->data.altered && call_->cut != kNoCut; }

  // Calls f(index, count) for the parts of a buffer that begin where the tile begins.
  template <class F>
  static void for_tiles(const std::vector<T>& tile, std::int64_t all, F&& f) {
    const auto length = static_cast<std::int64_t>(tile.size());
    for (std::int64_t index = 0; index < all; index += length) {
      f(index, std::min(length, all - index));
    }
  }

  // Calls f(begin, count, altered) for the piece's parts before, at, and after the altered element.
  template <class F>
  void around_altered(std::int64_t index, std::int64_t count, F&& f) const {
    if (!alters() || call_->cut < index || call_->cut >= index + count)
      return f(index, count, false);
    const std::int64_t before = call_->cut - index;
    if (before > 0) f(index, before, false);
    f(call_->cut, 1, true);
    if (count - before > 1) f(call_->cut + 1, count - before - 1, false);
  }

  void prepare_input(int position) {
    if (input_position_ == position) return;
    const Source source = source_of(*call_, position);
    input_count_ = total(given_blocks(sizes_of(*call_), position));
    const std::int64_t count = tile_count(input_count_);
    input_.resize(static_cast<std::size_t>(count));
    make_inputs(source, 0, count, expecter_.workspace(), input_.data());
    lengthen(input_, input_count_);
    if (alters()) altered_input_ = make_input<T>(source, call_->cut, expecter_.workspace());
    input_position_ = position;
  }

  void judge_piece(int position, const Piece& piece, const std::byte* output, std::byte before,
                   Evidence& evidence) {
    expecter_.expect_tile(piece.question, tile_count(piece.count), expected_);
    if (expected_.exact) lengthen(expected_.value, piece.count);
    if (alters()) expecter_.expect_element(piece.question, call_->cut, altered_expected_);
    evidence.exact &= expected_.exact && (!alters() || altered_expected_.exact);
    wrong_.reset();
    const std::byte* const begin = at(output, piece.begin);
    for_tiles(expected_.value, piece.count, [&](std::int64_t index, std::int64_t count) {
      compare_tile(begin, index, count);
      digest(at(begin, index), count);
    });
    if (wrong_.count > 0) explain(position, piece, begin, before, evidence);
  }

  void compare_tile(const std::byte* output, std::int64_t index, std::int64_t count) {
    around_altered(index, count, [&](std::int64_t begin, std::int64_t n, bool altered) {
      const auto offset = static_cast<std::size_t>(altered ? 0 : begin - index);
      compare(altered ? altered_expected_ : expected_, offset, at(output, begin), begin, n, wrong_);
    });
  }

  void digest(const std::byte* bytes, std::int64_t count) {
    const int scale = can_scale(*call_) ? call_->data.scale : 0;
    const bool one_nan = std::floating_point<T> && call_->data.family == Family::special;
    if (scale == 0 && !one_nan) return digester_.add(bytes, count);
    normal_.resize(static_cast<std::size_t>(count));
    std::memcpy(normal_.data(), bytes, static_cast<std::size_t>(count) * sizeof(T));
    if (scale != 0) undo_scale(normal_.data(), count, scale);
    if constexpr (std::floating_point<T>) {
      if (one_nan) unify_nans(normal_.data(), count);
    }
    digester_.add(reinterpret_cast<const std::byte*>(normal_.data()), count);
  }

  // What is wrong in a piece, beside what is wrong in those before it.
  void explain(int position, const Piece& piece, const std::byte* output, std::byte before,
               Evidence& evidence) {
    std::vector<WrongElement<T>> elements;
    for (const std::int64_t index : wrong_.some)
      elements.push_back({index, load<T>(output, index)});
    Holder holder{std::nullopt, before};
    if (gives_input(*call_, position)) holder.input = source_of(*call_, position);
    auto diagnosis = diagnose<T>(piece.question, elements, holder, expecter_);
    if (evidence.wrong > 0) {
      if (diagnosis.symptom != evidence.symptom) diagnosis.symptom = Symptom::value;
      if (diagnosis.suspect != evidence.suspect) diagnosis.suspect = -1;
    }
    evidence.wrong += wrong_.count;
    evidence.symptom = diagnosis.symptom;
    evidence.suspect = diagnosis.suspect;
    if (evidence.first_wrong) return;
    const WrongElement<T>& first = elements.front();
    const bool altered = alters() && first.index == call_->cut;
    const auto& expectation = altered ? altered_expected_ : expected_;
    const auto element = altered ? 0 : static_cast<std::size_t>(first.index % kTilePeriod);
    evidence.first_wrong = Mismatch{piece.begin + first.index, range_text(expectation, element),
                                    number_text(first.got)};
  }

  const Call* call_ = nullptr;
  Expecter<T> expecter_;

  std::vector<T> input_;  // of input_position_
  std::int64_t input_count_ = 0;
  T altered_input_{};
  int input_position_ = -1;

  std::vector<Piece> pieces_;        // of the output that is judged
  Expectation<T> expected_;          // of one of them
  Expectation<T> altered_expected_;  // of the one element

  Wrong wrong_;
  Digester digester_;
  std::vector<T> normal_;  // a piece of the output, as it is digested
};

}  // namespace

void begin_evidence(const Call& call, Evidence& evidence) {
  evidence.checked = true;
  evidence.exact = true;
  evidence.agreement = all_hold_the_same(call.collective);
  evidence.wrong = 0;
  evidence.symptom = Symptom::none;
  evidence.suspect = -1;
  evidence.first_wrong.reset();
}

std::unique_ptr<TypedOracle> make_typed_oracle(const Call& call) {
  if (is_of_elements(call)) return make_element_oracle(call);
  return for_dtype(call.dtype, [&]<class T>() -> std::unique_ptr<TypedOracle> {
    return std::make_unique<OracleOf<T>>();
  });
}

}  // namespace allprove::oracle
