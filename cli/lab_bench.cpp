#include "cli/lab_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace allprove {

Operation lab_all_reduce(Dtype dtype, std::int64_t count, Op op) {
  Operation operation;
  operation.dtype = dtype;
  operation.op = op;
  operation.shape = {count};
  operation.data.family = Family::ramp;
  return operation;
}

Operation lab_barrier() {
  Operation operation;
  operation.collective = Collective::barrier;
  return operation;
}

Case lab_case(int ranks, std::vector<Operation> program) {
  Case test_case;
  test_case.ranks = ranks;
  test_case.program = std::move(program);
  return test_case;
}

Result<History> LabBench::run(const Case& test_case) {
  auto world = pool_.warm(test_case.ranks);
  if (!world) return tl::unexpected(world.error());
  const auto deadline = pool_.settings().deadline;
  auto report = run_batch(**world, {&test_case, 1}, pool_.settings(),
                          {.samples = true, .deadline = deadline});
  if (report.interrupted) return fail(ErrorKind::interrupted, "interrupted");
  if (report.broken) {
    if (auto ended = pool_.discard(test_case.ranks); !ended) return tl::unexpected(ended.error());
  }
  auto& history = report.histories.front();
  if (history.trouble) return internal_error(*history.trouble);
  if (!history.skipped.empty()) return fail(ErrorKind::unavailable, history.skipped);
  return std::move(history);
}

Result<History> LabBench::run_disposable(const Case& test_case, Milliseconds deadline) {
  if (auto ended = pool_.discard(test_case.ranks); !ended) return tl::unexpected(ended.error());
  Case bounded = test_case;
  bounded.deadline_ms = deadline.count();
  auto history = run(bounded);
  if (auto ended = pool_.discard(test_case.ranks); !ended) return tl::unexpected(ended.error());
  return history;
}

Result<double> LabBench::best_us(int ranks, std::int64_t count, int rounds) {
  std::vector<Operation> program;
  for (int round = 0; round < rounds; ++round) {
    program.push_back(lab_barrier());
    program.push_back(lab_all_reduce(Dtype::float32, count));
  }
  const auto history = run(lab_case(ranks, std::move(program)));
  if (!history) return tl::unexpected(history.error());
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    std::int64_t first = 0;
    std::int64_t last = 0;
    for (const auto& rank : history->ranks) {
      const auto& record = rank.operations[static_cast<std::size_t>(2 * round + 1)];
      if (first == 0 || record.called_ns < first) first = record.called_ns;
      last = std::max(last, record.completed_ns);
    }
    best = std::min(best, static_cast<double>(last - first) / 1e3);
  }
  return best;
}

std::string outputs_text(const History& history, std::size_t operation) {
  std::string text;
  for (const auto& rank : history.ranks) {
    const auto& output = rank.operations[operation].evidence.output;
    text += fmt::format("{}[{}]", text.empty() ? "" : " ", fmt::join(output, ", "));
  }
  return text;
}

}  // namespace allprove
