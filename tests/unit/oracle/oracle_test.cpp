// The Oracle as a worker uses it: what it writes, what it finds, how it says it.
#include "framework/oracle/oracle.h"

#include <gtest/gtest.h>

#include "framework/base/random.h"
#include "framework/oracle/divide.h"
#include "framework/oracle/text.h"
#include "tests/unit/oracle/calls.h"

namespace allprove::oracle {
namespace {

constexpr std::byte kBefore{0xa5};

template <class T>
std::vector<T> right_output(const Call& call) {
  RandomStream random(1);
  auto output = reduced_in_any_order<T>(call, random);
  if (call.divide) {
    divide_by_size(call.dtype, reinterpret_cast<std::byte*>(output.data()), call.count,
                   static_cast<int>(call.ids.size()));
  }
  return output;
}

TEST(Oracle, WritesInputsAnywhereAndNothingBesides) {
  const auto call = call_with({Dtype::float64, Op::sum}, Family::closed, 3, 5000);
  const auto inputs = inputs_at<double>(call, 1);
  Oracle oracle;
  oracle.begin(call);
  std::vector<std::byte> buffer(5000 * 8 + 16, kBefore);
  oracle.fill_input(1, buffer.data() + 3);
  EXPECT_EQ(std::memcmp(buffer.data() + 3, inputs.data(), 5000 * 8), 0);
  for (const std::size_t i : {0, 1, 2}) EXPECT_EQ(buffer[i], kBefore);
  for (std::size_t i = 5000 * 8 + 3; i < buffer.size(); ++i) EXPECT_EQ(buffer[i], kBefore);
}

TEST(Oracle, FindsEachWrongElementOfALargeBuffer) {
  for (const auto reduction : {Reduction{Dtype::int8, Op::sum}, Reduction{Dtype::int16, Op::max},
                               Reduction{Dtype::float64, Op::sum}}) {
    for_dtype(reduction.dtype, [&]<class T>() {
      for (const Family family : {Family::closed, Family::free}) {
        const auto call = call_with(reduction, family, 3, 70'001);
        const auto right = right_output<T>(call);
        ASSERT_EQ(judge(call, 0, right).wrong, 0);
        for (const std::size_t at : {0, 4092, 4093, 16'372, 32'743, 70'000}) {
          auto output = right;
          output[at] = from_bits<T>(static_cast<Bits<T>>(bits_of(output[at]) ^ kTopBit<T>));
          if (output[at] == right[at]) continue;
          output[12'345] = from_bits<T>(static_cast<Bits<T>>(~bits_of(output[12'345])));
          const auto evidence = judge(call, 0, output);
          EXPECT_EQ(evidence.wrong, 2);
          ASSERT_TRUE(evidence.first_wrong);
          EXPECT_EQ(evidence.first_wrong->index,
                    std::min<std::int64_t>(static_cast<std::int64_t>(at), 12'345));
          const auto first = static_cast<std::size_t>(evidence.first_wrong->index);
          EXPECT_EQ(evidence.first_wrong->got, number_text(output[first]));
          EXPECT_TRUE(!evidence.exact ||
                      evidence.first_wrong->expected == number_text(right[first]));
          EXPECT_NE(evidence.digests, judge(call, 0, right).digests);
        }
      }
    });
  }
}

TEST(Oracle, JudgesTheSendBuffer) {
  auto call = call_with({Dtype::int16, Op::sum}, Family::closed, 3, 9000);
  call.cut = 5000;
  call.data.altered = true;
  Oracle oracle;
  oracle.begin(call);
  auto input = inputs_at<std::int16_t>(call, 2);
  Evidence evidence;
  oracle.judge_input(2, reinterpret_cast<const std::byte*>(input.data()), evidence);
  EXPECT_EQ(evidence.input_changed, 0);
  EXPECT_FALSE(evidence.first_input_changed);
  const auto right = input[5000];
  input[5000] = static_cast<std::int16_t>(right + 1);
  input[8999] = static_cast<std::int16_t>(~input[8999]);
  oracle.judge_input(2, reinterpret_cast<const std::byte*>(input.data()), evidence);
  EXPECT_EQ(evidence.input_changed, 2);
  ASSERT_TRUE(evidence.first_input_changed);
  EXPECT_EQ(
      *evidence.first_input_changed,
      (Mismatch{5000, number_text(right), number_text(static_cast<std::int16_t>(right + 1))}));
}

TEST(Oracle, AnEmptyBufferIsRight) {
  for (const Family family : {Family::ramp, Family::closed, Family::free, Family::special}) {
    const auto call = call_with({Dtype::float32, Op::sum}, family, 3, 0);
    const auto evidence = judge(call, 0, std::vector<float>{});
    EXPECT_TRUE(evidence.checked);
    EXPECT_EQ(evidence.wrong, 0);
    EXPECT_TRUE(expected_digests(call, 0));
    EXPECT_EQ(evidence.digests, *expected_digests(call, 0));
  }
}

TEST(Oracle, KnowsWhoGivesAndWhoHolds) {
  Oracle oracle;
  auto call = call_with({Dtype::int32, Op::sum}, Family::closed, 3, 5);
  oracle.begin(call);
  EXPECT_TRUE(oracle.has_input(2));
  EXPECT_TRUE(oracle.has_output(2));
  call.collective = Collective::broadcast;
  call.root = 1;
  oracle.begin(call);
  EXPECT_FALSE(oracle.has_input(0));
  EXPECT_TRUE(oracle.has_input(1));
  EXPECT_TRUE(oracle.has_output(0));
  EXPECT_TRUE(oracle.has_output(1));
  call.collective = Collective::barrier;
  oracle.begin(call);
  EXPECT_FALSE(oracle.has_input(1));
  EXPECT_FALSE(oracle.has_output(1));
}

TEST(Oracle, BroadcastLeavesTheRootsInputEverywhere) {
  for (const auto reduction : all_reductions()) {
    if (reduction.op != Op::sum) continue;
    for_dtype(reduction.dtype, [&]<class T>() {
      for (const Family family : {Family::ramp, Family::closed, Family::free, Family::special}) {
        auto call = call_with(reduction, family, 4, 6000);
        call.collective = Collective::broadcast;
        call.root = 2;
        call.data.rotate = 1;
        auto output = inputs_at<T>(call, 2);
        auto evidence = judge(call, 0, output);
        EXPECT_EQ(evidence.wrong, 0);
        EXPECT_TRUE(evidence.exact);
        output[4500] = from_bits<T>(static_cast<Bits<T>>(bits_of(output[4500]) ^ 1));
        EXPECT_EQ(judge(call, 0, output).wrong, 1);
      }
    });
  }
}

TEST(Oracle, SumsAreDividedWhereTheCallerDivides) {
  for (const auto reduction : all_reductions()) {
    if (reduction.op != Op::sum) continue;
    for_dtype(reduction.dtype, [&]<class T>() {
      for (const Family family : {Family::ramp, Family::closed, Family::free, Family::special}) {
        auto call = call_with(reduction, family, 3, 500);
        call.divide = true;
        EXPECT_EQ(judge(call, 0, right_output<T>(call)).wrong, 0)
            << name_of(reduction.dtype) << " " << name_of(family);
        auto undivided = call;
        undivided.divide = false;
        EXPECT_GT(judge(call, 0, right_output<T>(undivided)).wrong, 300);
      }
    });
  }
}

TEST(Divide, TruncatesIntegersTowardZeroAndRoundsFloatsOnce) {
  std::vector<std::int8_t> small = {7, -7, -128, 127};
  divide_by_size(Dtype::int8, reinterpret_cast<std::byte*>(small.data()), 4, 4096);
  EXPECT_EQ(small, (std::vector<std::int8_t>{0, 0, 0, 0}));
  std::vector<std::int32_t> ints = {7, -7, 9, INT32_MIN};
  divide_by_size(Dtype::int32, reinterpret_cast<std::byte*>(ints.data()), 4, 2);
  EXPECT_EQ(ints, (std::vector<std::int32_t>{3, -3, 4, INT32_MIN / 2}));
  std::vector<std::uint64_t> large = {UINT64_MAX};
  divide_by_size(Dtype::uint64, reinterpret_cast<std::byte*>(large.data()), 1, 3);
  EXPECT_EQ(large.front(), UINT64_MAX / 3);
  std::vector<float> floats = {1.0f};
  divide_by_size(Dtype::float32, reinterpret_cast<std::byte*>(floats.data()), 1, 3);
  EXPECT_EQ(floats.front(), 1.0f / 3);
}

TEST(Digests, OfNansDoNotDependOnTheirPayload) {
  const auto call = call_with({Dtype::float32, Op::sum}, Family::special, 4, 400);
  auto output = right_output<float>(call);
  auto other = output;
  int nans = 0;
  for (float& x : other) {
    if (!std::isnan(x)) continue;
    ++nans;
    x = from_bits<float>(bits_of(x) ^ 0x80000077u);
  }
  ASSERT_GT(nans, 0);
  const auto digest = [&](const std::vector<float>& of) {
    Oracle oracle;
    oracle.begin(call);
    Evidence evidence;
    oracle.judge_output(0, reinterpret_cast<const std::byte*>(of.data()), kBefore, evidence);
    EXPECT_EQ(evidence.wrong, 0);
    return evidence.digests.whole;
  };
  EXPECT_EQ(digest(output), digest(other));
}

TEST(Text, ShowsNumbersToTheBit) {
  EXPECT_EQ(number_text(std::int8_t{-5}), "-5");
  EXPECT_EQ(number_text(std::uint64_t{UINT64_MAX}), "18446744073709551615");
  EXPECT_EQ(number_text(1.5f), "1.5");
  EXPECT_EQ(number_text(4.0), "4");
  EXPECT_EQ(number_text(0.1), "0.1 (0x1.999999999999ap-4)");
  EXPECT_EQ(number_text(0.1f), "0.1 (0x1.99999ap-4)");
  EXPECT_EQ(number_text(-0.0), "-0");
  EXPECT_EQ(number_text(from_bits<float>(0x7fc00001)), "NaN (bits 0x7fc00001)");
  const double two = 2;
  EXPECT_EQ(element_text(Dtype::float64, reinterpret_cast<const std::byte*>(&two)), "2");
}

}  // namespace
}  // namespace allprove::oracle
