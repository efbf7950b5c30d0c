#include "framework/oracle/typed_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "framework/oracle/compare.h"
#include "framework/oracle/digest.h"
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
    expects_ = false;
  }

  void fill_input(int position, std::byte* to) override {
    prepare_input(position);
    for_pieces(input_, [&](std::int64_t index, std::int64_t count) {
      std::memcpy(at(to, index), input_.data(), static_cast<std::size_t>(count) * sizeof(T));
    });
    if (alters()) std::memcpy(at(to, call_->cut), &altered_input_, sizeof(T));
  }

  void judge_output(int position, const std::byte* output, std::byte before,
                    Evidence& evidence) override {
    prepare_expectation(position);
    evidence.checked = true;
    evidence.exact = expected_.exact && (!alters() || altered_expected_.exact);
    wrong_.reset();
    digester_.begin(call_->count, call_->cut, sizeof(T));
    for_pieces(expected_.value, [&](std::int64_t index, std::int64_t count) {
      compare_piece(output, index, count);
      digest_piece(at(output, index), count);
    });
    evidence.digests = digester_.finish();
    evidence.wrong = wrong_.count;
    evidence.symptom = Symptom::none;
    evidence.suspect = -1;
    evidence.first_wrong.reset();
    if (wrong_.count > 0) explain(position, output, before, evidence);
  }

  void judge_input(int position, const std::byte* input, Evidence& evidence) override {
    prepare_input(position);
    wrong_.reset();
    for_pieces(input_, [&](std::int64_t index, std::int64_t count) {
      around_altered(index, count, [&](std::int64_t begin, std::int64_t n, bool altered) {
        const T* expected = altered ? &altered_input_ : input_.data() + (begin - index);
        compare_bits(expected, at(input, begin), begin, n, wrong_);
      });
    });
    evidence.input_changed = wrong_.count;
    evidence.first_input_changed.reset();
    if (wrong_.count == 0) return;
    const std::int64_t first = wrong_.first.front();
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

  // Calls f(index, count) for the pieces of the buffer that begin where the tile begins.
  template <class U, class F>
  void for_pieces(const std::vector<U>& tile, F&& f) const {
    const auto length = static_cast<std::int64_t>(tile.size());
    for (std::int64_t index = 0; index < call_->count; index += length) {
      f(index, std::min(length, call_->count - index));
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
    const std::int64_t count = tile_count(call_->count);
    input_.resize(static_cast<std::size_t>(count));
    make_inputs(source, 0, count, expecter_.workspace(), input_.data());
    lengthen(input_, call_->count);
    if (alters()) altered_input_ = make_input<T>(source, call_->cut, expecter_.workspace());
    input_position_ = position;
  }

  // The same for all positions, for every collective that runs.
  void prepare_expectation(int position) {
    if (expects_) return;
    ask(*call_, position, question_);
    expecter_.expect_tile(question_, tile_count(call_->count), expected_);
    if (expected_.exact) lengthen(expected_.value, call_->count);
    if (alters()) expecter_.expect_element(question_, call_->cut, altered_expected_);
    expects_ = true;
  }

  void compare_piece(const std::byte* output, std::int64_t index, std::int64_t count) {
    around_altered(index, count, [&](std::int64_t begin, std::int64_t n, bool altered) {
      const auto offset = static_cast<std::size_t>(altered ? 0 : begin - index);
      compare(altered ? altered_expected_ : expected_, offset, at(output, begin), begin, n, wrong_);
    });
  }

  void digest_piece(const std::byte* bytes, std::int64_t count) {
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

  void explain(int position, const std::byte* output, std::byte before, Evidence& evidence) {
    std::vector<WrongElement<T>> elements;
    for (const std::int64_t index : wrong_.first)
      elements.push_back({index, load<T>(output, index)});
    Holder holder{std::nullopt, before};
    if (gives_input(*call_, position)) holder.input = source_of(*call_, position);
    const auto diagnosis = diagnose<T>(question_, elements, holder, expecter_);
    evidence.symptom = diagnosis.symptom;
    evidence.suspect = diagnosis.suspect;
    const WrongElement<T>& first = elements.front();
    const bool altered = alters() && first.index == call_->cut;
    const auto& expectation = altered ? altered_expected_ : expected_;
    const auto element = altered ? 0 : static_cast<std::size_t>(first.index % kTilePeriod);
    evidence.first_wrong =
        Mismatch{first.index, range_text(expectation, element), number_text(first.got)};
  }

  const Call* call_ = nullptr;
  Expecter<T> expecter_;

  std::vector<T> input_;  // of input_position_
  T altered_input_{};
  int input_position_ = -1;

  Question question_;
  Expectation<T> expected_;
  Expectation<T> altered_expected_;  // of the one element
  bool expects_ = false;

  Wrong wrong_;
  Digester digester_;
  std::vector<T> normal_;  // a piece of the output, as it is digested
};

}  // namespace

std::unique_ptr<TypedOracle> make_typed_oracle(Dtype dtype) {
  return for_dtype(dtype, [&]<class T>() -> std::unique_ptr<TypedOracle> {
    return std::make_unique<OracleOf<T>>();
  });
}

}  // namespace allprove::oracle
