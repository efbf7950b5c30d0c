// Elements that are no plain numbers, in every family: no way to evaluate is called wrong, mistakes
// show, and related data relate.
#include <gtest/gtest.h>

#include "framework/oracle/divide.h"
#include "tests/unit/oracle/element_calls.h"

namespace allprove::oracle {
namespace {

constexpr std::array kFamilies = {Family::ramp, Family::closed, Family::free, Family::special};

bool is_user(Reduction reduction) { return traits_of(reduction.op).kind == OpClass::user; }

template <class T>
std::string told(const Evidence& evidence, const T& call) {
  if (!evidence.first_wrong) return {};
  return fmt::format("{} ranks, seed {}: expected {} at {}, not {}", call.ids.size(),
                     call.data.seed, evidence.first_wrong->expected, evidence.first_wrong->index,
                     evidence.first_wrong->got);
}

class Elements : public testing::TestWithParam<Reduction> {};

TEST_P(Elements, AllowEveryWayToEvaluate) {
  for_elements_of(GetParam(), [&]<class E>() {
    RandomStream random(31);
    for (const Family family : kFamilies) {
      for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 70}) {
        for (int round = 0; round < (ranks < 10 ? 4 : 1); ++round) {
          auto call = element_call(GetParam(), family, ranks, 60, random.next());
          call.data.first = 4050;  // the tile ends inside
          auto output = evaluated_any_way<E>(call, random);
          spoil_padding(output, std::byte{0x5a});
          const auto evidence = judge(call, 0, output);
          ASSERT_EQ(evidence.wrong, 0) << name_of(family) << ", " << told(evidence, call);
          const auto expected = expected_digests(call, 0);
          ASSERT_EQ(expected.has_value(), evidence.exact) << name_of(family) << ranks;
          if (expected) {
            ASSERT_EQ(*expected, evidence.digests) << name_of(family) << ranks;
          }
          if (family == Family::closed) {
            ASSERT_TRUE(evidence.exact);
          }
        }
      }
    }
  });
}

TEST_P(Elements, ClosedOnesAreExactForThousandsOfRanks) {
  for_elements_of(GetParam(), [&]<class E>() {
    RandomStream random(32);
    for (const int ranks : {300, 4096}) {
      const auto call = element_call(GetParam(), Family::closed, ranks, 3, random.next());
      const auto evidence = judge(call, 0, evaluated_any_way<E>(call, random));
      EXPECT_TRUE(evidence.exact);
      EXPECT_EQ(evidence.wrong, 0) << told(evidence, call);
      const auto free = element_call(GetParam(), Family::free, ranks, 3, random.next());
      EXPECT_EQ(judge(free, 0, evaluated_any_way<E>(free, random)).wrong, 0);
    }
  });
}

// Of arithmetic an input shows at practically all elements, of an order or "and" only where it
// decides.
double least_share_found(Op op) {
  switch (traits_of(op).kind) {
    case OpClass::arithmetic:
    case OpClass::user:
      return 0.9;
    case OpClass::logical:
      return op == Op::lxor ? 0.4 : 0.02;
    default:
      return 0.05;
  }
}

TEST_P(Elements, EveryRanksContributionMatters) {
  for_elements_of(GetParam(), [&]<class E>() {
    RandomStream random(33);
    for (const Family family : {Family::closed, Family::free}) {
      for (const int ranks : {2, 3, 8}) {
        for (int missing = 0; missing < ranks; ++missing) {
          double wrong = 0;
          for (int round = 0; round < 8; ++round) {
            const auto call = element_call(GetParam(), family, ranks, 100, random.next());
            std::vector<E> output;
            for (auto inputs : inputs_of_elements<E>(call)) {
              inputs.erase(inputs.begin() + missing);
              output.push_back(evaluated_any_way(call.op, inputs, random));
            }
            wrong += static_cast<double>(judge(call, 0, output).wrong) / kElementsOf<E>;
          }
          // Not all elements of an operand differ; wide ranges of free numbers swallow small ones.
          const double most = family == Family::free || kElementsOf<E> > 1 ? 0.6 : 1;
          EXPECT_GE(wrong / 800, least_share_found(GetParam().op) * most)
              << name_of(family) << ", rank " << missing << " of " << ranks;
        }
      }
    }
  });
}

