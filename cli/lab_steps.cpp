// The experiments of the lab, in the order in which a student meets them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/lab.h"
#include "cli/lab_bench.h"
#include "framework/base/enum_table.h"

namespace allprove {
namespace {

constexpr Milliseconds kFaultDeadline(3000);
constexpr int kRounds = 30;

Prediction predict(std::string what, std::string expected, std::string got) {
  const bool held = expected == got;
  return {std::move(what), std::move(expected), std::move(got), held};
}

// Runs one operation and predicts its outputs.
Status show_outputs(LabBench& bench, LabStep& step, int ranks, const Operation& operation,
                    const std::string& what, const std::string& expected) {
  const auto history = bench.run(lab_case(ranks, {operation}));
  if (!history) return tl::unexpected(history.error());
  const auto got = history->outcome == Outcome::ok
                       ? outputs_text(*history, 0)
                       : std::string(name_of(history->outcome)) + ": " + history->diagnosis;
  step.predictions.push_back(predict(what, expected, got));
  return {};
}

Operation divided(Operation operation) {
  operation.divide = true;
  return operation;
}

Result<LabStep> launch_and_sum(LabBench& bench) {
  LabStep step{.title = "1-3. Two ranks hold 1 and 3; a sum all-reduce leaves 4 on both"};
  step.text = {
      "Two processes are launched. Rank r holds 2r+1: rank 0 holds 1, rank 1 holds 3.",
      "All-reduce combines the inputs of all ranks element by element with one operator and "
      "leaves the result on every rank. Prediction: the sum, 4, on both."};
  auto status = show_outputs(bench, step, 2, lab_all_reduce(Dtype::int32, 1),
                             "all_reduce(sum) on both ranks", "[4] [4]");
  if (!status) return tl::unexpected(status.error());
  return step;
}

Result<LabStep> divide_for_mean(LabBench& bench) {
  LabStep step{.title = "4. The mean needs a division that someone must do"};
  step.text = {
      "All-reduce does not average. Who wants the mean divides the sum by the number of "
      "ranks, on every rank, after the call. Prediction: 4 / 2 = 2 on both."};
  auto status = show_outputs(bench, step, 2, divided(lab_all_reduce(Dtype::int32, 1)),
                             "all_reduce(sum), then / 2", "[2] [2]");
  if (!status) return tl::unexpected(status.error());
  return step;
}

Result<LabStep> element_by_element(LabBench& bench) {
  LabStep step{.title = "5. A vector is reduced element by element"};
  step.text = {
      "Element i of rank r is now 2r+1+10i. Element i of the result depends on element i "
      "of the inputs, and on nothing else."};
  auto status =
      show_outputs(bench, step, 2, lab_all_reduce(Dtype::int32, 4),
                   "[1, 11, 21, 31] + [3, 13, 23, 33]", "[4, 24, 44, 64] [4, 24, 44, 64]");
  if (!status) return tl::unexpected(status.error());
  return step;
}

struct Timing {
  std::int64_t bytes;
  double us;
};

Result<std::vector<Timing>> sweep(LabBench& bench, std::int64_t bytes_min, std::int64_t bytes_max) {
  std::vector<Timing> timings;
  for (std::int64_t bytes = bytes_min; bytes <= bytes_max; bytes *= 4) {
    const auto us = bench.best_us(2, bytes / 4, kRounds);
    if (!us) return tl::unexpected(us.error());
    timings.push_back({bytes, *us});
  }
  return timings;
}

// Index of the first size that takes twice as long as the smallest: from there on the time is
// mostly that of moving and adding bytes. The number of sizes when there is none.
std::size_t knee_of(const std::vector<Timing>& timings) {
  std::size_t knee = timings.size();
  while (knee > 1 && timings[knee - 1].us >= 2 * timings.front().us) --knee;
  return knee;
}

void add_table(LabStep& step, const std::vector<Timing>& timings) {
  step.table = {{"bytes", "us", "MB/s", ""}};
  const auto knee = knee_of(timings);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    step.table.push_back({fmt::format("{}", timings[i].bytes), fmt::format("{:.1f}", timings[i].us),
                          fmt::format("{:.1f}", static_cast<double>(timings[i].bytes) /
                                                    std::max(timings[i].us, 1e-3)),
                          i == knee ? "<- the knee: twice the time of the smallest" : ""});
  }
}

Result<LabStep> timing(LabBench& bench) {
  LabStep step{.title = "6. Latency for small buffers, bandwidth for large ones"};
  step.text = {
      fmt::format("Every reduction starts after a barrier; the time is from the first "
                  "rank's entering to the last rank's leaving, the best of {} rounds.",
                  kRounds)};
  const auto timings = sweep(bench, 4, 4 << 20);
  if (!timings) return tl::unexpected(timings.error());
  add_table(step, *timings);
  const auto growth = timings->back().us / std::max(timings->front().us, 1e-3);
  step.predictions.push_back(
      predict("4 MiB take longer than 4 bytes", "yes", growth > 1 ? "yes" : "no"));
  step.after = {
      "These are observations of processes that share this machine's memory and cores. "
      "They are no benchmark of a network."};
  return step;
}

std::string fault_text(const History& history) {
  switch (history.outcome) {
    case Outcome::hang:
      return "time-out";
    case Outcome::error:
      return "error";
    case Outcome::crash:
      return "crash";
    default:
      break;
  }
  return std::string(name_of(history.outcome));
}

// Two calls that can't stand for each other: a sum, then a barrier.
Case two_calls() { return lab_case(2, {lab_all_reduce(Dtype::int32, 4), lab_barrier()}); }

// The same on two communicators: each call waits for the other rank.
Case two_communicators() {
  auto test_case = lab_case(2, {lab_all_reduce(Dtype::int32, 4), lab_all_reduce(Dtype::int32, 4)});
  test_case.groups.push_back({GroupKind::duplicate, {}});
  test_case.program[1].group = 1;
  return test_case;
}

Case with_fault_on_rank_1(Case test_case, FaultKind kind) {
  test_case.faults = {{.kind = kind, .rank = 1, .operation = 0}};
  return test_case;
}

Status show_fault(LabBench& bench, LabStep& step, const Case& faulty, const std::string& what) {
  const auto history = bench.run_disposable(faulty, kFaultDeadline);
  if (!history) return tl::unexpected(history.error());
  const auto got = fault_text(*history);
  // What a library does with such calls is its own affair; going through as if nothing were wrong
  // is the one thing that it cannot do here.
  step.predictions.push_back({what, "time-out or error", got, got == "time-out" || got == "error"});
  if (!history->diagnosis.empty()) step.after.push_back(history->diagnosis);
  auto restored = faulty;
  restored.faults.clear();
  const auto again = bench.run_disposable(restored, kFaultDeadline);
  if (!again) return tl::unexpected(again.error());
  step.predictions.push_back(
      predict("the order restored, in a fresh world", "ok", std::string(name_of(again->outcome))));
  return {};
}

Result<LabStep> order_mismatch(LabBench& bench) {
  LabStep step{.title = "7. One rank skips a call, then two calls change places"};
  step.text = {
      fmt::format("In a world of its own, ended after {} s at the latest, rank 1 leaves out "
                  "the all-reduce before a barrier. Then, with a call on each of two "
                  "communicators, rank 1 makes them in the other order.",
                  kFaultDeadline.count() / 1000)};
  auto status = show_fault(bench, step, with_fault_on_rank_1(two_calls(), FaultKind::skip),
                           "rank 1 skips the all-reduce");
  if (status) {
    status = show_fault(bench, step, with_fault_on_rank_1(two_communicators(), FaultKind::reorder),
                        "rank 1 calls in the other order");
  }
  if (!status) return tl::unexpected(status.error());
  return step;
}

Result<LabStep> question_three_ranks(LabBench& bench) {
  LabStep step{.title = "Question 1. Three ranks hold 1, 3 and 5: what do sum and mean leave?"};
  step.text = {"The sum is 9; divided by three ranks, the mean is 3; both on every rank."};
  auto status =
      show_outputs(bench, step, 3, lab_all_reduce(Dtype::float64, 1), "sum", "[9] [9] [9]");
  if (status) {
    status = show_outputs(bench, step, 3, divided(lab_all_reduce(Dtype::float64, 1)),
                          "sum, then / 3", "[3] [3] [3]");
  }
  if (!status) return tl::unexpected(status.error());
  return step;
}

Result<LabStep> question_training(LabBench& bench) {
  LabStep step{.title = "Question 2. Why does averaging seem automatic in a training wrapper?"};
  step.text = {
      "Because the wrapper divides: it sums the gradients by all-reduce and scales them by "
      "1 / world size, before or after. The collective alone leaves the sum. Gradients 1 "
      "and 3:"};
  auto status = show_outputs(bench, step, 2, lab_all_reduce(Dtype::float32, 1),
                             "what the collective leaves", "[4] [4]");
  if (status) {
    status = show_outputs(bench, step, 2, divided(lab_all_reduce(Dtype::float32, 1)),
                          "what the wrapper makes of it", "[2] [2]");
  }
  if (!status) return tl::unexpected(status.error());
  return step;
}

Result<LabStep> question_mismatch(LabBench& bench) {
  LabStep step{.title = "Question 3. What makes an order mismatch hang or fail?"};
  step.text = {
      "Calls on one communicator are matched by their order alone: the k-th call of a rank "
      "meets the k-th call of the others. If the calls that meet differ, or wait for each "
      "other in a circle, a rank waits for data that never comes. If they look alike, "
      "nothing hangs: the data is silently that of another call."};
  auto alike = lab_case(2, {lab_all_reduce(Dtype::int32, 1), lab_all_reduce(Dtype::int32, 1)});
  alike.program[1].data.first = 1;  // 11 and 13
  const auto faulty = with_fault_on_rank_1(alike, FaultKind::reorder);
  const auto history = bench.run_disposable(faulty, kFaultDeadline);
  if (!history) return tl::unexpected(history.error());
  step.predictions.push_back(
      predict("two alike sums, exchanged on rank 1: 1 + 13, then 11 + 3", "[14] [14], [14] [14]",
              fmt::format("{}, {}", outputs_text(*history, 0), outputs_text(*history, 1))));
  step.predictions.back().what += " (the right answers are 4 and 24)";
  auto status =
      show_fault(bench, step, with_fault_on_rank_1(two_communicators(), FaultKind::reorder),
                 "two communicators, exchanged on rank 1");
  if (!status) return tl::unexpected(status.error());
  return step;
}

Result<LabStep> question_knee(LabBench& bench) {
  LabStep step{.title = "Question 4. Which sweep of sizes shows the knee?"};
  step.text = {
      "One that reaches from buffers so small that only the latency counts to buffers so "
      "large that only the bandwidth counts. Within 4 to 64 bytes there should be none; from "
      "4 bytes to 4 MiB there is one."};
  const auto narrow = sweep(bench, 4, 64);
  if (!narrow) return tl::unexpected(narrow.error());
  const auto wide = sweep(bench, 4, 4 << 20);
  if (!wide) return tl::unexpected(wide.error());
  add_table(step, *wide);
  const auto shown = [](const std::vector<Timing>& timings) {
    return std::string(knee_of(timings) < timings.size() ? "a knee" : "none");
  };
  step.predictions.push_back(predict("4 bytes to 4 MiB", "a knee", shown(*wide)));
  // On a busy machine a short sweep can jump for other reasons; it is shown, not judged.
  step.after = {"4 to 64 bytes showed: " + shown(*narrow) +
                " (a busy machine can make one by chance; it is not judged)."};
  return step;
}

}  // namespace

bool LabStep::held() const {
  return std::all_of(predictions.begin(), predictions.end(),
                     [](const Prediction& prediction) { return prediction.held; });
}

Status run_lab_steps(WorldPool& pool, const std::function<void(const LabStep&)>& done) {
  LabBench bench(pool);
  for (const auto experiment :
       {launch_and_sum, divide_for_mean, element_by_element, timing, order_mismatch,
        question_three_ranks, question_training, question_mismatch, question_knee}) {
    auto step = experiment(bench);
    if (!step) return tl::unexpected(step.error());
    done(*step);
  }
  return {};
}

}  // namespace allprove
