#include "framework/oracle/element_oracle.h"

#include <algorithm>
#include <optional>

#include "framework/oracle/allowed.h"
#include "framework/oracle/compare.h"
#include "framework/oracle/digest.h"
#include "framework/oracle/element_inputs.h"
#include "framework/oracle/element_symptom.h"
#include "framework/oracle/expect.h"

namespace allprove::oracle {
namespace {

// The form of an element that is digested: what may differ between right results is made the same.
struct NormalForm {
  explicit NormalForm(const Call& call)
      : scale(can_scale(call) ? call.data.scale : 0),
        one_nan(call.data.family == Family::special),
        one_zero(traits_of(call.collective).reduces && call.op == Op::prod) {}

  int scale;
  bool one_nan;
  bool one_zero;  // of a product of complex numbers
};

template <class V>
V normal_number(V number, const NormalForm& form) {
  return form.one_nan && is_nan(number) ? std::numeric_limits<V>::quiet_NaN() : number;
}

long double normal(long double element, const NormalForm& form) {
  return normal_number(scaled_by(element, -form.scale), form);
}
template <class R>
std::complex<R> normal(std::complex<R> element, const NormalForm& form) {
  element = scaled_by(element, -form.scale);
  const auto part = [&](R number) {
    return form.one_zero && number == R{0} ? R{0} : normal_number(number, form);
  };
  return {part(element.real()), part(element.imag())};
}
template <class V>
Pair<V> normal(const Pair<V>& element, const NormalForm& form) {
  return {normal_number(element.value, form), element.index};
}
template <class E>
E normal(const E& element, const NormalForm& /*form*/) {
  return element;
}

// Digests elements one after the other, in their normal form.
template <class E>
class ElementDigester {
 public:
  ElementDigester(std::int64_t elements, std::int64_t cut, NormalForm form) : form_(form) {
    digester_.begin(elements, cut, sizeof(E));
  }
  void add(const E& element) {
    images_.push_back(image_of(normal(element, form_)));
    if (images_.size() == kTogether) flush();
  }
  Digests finish() {
    flush();
    return digester_.finish();
  }

 private:
  static constexpr std::size_t kTogether = 1024;
  void flush() {
    digester_.add(reinterpret_cast<const std::byte*>(images_.data()),
                  static_cast<std::int64_t>(images_.size()));
    images_.clear();
  }
  NormalForm form_;
  Digester digester_;
  std::vector<Image<E>> images_;
};

template <class E>
class ElementOracle final : public TypedOracle {
 public:
  void begin(const Call& call) override { call_ = &call; }

  void fill_input(int position, std::byte* to) override {
    const InputTile<E> inputs(source_of(*call_, position), input_count(position), workspace_);
    for (std::int64_t i = 0; i < inputs.count(); ++i, to += sizeof(E)) {
      const auto image = image_of(inputs.at(i));
      std::memcpy(to, image.data(), image.size());
    }
  }

  void judge_output(int position, const std::byte* output, std::byte before,
                    Evidence& evidence) override {
    find_pieces(*call_, position, pieces_);
    begin_evidence(*call_, evidence);
    ElementDigester<E> digester(total_of(pieces_) / kElementsOf<E>, call_->cut, NormalForm(*call_));
    for (const Piece& piece : pieces_) {
      judge_piece(position, piece, output, before, digester, evidence);
    }
    evidence.digests = digester.finish();
  }

  void judge_input(int position, const std::byte* input, Evidence& evidence) override {
    const InputTile<E> inputs(source_of(*call_, position), input_count(position), workspace_);
    evidence.input_changed = 0;
    evidence.first_input_changed.reset();
    for (std::int64_t i = 0; i < inputs.count(); ++i) {
      const E got = element_at<E>(input + static_cast<std::size_t>(i) * sizeof(E));
      const E& expected = inputs.at(i);
      if (same_image(expected, got)) continue;
      if (!evidence.first_input_changed) {
        evidence.first_input_changed =
            Mismatch{first_difference(expected, got, i), element_text(expected), element_text(got)};
      }
      evidence.input_changed += differences(expected, got);
    }
  }

 private:
  std::int64_t input_count(int position) const {
    return total(given_blocks(sizes_of(*call_), position)) / kElementsOf<E>;
  }