// Flips a bit of the last value: of the lowest bits, or of the first half of the significand.
template <class R>
void flip_real(R& value, bool lowest) {
  const int digits = std::numeric_limits<R>::digits;
  const int bit = lowest ? 0 : digits / 2 + 2;
  auto* bytes = reinterpret_cast<std::byte*>(&value);
  bytes[bit / 8] ^= std::byte(1 << bit % 8);
}
void flip(long double& element, bool lowest) { flip_real(element, lowest); }
template <class R>
void flip(std::complex<R>& element, bool lowest) {
  // Of the larger part: beside it the other may vanish.
  std::array<R, 2> parts = {element.real(), element.imag()};
  flip_real(std::abs(parts[0]) > std::abs(parts[1]) ? parts[0] : parts[1], lowest);
  element = {parts[0], parts[1]};
}
void flip(Boolean& element, bool lowest) { element.byte ^= lowest ? 1 : 16; }
template <class V>
void flip(Pair<V>& element, bool lowest) {
  if constexpr (std::is_floating_point_v<V>) {
    flip_real(element.value, lowest);
  } else {
    element.value = static_cast<V>(element.value ^ (lowest ? 1 : 64));
  }
}
template <class T, int kElements>
void flip(Operand<T, kElements>& element, bool lowest) {
  element.elements.back() = static_cast<T>(element.elements.back() ^ (lowest ? 1 : 16));
}

TEST_P(Elements, AChangedBitShows) {
  for_elements_of(GetParam(), [&]<class E>() {
    RandomStream random(34);
    for (const bool lowest : {true, false}) {
      // Only a bit of the upper half must show where inexact results have room.
      for (const Family family : {Family::closed, Family::free}) {
        const auto call = element_call(GetParam(), family, 5, 100, random.next());
        auto output = evaluated_any_way<E>(call, random);
        const bool exact = judge(call, 0, output).exact;
        if (lowest && !exact) continue;
        for (E& element : output) flip(element, lowest);
        // A zero of a pair or product may stay what it was by value.
        EXPECT_GE(judge(call, 0, output).wrong, 97) << name_of(family) << lowest;
      }
    }
  });
}

TEST_P(Elements, RemovingARankLeavesTheOthersInputs) {
  for_elements_of(GetParam(), [&]<class E>() {
    for (const Family family : kFamilies) {
      const auto all = element_call(GetParam(), family, 6, 80, 5);
      auto fewer = all;
      fewer.ids = {0, 1, 3, 4};
      for (int p = 0; p < 4; ++p) {
        const auto a = element_inputs<E>(all, fewer.ids[static_cast<std::size_t>(p)]);
        const auto b = element_inputs<E>(fewer, p);
        for (std::size_t i = 0; i < a.size(); ++i) ASSERT_TRUE(same_image(a[i], b[i]));
      }
    }
  });
}

TEST_P(Elements, RotatedScaledAndAlteredDataRelate) {
  if (is_user(GetParam())) return;  // refused, but for rotation, which order forbids
  for_elements_of(GetParam(), [&]<class E>() {
    RandomStream random(35);
    for (const Family family : kFamilies) {
      auto plain = element_call(GetParam(), family, 5, 5000, 7);
      plain.cut = 4500;
      const auto output = evaluated_any_way<E>(plain, random);
      const auto evidence = judge(plain, 0, output);
      auto rotated = plain;
      rotated.data.rotate = 3;
      EXPECT_EQ(judge(rotated, 0, output).wrong, 0);
      auto scaled = plain;
      scaled.data.scale = 5;
      const auto of_scaled = judge(scaled, 0, evaluated_any_way<E>(scaled, random));
      EXPECT_EQ(of_scaled.wrong, 0) << name_of(family) << told(of_scaled, scaled);
      if (evidence.exact) {
        EXPECT_EQ(of_scaled.digests, evidence.digests) << name_of(family);
      }
      auto altered = plain;
      altered.data.altered = true;
      auto mixed = output;
      mixed[4500] = evaluated_any_way<E>(altered, random)[4500];
      const auto of_altered = judge(altered, 0, mixed);
      EXPECT_EQ(of_altered.wrong, 0) << name_of(family) << told(of_altered, altered);
      EXPECT_EQ(of_altered.digests.head, evidence.digests.head);
      EXPECT_EQ(of_altered.digests.after, evidence.digests.after);
      if (evidence.exact) {
        EXPECT_EQ(of_altered.digests, *expected_digests(altered, 0));
      }
    }
  });
}

