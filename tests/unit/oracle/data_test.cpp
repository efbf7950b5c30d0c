// The relations between calls with related data, which the metamorphic properties stand on.
#include <gtest/gtest.h>

#include <set>

#include "framework/base/random.h"
#include "tests/unit/oracle/calls.h"

namespace allprove::oracle {
namespace {

// A right output, whatever order it was computed in.
template <class T>
std::vector<T> right_output(const Call& call) {
  RandomStream random(call.data.seed + 5);
  return reduced_in_any_order<T>(call, random);
}

template <class T>
Digests digests_of(const Call& call) {
  return judge(call, 0, right_output<T>(call)).digests;
}

class RelatedData : public testing::TestWithParam<std::tuple<Reduction, Family>> {
 protected:
  Reduction reduction() const { return std::get<0>(GetParam()); }
  Family family() const { return std::get<1>(GetParam()); }
  Call call(std::int64_t count, int ranks = 5) const {
    return call_with(reduction(), family(), ranks, count, 77);
  }
};

TEST_P(RelatedData, PartsOfACallEqualCallsOnTheParts) {
  for_dtype(reduction().dtype, [&]<class T>() {
    for (const std::int64_t cut : {0, 1, 40, 99}) {
      auto whole = call(100);
      whole.cut = cut;
      whole.data.first = 4050;  // the tile ends inside
      const auto digests = digests_of<T>(whole);
      auto head = whole;
      head.count = cut;
      head.cut = kNoCut;
      auto tail = head;
      tail.count = 100 - cut;
      tail.data.first += cut;
      auto after = head;
      after.count = 99 - cut;
      after.data.first += cut + 1;
      // With inexact inputs the order must be the same too: digest the right bytes directly.
      const auto output = right_output<T>(whole);
      const auto part = [&](const Call& of, std::int64_t from) {
        return judge(of, 0,
                     std::vector<T>(output.begin() + from, output.begin() + from + of.count));
      };
      EXPECT_EQ(part(head, 0).wrong, 0);
      EXPECT_EQ(part(tail, cut).wrong, 0);
      EXPECT_EQ(part(after, cut + 1).wrong, 0);
      EXPECT_EQ(part(head, 0).digests.whole, digests.head);
      EXPECT_EQ(part(tail, cut).digests.whole, digests.tail);
      EXPECT_EQ(part(after, cut + 1).digests.whole, digests.after);
    }
  });
}

TEST_P(RelatedData, RotationMovesInputsBetweenRanksOnly) {
  for_dtype(reduction().dtype, [&]<class T>() {
    const auto plain = call(50);
    auto rotated = plain;
    rotated.data.rotate = 7;
    for (int p = 0; p < 5; ++p) {
      const auto moved = inputs_at<T>(rotated, p);
      const auto from = inputs_at<T>(plain, (p + 7) % 5);
      EXPECT_EQ(std::memcmp(moved.data(), from.data(), sizeof(T) * 50), 0);
    }
    const auto output = right_output<T>(plain);
    EXPECT_EQ(judge(rotated, 0, output).wrong, 0);
    if (judge(plain, 0, output).exact) {
      EXPECT_EQ(digests_of<T>(plain), digests_of<T>(rotated));
    }
  });
}

TEST_P(RelatedData, ScalingIsUndoneInTheDigests) {
  for_dtype(reduction().dtype, [&]<class T>() {
    const auto plain = call(60);
    for (const int scale : {1, 3, 8}) {
      auto scaled = plain;
      scaled.data.scale = scale;
      const auto output = right_output<T>(scaled);
      const auto evidence = judge(scaled, 0, output);
      EXPECT_EQ(evidence.wrong, 0);
      if (!evidence.exact) continue;
      EXPECT_EQ(evidence.digests.whole, digests_of<T>(plain).whole);
      const bool changes = output != right_output<T>(plain);
      EXPECT_EQ(changes, can_scale(plain));
    }
  });
}

TEST_P(RelatedData, AlteringChangesTheCutOnly) {
  for_dtype(reduction().dtype, [&]<class T>() {
    for (const std::int64_t cut : {0, 30, 59, 5000}) {
      auto plain = call(cut < 60 ? 60 : 9000, 3);
      plain.cut = cut;
      auto altered = plain;
      altered.data.altered = true;
      int changed = 0;
      for (int p = 0; p < 3; ++p) {
        const auto a = inputs_at<T>(plain, p);
        const auto b = inputs_at<T>(altered, p);
        for (std::size_t i = 0; i < a.size(); ++i) {
          if (bits_of(a[i]) == bits_of(b[i])) continue;
          ++changed;
          ASSERT_EQ(i, static_cast<std::size_t>(cut));
        }
      }
      EXPECT_TRUE(changed > 0 || traits_of(reduction().op).kind != OpClass::arithmetic);
      const auto output = right_output<T>(altered);
      EXPECT_EQ(judge(altered, 0, output).wrong, 0);
      // Elements beside the cut have the same answers.
      auto mixed = right_output<T>(plain);
      mixed[static_cast<std::size_t>(cut)] = output[static_cast<std::size_t>(cut)];
      EXPECT_EQ(judge(altered, 0, mixed).wrong, 0);
    }
  });
}

TEST_P(RelatedData, RemovingARankLeavesTheOthersInputs) {
  for_dtype(reduction().dtype, [&]<class T>() {
    const auto all = call(80, 6);
    auto fewer = all;
    fewer.ids = {0, 1, 3, 4};
    const std::vector<int> before = {0, 1, 3, 4};
    for (int p = 0; p < 4; ++p) {
      const auto a = inputs_at<T>(all, before[static_cast<std::size_t>(p)]);
      const auto b = inputs_at<T>(fewer, p);
      EXPECT_EQ(std::memcmp(a.data(), b.data(), sizeof(T) * 80), 0);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, RelatedData,
                         testing::Combine(testing::ValuesIn(all_reductions()),
                                          testing::Values(Family::ramp, Family::closed,
                                                          Family::free, Family::special)));

TEST(Families, RampIsWhatAPersonCanCheck) {
  auto call = call_with({Dtype::int32, Op::sum}, Family::ramp, 2, 3);
  EXPECT_EQ(inputs_at<std::int32_t>(call, 0), (std::vector<std::int32_t>{1, 11, 21}));
  EXPECT_EQ(inputs_at<std::int32_t>(call, 1), (std::vector<std::int32_t>{3, 13, 23}));
  call.data.first = 2;
  EXPECT_EQ(inputs_at<std::int32_t>(call, 1), (std::vector<std::int32_t>{23, 33, 43}));
  call.dtype = Dtype::int8;
  call.data.first = 13;
  EXPECT_EQ(inputs_at<std::int8_t>(call, 0).front(), static_cast<std::int8_t>(131));
}

TEST(Families, TilesRepeatAfterThePeriod) {
  for (const Family family : {Family::ramp, Family::closed, Family::free, Family::special}) {
    const auto call = call_with({Dtype::float64, Op::sum}, family, 3, 3 * kTilePeriod + 10);
    const auto inputs = inputs_at<double>(call, 2);
    for (std::size_t i = kTilePeriod; i < inputs.size(); ++i) {
      ASSERT_EQ(bits_of(inputs[i]), bits_of(inputs[i - kTilePeriod])) << name_of(family) << i;
    }
    std::set<std::uint64_t> different;
    for (std::size_t i = 0; i < kTilePeriod; ++i) different.insert(bits_of(inputs[i]));
    EXPECT_GT(different.size(), 3000u) << name_of(family);
  }
}

TEST(Families, FreeFloatsNeverLeaveTheirRange) {
  RandomStream random(9);
  for (const Op op : {Op::sum, Op::prod}) {
    for (const int ranks : {3, 8, 16, 100, 4096}) {
      auto call = call_with({Dtype::float32, op}, Family::free, ranks, 20, random.next());
      call.data.scale = op == Op::sum ? 30 : 0;
      for (auto inputs : inputs_by_element<float>(call)) {
        for (float& x : inputs) x = std::abs(x);
        float largest = inputs[0];
        for (std::size_t r = 1; r < inputs.size(); ++r) largest = combined(op, largest, inputs[r]);
        ASSERT_TRUE(std::isfinite(largest)) << ranks;
        ASSERT_GE(largest, std::numeric_limits<float>::min());
      }
    }
  }
}

}  // namespace
}  // namespace allprove::oracle