  void judge_piece(int position, const Piece& piece, const std::byte* output, std::byte before,
                   ElementDigester<E>& digester, Evidence& evidence) {
    const std::int64_t begin = piece.begin / kElementsOf<E>;
    const AllowedTile<E> allowed(piece.question, piece.count / kElementsOf<E>, workspace_);
    std::vector<WrongOne<E>> some;
    Wrong wrong;
    std::int64_t wrong_elements = 0;
    for (std::int64_t i = 0; i < allowed.count(); ++i) {
      const E got = element_at<E>(output + static_cast<std::size_t>(begin + i) * sizeof(E));
      digester.add(got);
      const auto& right = allowed.at(i);
      evidence.exact &= right.exact();
      if (right.holds(got)) continue;
      wrong.add(i);
      wrong_elements += differences(right.value, got);
      if (evidence.first_wrong) continue;
      evidence.first_wrong =
          Mismatch{first_difference(right.value, got, begin + i), right.text(), element_text(got)};
    }
    if (wrong.count == 0) return;
    for (const std::int64_t i : wrong.some) {
      some.push_back({i, element_at<E>(output + static_cast<std::size_t>(begin + i) * sizeof(E))});
    }
    std::optional<Source> own;
    if (gives_input(*call_, position)) own = source_of(*call_, position);
    auto diagnosis = diagnose_elements<E>(piece.question, some, own, before, workspace_);
    if (evidence.wrong > 0) {
      if (diagnosis.symptom != evidence.symptom) diagnosis.symptom = Symptom::value;
      if (diagnosis.suspect != evidence.suspect) diagnosis.suspect = -1;
    }
    evidence.wrong += wrong_elements;
    evidence.symptom = diagnosis.symptom;
    evidence.suspect = diagnosis.suspect;
  }

  // Of an operand each element counts by itself.
  static std::int64_t differences(const E& expected, const E& got) {
    if constexpr (requires { expected.elements; }) {
      std::int64_t count = 0;
      for (std::size_t i = 0; i < expected.elements.size(); ++i) {
        count += expected.elements[i] != got.elements[i] ? 1 : 0;
      }
      return count;
    } else {
      return 1;
    }
  }
  // The index of the first element that differs, of the operand or element of this index.
  static std::int64_t first_difference(const E& expected, const E& got, std::int64_t index) {
    if constexpr (requires { expected.elements; }) {
      const auto [at, other] = std::ranges::mismatch(expected.elements, got.elements);
      return index * kElementsOf<E> + (at - expected.elements.begin());
    } else {
      return index;
    }
  }

  const Call* call_ = nullptr;
  Workspace workspace_;
  std::vector<Piece> pieces_;  // of the output that is judged
};

template <class F>
decltype(auto) for_element_of(const Call& call, F&& f) {
  if (has_user_operator(call)) return for_operand(call.dtype, call.op, f);
  return for_element(call.dtype, f);
}

template <class E>
std::optional<Digests> digests_of(const std::vector<Piece>& pieces, const Call& own) {
  ElementDigester<E> digester(total_of(pieces) / kElementsOf<E>, own.cut, NormalForm(own));
  Workspace workspace;
  for (const Piece& piece : pieces) {
    const AllowedTile<E> allowed(piece.question, piece.count / kElementsOf<E>, workspace);
    for (std::int64_t i = 0; i < allowed.count(); ++i) {
      if (!allowed.at(i).exact()) return std::nullopt;
      digester.add(allowed.at(i).value);
    }
  }
  return digester.finish();
}

}  // namespace

bool is_of_elements(const Call& call) {
  return has_user_operator(call) || !traits_of(call.dtype).plain;
}

std::unique_ptr<TypedOracle> make_element_oracle(const Call& call) {
  return for_element_of(call, [&]<class E>() -> std::unique_ptr<TypedOracle> {
    return std::make_unique<ElementOracle<E>>();
  });
}

std::optional<Digests> element_digests(const std::vector<Piece>& pieces, const Call& own) {
  return for_element_of(own, [&]<class E>() { return digests_of<E>(pieces, own); });
}

}  // namespace allprove::oracle
