// What wrong outputs are taken for.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "framework/base/random.h"
#include "framework/oracle/divide.h"
#include "tests/unit/oracle/calls.h"

namespace allprove::oracle {
namespace {

template <class T>
std::vector<T> output_of(const Call& call) {
  RandomStream random(1);
  return reduced_in_any_order<T>(call, random);
}

class Symptoms : public testing::TestWithParam<Family> {
 protected:
  Call call(Dtype dtype = Dtype::float32) const {
    return call_with({dtype, Op::sum}, GetParam(), 4, 50, 6);
  }
};

TEST_P(Symptoms, NothingWrong) {
  const auto evidence = judge(call(), 1, output_of<float>(call()));
  EXPECT_EQ(evidence.symptom, Symptom::none);
  EXPECT_FALSE(evidence.first_wrong);
}

TEST_P(Symptoms, Averaged) {
  auto output = output_of<float>(call());
  divide_by_size(Dtype::float32, reinterpret_cast<std::byte*>(output.data()), 50, 4);
  EXPECT_EQ(judge(call(), 1, output).symptom, Symptom::averaged);
}

TEST_P(Symptoms, Unchanged) {
  std::vector<float> output(50);
  std::memset(output.data(), 0xa5, 50 * sizeof(float));
  EXPECT_EQ(judge(call(), 1, output).symptom, Symptom::unchanged);
  EXPECT_EQ(judge(call(), 1, output, std::byte{0x5a}).symptom, Symptom::value);
}

TEST_P(Symptoms, OwnInput) {
  const auto own = inputs_at<float>(call(), 3);
  EXPECT_EQ(judge(call(), 3, own).symptom, Symptom::own_input);
  EXPECT_NE(judge(call(), 2, own).symptom, Symptom::own_input);
}

TEST_P(Symptoms, MissingRank) {
  auto fewer = call();
  fewer.ids = {0, 1, 3};
  const auto evidence = judge(call(), 0, output_of<float>(fewer));
  EXPECT_EQ(evidence.symptom, Symptom::missing_rank);
  EXPECT_EQ(evidence.suspect, 2);
}

TEST_P(Symptoms, MissingRankIsAPositionWhereverItsInputsCameFrom) {
  auto rotated = call();
  rotated.data.rotate = 1;  // position 2 holds what id 3 stands for
  auto fewer = call();
  fewer.ids = {0, 1, 2};
  const auto evidence = judge(rotated, 0, output_of<float>(fewer));
  EXPECT_EQ(evidence.symptom, Symptom::missing_rank);
  EXPECT_EQ(evidence.suspect, 2);
}

TEST_P(Symptoms, DoubledRank) {
  auto more = call();
  more.ids = {0, 1, 2, 3, 1};
  const auto evidence = judge(call(), 0, output_of<float>(more));
  EXPECT_EQ(evidence.symptom, Symptom::doubled_rank);
  EXPECT_EQ(evidence.suspect, 1);
}

TEST_P(Symptoms, Value) {
  auto output = output_of<float>(call());
  for (float& x : output) x = x * 1.5f + 7;
  const auto evidence = judge(call(), 0, output);
  EXPECT_EQ(evidence.symptom, Symptom::value);
  EXPECT_EQ(evidence.suspect, -1);
}

TEST_P(Symptoms, ShowInATailAlone) {
  auto fewer = call();
  fewer.ids = {0, 1, 2};
  auto output = output_of<float>(call());
  output[49] = output_of<float>(fewer)[49];
  const auto evidence = judge(call(), 0, output);
  EXPECT_EQ(evidence.wrong, 1);
  EXPECT_EQ(evidence.first_wrong->index, 49);
  EXPECT_EQ(evidence.symptom, Symptom::missing_rank);
  EXPECT_EQ(evidence.suspect, 3);
}

TEST_P(Symptoms, Saturated) {
  const auto wide = call(Dtype::int8);
  std::vector<std::int8_t> output;
  for (const auto& inputs : inputs_by_element<std::int8_t>(wide)) {
    int sum = 0;
    for (const auto x : inputs) sum += x;
    output.push_back(static_cast<std::int8_t>(std::clamp(sum, -128, 127)));
  }
  const auto evidence = judge(wide, 0, output);
  EXPECT_GT(evidence.wrong, 0);
  EXPECT_EQ(evidence.symptom, Symptom::saturated);
}

TEST_P(Symptoms, SaturatedIsWhatAdditionsOnTheWayLeave) {
  auto sum = call(Dtype::int8);
  sum.ids = {0, 1};
  sum.count = 400;
  std::vector<std::int8_t> output;
  for (const auto& inputs : inputs_by_element<std::int8_t>(sum)) {
    output.push_back(static_cast<std::int8_t>(std::clamp(inputs[0] + inputs[1], -128, 127)));
  }
  EXPECT_EQ(judge(sum, 0, output).symptom, Symptom::saturated);
  output.back() = static_cast<std::int8_t>(output.back() ^ 5);
  EXPECT_EQ(judge(sum, 0, output).symptom, Symptom::value);
}

// One element alone, which stuck at a bound on the way, may happen to look like something else.
void expect_saturated_where(const std::function<bool(int stuck, int right)>& like_another,
                            const std::function<int(int stuck)>& before) {
  const auto sum = call_with({Dtype::int8, Op::sum}, Family::free, 3, 20'000, 6);
  const auto inputs = inputs_by_element<std::int8_t>(sum);
  const auto right = output_of<std::int8_t>(sum);
  int seen = 0;
  for (std::size_t i = 0; i < inputs.size() && seen < 5; ++i) {
    int stuck = 0;
    for (const auto x : inputs[i]) stuck = std::clamp(stuck + x, -128, 127);
    if (stuck == right[i] || !like_another(stuck, right[i])) continue;
    ++seen;
    auto output = right;
    output[i] = static_cast<std::int8_t>(stuck);
    EXPECT_EQ(judge(sum, 0, output, std::byte(before(stuck))).symptom, Symptom::saturated);
  }
  EXPECT_GT(seen, 0);
}

TEST(Symptom, SaturatedComesBeforeTheMean) {
  expect_saturated_where([](int stuck, int right) { return stuck == right / 3; },
                         [](int) { return 0xa5; });
}

TEST(Symptom, SaturatedComesBeforeUnchanged) {
  expect_saturated_where([](int, int) { return true; }, [](int stuck) { return stuck & 0xff; });
}

TEST_P(Symptoms, SaturatedAndDivided) {
  auto mean = call(Dtype::int16);
  mean.divide = true;
  mean.count = 4000;
  std::vector<std::int16_t> output;
  for (const auto& inputs : inputs_by_element<std::int16_t>(mean)) {
    int sum = 0;
    for (const auto x : inputs) sum = std::clamp(sum + x, -32768, 32767);
    output.push_back(static_cast<std::int16_t>(sum / 4));
  }
  EXPECT_EQ(judge(mean, 0, output).symptom, Symptom::saturated);
}

INSTANTIATE_TEST_SUITE_P(Families, Symptoms, testing::Values(Family::ramp, Family::closed),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

TEST(Symptom, SignedOrder) {
  const auto least = call_with({Dtype::uint8, Op::min}, Family::free, 4, 400);
  std::vector<std::uint8_t> output;
  for (const auto& inputs : inputs_by_element<std::uint8_t>(least)) {
    output.push_back(
        std::ranges::min(inputs, {}, [](std::uint8_t x) { return static_cast<std::int8_t>(x); }));
  }
  EXPECT_EQ(judge(least, 0, output).symptom, Symptom::signed_order);
  output.back() = static_cast<std::uint8_t>(output.back() + 1);
  EXPECT_NE(judge(least, 0, output).symptom, Symptom::signed_order);
}

TEST(Symptom, UnsignedOrder) {
  const auto greatest = call_with({Dtype::offset, Op::max}, Family::free, 4, 400);
  std::vector<std::int64_t> output;
  for (const auto& inputs : inputs_by_element<std::int64_t>(greatest)) {
    output.push_back(
        std::ranges::max(inputs, {}, [](std::int64_t x) { return static_cast<std::uint64_t>(x); }));
  }
  EXPECT_EQ(judge(greatest, 0, output).symptom, Symptom::unsigned_order);
  output.back() -= 1;
  EXPECT_NE(judge(greatest, 0, output).symptom, Symptom::unsigned_order);
}

TEST(Symptom, IsFoundAmongHundredsOfRanks) {
  auto call = call_with({Dtype::int32, Op::sum}, Family::closed, 300, 10);
  auto fewer = call;
  fewer.ids.erase(fewer.ids.begin() + 123);
  const auto evidence = judge(call, 0, output_of<std::int32_t>(fewer));
  EXPECT_EQ(evidence.symptom, Symptom::missing_rank);
  EXPECT_EQ(evidence.suspect, 123);
}

TEST(Symptom, NamesNobodyWhereSeveralFit) {
  auto call = call_with({Dtype::int32, Op::sum}, Family::ramp, 3, 1);
  call.ids = {1, 3, 3};  // 3 + 7 + 7
  auto evidence = judge(call, 0, std::vector<std::int32_t>{10});
  EXPECT_EQ(evidence.symptom, Symptom::missing_rank);
  EXPECT_EQ(evidence.suspect, -1);
  evidence = judge(call, 0, std::vector<std::int32_t>{14});
  EXPECT_EQ(evidence.symptom, Symptom::missing_rank);
  EXPECT_EQ(evidence.suspect, 0);
}

TEST(Symptom, ComesWithTheNumbers) {
  const auto evidence = judge(call_with({Dtype::int32, Op::sum}, Family::ramp, 3, 1), 0,
                              std::vector<std::int32_t>{123456});
  EXPECT_EQ(evidence.symptom, Symptom::value);
  EXPECT_EQ(*evidence.first_wrong, (Mismatch{0, "9", "123456"}));
}

}  // namespace
}  // namespace allprove::oracle
