// What a case costs in all (drawing, messages, inputs, checks, judging), against the same calls
// made bare by the same workers: the calls of the same cases, with nothing filled, checked or
// reported. Prints one JSON line per measurement. Usage: allprove-bench-cases BACKEND [ROUNDS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/examine.h"
#include "cli/session.h"
#include "framework/search/generate.h"

namespace allprove {
namespace {

constexpr int kRanks = 4;
constexpr std::size_t kBatches = 8;
constexpr std::size_t kBatch = 64;
constexpr int kBareRepeats = 5;

Space small_cases() {
  Space space;
  space.ranks = {kRanks};
  space.collectives = {Collective::all_reduce};
  // Types on which no released library is known to be wrong: a failure ends a batch early.
  space.dtypes = {Dtype::int32, Dtype::int64, Dtype::float32, Dtype::float64};
  space.bytes_max = 4096;
  space.algorithms = false;
  space.series_max = 0;
  space.large.ranks_max = 0;
  space.probes = false;
  return space;
}

// Calls on which no released library is known to be wrong, and whose operator is the library's own.
bool is_plain(const Case& test_case) {
  const auto is_plain_group = [](const Group& group) { return group.kind <= GroupKind::create; };
  const auto is_plain_call = [](const Operation& operation) {
    return operation.mode != Mode::persistent && !completes_all(operation.kind) &&
           !manages_communicator(operation.kind) && traits_of(operation.op).kind != OpClass::user;
  };
  return std::ranges::all_of(test_case.groups, is_plain_group) &&
         std::ranges::all_of(test_case.program, is_plain_call);
}

// The next plain case from number `next` on.
Case draw_plain(const Generator& generator, std::uint64_t& next) {
  for (;;) {
    auto test_case = generator.at(next++);
    if (is_plain(test_case)) return test_case;
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Seconds that it takes to draw, run and judge the cases, which are returned.
Result<double> run_checked(Examiner& examiner, const Generator& generator, std::uint64_t& next,
                           std::vector<std::vector<Case>>& batches) {
  const auto began = now_ns();
  for (std::size_t b = 0; b < kBatches; ++b) {
    auto& batch = batches.emplace_back();
    for (std::size_t i = 0; i < kBatch; ++i) batch.push_back(draw_plain(generator, next));
    std::span<const Case> rest(batch);
    while (!rest.empty()) {
      auto examined = examiner.run(rest, Milliseconds(10'000));
      if (!examined) return tl::unexpected(examined.error());
      if (examined->back().verdict == Verdict::unknown) {
        return internal_error(examined->back().reason);
      }
      rest = rest.subspan(examined->size());
    }
  }
  return static_cast<double>(now_ns() - began) / 1e9;
}

// Seconds that the calls alone take.
Result<double> run_bare(WorldPool& pool, const std::vector<std::vector<Case>>& batches) {
  std::int64_t total_ns = 0;
  for (const auto& batch : batches) {
    auto world = pool.warm(kRanks);
    if (!world) return tl::unexpected(world.error());
    const auto report =
        run_batch(**world, batch, pool.settings(), {.bare = true, .repeat = kBareRepeats});
    if (report.interrupted) return internal_error("interrupted");
    if (report.broken) {
      const auto& history = report.histories.back();
      return internal_error("a bare batch broke: " + history.trouble.value_or(history.diagnosis));
    }
    total_ns += report.worker_elapsed_ns / kBareRepeats;
  }
  return static_cast<double>(total_ns) / 1e9;
}

Status measure(const std::string& backend, int rounds) {
  Options options;
  options.ranks = std::to_string(kRanks);
  auto session = Session::begin(options);
  if (!session) return tl::unexpected(session.error());
  const auto target = make_target(backend, {});
  if (!target) return tl::unexpected(target.error());
  WorldPool pool(*target, (*session)->settings());
  const KnownFailures none;
  const auto properties = all_properties();
  Examiner examiner(
      pool, none,
      {.properties = {properties.begin(), properties.end()}, .keep_world_after_failure = true});
  const Generator generator(1, small_cases());
  std::vector<double> ratios;
  std::vector<double> checked_us;
  std::vector<double> bare_us;
  std::uint64_t next = 0;
  for (int round = 0; round <= rounds; ++round) {  // the first one warms up
    std::vector<std::vector<Case>> batches;
    const auto checked = run_checked(examiner, generator, next, batches);
    if (!checked) return tl::unexpected(checked.error());
    const auto bare = run_bare(pool, batches);
    if (!bare) return tl::unexpected(bare.error());
    if (round == 0) continue;
    constexpr double kCases = kBatches * kBatch;
    ratios.push_back(*checked / *bare);
    checked_us.push_back(*checked * 1e6 / kCases);
    bare_us.push_back(*bare * 1e6 / kCases);
  }
  fmt::print("{}\n",
             nlohmann::ordered_json{{"measure", "case"},
                                    {"backend", backend},
                                    {"ranks", kRanks},
                                    {"rounds", rounds},
                                    {"case_us", median(checked_us)},
                                    {"bare_us", median(bare_us)},
                                    {"ratio", median(ratios)},
                                    {"ratio_min", *std::min_element(ratios.begin(), ratios.end())},
                                    {"ratio_max", *std::max_element(ratios.begin(), ratios.end())}}
                 .dump());
  if (auto ended = pool.discard_all(); !ended) return ended;
  return (*session)->finish();
}

}  // namespace
}  // namespace allprove

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: allprove-bench-cases BACKEND [ROUNDS]\n");
    return 64;
  }
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 7;
  const auto status = allprove::measure(argv[1], rounds);
  if (status) return 0;
  fmt::print(stderr, "allprove-bench-cases: {}\n", to_line(status.error()));
  return status.error().kind == allprove::ErrorKind::unavailable ? 77 : 2;
}
