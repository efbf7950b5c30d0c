// What the oracle costs, as JSON lines: large buffers against memcpy of as many bytes in the same
// run, and small calls in nanoseconds. Measures, never judges.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "framework/base/clock.h"
#include "framework/base/enum_table.h"
#include "framework/base/random.h"
#include "framework/oracle/oracle.h"

namespace allprove {
namespace {

constexpr std::byte kBefore{0xa5};

// Runs all of `parts` in turn, `rounds` times over; returns for each the shortest time in ns.
std::vector<double> shortest_ns(int rounds, const std::vector<std::function<void(int)>>& parts) {
  std::vector<double> shortest(parts.size(), 1e300);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto begin = now_ns();
      parts[i](round);
      shortest[i] = std::min(shortest[i], static_cast<double>(now_ns() - begin));
    }
  }
  return shortest;
}

template <class T>
T added(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

// The sum of all positions' inputs in rank order.
std::vector<std::byte> summed(Oracle& oracle, const Call& call) {
  const auto size = static_cast<std::size_t>(call.count) * size_of(call.dtype);
  std::vector<std::byte> sum(size);
  std::vector<std::byte> input(size);
  oracle.begin(call);
  oracle.fill_input(0, sum.data());
  for_dtype(call.dtype, [&]<class T>() {
    for (int p = 1; p < static_cast<int>(call.ids.size()); ++p) {
      oracle.fill_input(p, input.data());
      for (std::size_t at = 0; at < size; at += sizeof(T)) {
        T a;
        T b;
        std::memcpy(&a, &sum[at], sizeof(T));
        std::memcpy(&b, &input[at], sizeof(T));
        a = added(a, b);
        std::memcpy(&sum[at], &a, sizeof(T));
      }
    }
  });
  return sum;
}

Call call_of(Dtype dtype, Family family, std::int64_t bytes, std::uint64_t seed) {
  Call call;
  call.dtype = dtype;
  call.count = bytes / static_cast<std::int64_t>(size_of(dtype));
  call.data.family = family;
  call.data.seed = seed;
  call.ids = {0, 1, 2, 3};
  return call;
}

void expect_right(const Evidence& evidence) {
  if (evidence.wrong != 0 || evidence.input_changed != 0) {
    throw InternalError("internal error: the benchmark's own sum is judged wrong");
  }
}

void measure_large(Dtype dtype, std::int64_t bytes, int rounds) {
  Oracle oracle;
  const Call call = call_of(dtype, Family::closed, bytes, 7);
  const auto output = summed(oracle, call);
  std::vector<std::byte> input(output.size());
  std::vector<std::byte> copy(output.size());
  Evidence evidence;
  const auto times =
      shortest_ns(rounds, {[&](int) { std::memcpy(copy.data(), output.data(), output.size()); },
                           [&](int) {
                             oracle.begin(call);
                             oracle.fill_input(1, input.data());
                           },
                           [&](int) { oracle.judge_output(1, output.data(), kBefore, evidence); },
                           [&](int) { oracle.judge_input(1, input.data(), evidence); }});
  expect_right(evidence);
  const auto size = static_cast<double>(bytes);
  fmt::print(
      "{{\"bench\":\"oracle_large\",\"dtype\":\"{}\",\"bytes\":{},\"memcpy_gb_s\":{:.2f},"
      "\"fill_gb_s\":{:.2f},\"judge_gb_s\":{:.2f},\"judge_input_gb_s\":{:.2f},"
      "\"fill_and_judge_of_memcpy\":{:.3f}}}\n",
      name_of(dtype), bytes, size / times[0], size / times[1], size / times[2], size / times[3],
      times[0] / (times[1] + times[2]));
}

void measure_small(Dtype dtype, Family family, std::int64_t bytes, int rounds) {
  constexpr std::size_t kSeeds = 16;
  Oracle oracle;
  std::vector<Call> calls;
  std::vector<std::vector<std::byte>> outputs;
  for (std::size_t seed = 0; seed < kSeeds; ++seed) {
    calls.push_back(call_of(dtype, family, bytes, seed));
    outputs.push_back(summed(oracle, calls.back()));
  }
  std::vector<std::byte> input(outputs[0].size());
  Evidence evidence;
  constexpr int kBatch = 64;
  const auto times = shortest_ns(rounds, {[&](int) {
                                   for (int i = 0; i < kBatch; ++i) {
                                     const auto k = static_cast<std::size_t>(i) % kSeeds;
                                     oracle.begin(calls[k]);
                                     oracle.fill_input(1, input.data());
                                     oracle.judge_output(1, outputs[k].data(), kBefore, evidence);
                                     oracle.judge_input(1, input.data(), evidence);
                                     expect_right(evidence);
                                   }
                                 }});
  fmt::print(
      "{{\"bench\":\"oracle_small\",\"dtype\":\"{}\",\"family\":\"{}\",\"ranks\":4,\"bytes\":{},"
      "\"ns\":{:.0f}}}\n",
      name_of(dtype), name_of(family), bytes, times[0] / kBatch);
}

}  // namespace
}  // namespace allprove

int main() {
  using namespace allprove;
  constexpr std::array kDtypes = {Dtype::float32, Dtype::int32, Dtype::int8, Dtype::float64};
  for (const Dtype dtype : kDtypes) measure_large(dtype, std::int64_t{16} << 20, 30);
  for (const Family family : {Family::closed, Family::free, Family::special, Family::ramp}) {
    for (const Dtype dtype : kDtypes) {
      for (const std::int64_t bytes : {8, 256, 4096}) measure_small(dtype, family, bytes, 100);
    }
  }
  return 0;
}