TEST_P(Elements, ScansOfOneAndOfMoreAreDividedByAll) {
  if (is_user(GetParam()) || !can_divide(GetParam().dtype)) return;
  for_elements_of(GetParam(), [&]<class E>() {
    RandomStream random(37);
    for (const Family family : kFamilies) {
      auto call = element_call(GetParam(), family, 5, 50, 11);
      call.collective = Collective::scan;
      call.divide = true;
      for (const int position : {0, 1, 3}) {
        std::vector<E> output;
        for (auto inputs : inputs_of_elements<E>(call)) {
          inputs.resize(static_cast<std::size_t>(position) + 1);
          output.push_back(evaluated_any_way(call.op, inputs, random));
        }
        const auto undivided = output;
        divide_by_size(call.dtype, reinterpret_cast<std::byte*>(output.data()), 50, 5);
        const auto evidence = judge(call, position, output);
        EXPECT_EQ(evidence.wrong, 0) << name_of(family) << position << told(evidence, call);
        EXPECT_GT(judge(call, position, undivided).wrong, 25);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Elements, testing::ValuesIn(element_reductions()), name_of_parameter);

class Moves : public testing::TestWithParam<Reduction> {};

TEST_P(Moves, ArriveToTheBitOfTheirValues) {
  for_elements_of(GetParam(), [&]<class E>() {
    for (const Family family : kFamilies) {
      auto call = element_call(GetParam(), family, 4, 5000, 9);
      call.collective = Collective::all_gather;
      std::vector<E> output;
      for (int p = 0; p < 4; ++p) {
        const auto inputs = element_inputs<E>(call, p);
        output.insert(output.end(), inputs.begin(), inputs.end());
      }
      auto padded = output;
      spoil_padding(padded, std::byte{0x77});
      const auto evidence = judge(call, 2, padded);
      EXPECT_EQ(evidence.wrong, 0);
      EXPECT_TRUE(evidence.exact && evidence.agreement);
      EXPECT_EQ(evidence.digests, *expected_digests(call, 2));
      flip(output[12'345], true);
      EXPECT_EQ(judge(call, 2, output).wrong, 1) << name_of(family);
      EXPECT_EQ(judge(call, 2, output).first_wrong->index, 12'345);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Moves, testing::ValuesIn([] {
                           auto all = element_reductions();
                           std::erase_if(all, [](auto reduction) { return is_user(reduction); });
                           return all;
                         }()),
                         name_of_parameter);

TEST(ElementSymptoms, NameWhatALibraryDidWrong) {
  for (const auto reduction :
       {Reduction{Dtype::long_double, Op::sum}, Reduction{Dtype::complex128, Op::prod},
        Reduction{Dtype::int16, Op::user_matrix}}) {
    for_elements_of(reduction, [&]<class E>() {
      RandomStream random(36);
      const auto call = element_call(reduction, Family::closed, 4, 50, 3);
      const auto symptom_of = [&](auto change) {
        std::vector<E> output;
        for (auto inputs : inputs_of_elements<E>(call)) {
          change(inputs);
          output.push_back(evaluated_any_way(call.op, inputs, random));
        }
        const auto evidence = judge(call, 1, output);
        return std::pair(evidence.symptom, evidence.suspect);
      };
      EXPECT_EQ(symptom_of([](auto& inputs) { inputs.erase(inputs.begin() + 2); }),
                std::pair(Symptom::missing_rank, 2));
      EXPECT_EQ(symptom_of([](auto& inputs) { inputs.insert(inputs.begin() + 3, inputs[3]); }),
                std::pair(Symptom::doubled_rank, 3));
      EXPECT_EQ(symptom_of([](auto& inputs) { inputs = {inputs[1]}; }),
                std::pair(Symptom::own_input, -1));
      std::vector<E> untouched(50);
      std::memset(static_cast<void*>(untouched.data()), 0xa5, 50 * sizeof(E));
      EXPECT_EQ(judge(call, 1, untouched).symptom, Symptom::unchanged);
    });
  }
}

TEST(Elements, AChangedInputShowsAndItsPaddingDoesNot) {
  const auto call = element_call({Dtype::long_double_int, Op::minloc}, Family::free, 3, 5000, 2);
  auto inputs = element_inputs<Pair<long double>>(call, 1);
  spoil_padding(inputs, std::byte{0x11});
  Oracle oracle;
  oracle.begin(call);
  Evidence evidence;
  const auto judge_inputs = [&] {
    oracle.judge_input(1, reinterpret_cast<const std::byte*>(inputs.data()), evidence);
    return evidence.input_changed;
  };
  EXPECT_EQ(judge_inputs(), 0);
  inputs[4711].index ^= 1;
  EXPECT_EQ(judge_inputs(), 1);
  EXPECT_EQ(evidence.first_input_changed->index, 4711);
}

}  // namespace
}  // namespace allprove::oracle
