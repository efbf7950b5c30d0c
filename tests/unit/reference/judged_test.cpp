// The reference judged by the oracle, neither of which knows the other: random programs over all
// collectives, modes, places, counts and layouts, with threads in the place of the ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>
#include <thread>

#include "backends/reference/reduce.h"
#include "backends/reference/reference_backend.h"
#include "framework/base/enum_table.h"
#include "framework/base/random.h"
#include "framework/model/blocks.h"
#include "framework/model/use.h"
#include "framework/model/user_operator.h"
#include "framework/run/worker/executor.h"
#include "framework/search/group.h"

namespace allprove::reference {
namespace {

Layout draw_layout(RandomStream& random) {
  Layout layout;
  if (random.chance(1, 2)) return layout;
  layout.kind = static_cast<LayoutKind>(random.between(1, 6));
  layout.items = random.between(0, 4);
  layout.gap = static_cast<int>(random.below(4));
  layout.seed = random.next();
  if (random.chance(1, 2)) layout.ranks = random.next();
  return layout;
}

// Half of them of plain numbers, which are reduced by sum or maximum.
void draw_type(RandomStream& random, Operation& operation) {
  const Dtype plain[] = {Dtype::int8, Dtype::uint16, Dtype::int32, Dtype::float32, Dtype::float64};
  operation.dtype = plain[random.below(std::size(plain))];
  operation.op = random.chance(1, 2) ? Op::sum : Op::max;
  if (random.chance(1, 2)) return;
  do {
    operation.dtype = static_cast<Dtype>(random.below(names_of<Dtype>().size()));
    operation.op = static_cast<Op>(random.below(names_of<Op>().size()));
  } while (operation.op == Op::avg || !traits_of(operation.dtype).runs ||
           !is_legal(operation.op, operation.dtype));
}

// Of a call by a user-defined operator, which has one data type for both buffers.
void limit_to_operands(RandomStream& random, Operation& operation) {
  const int width = width_of(operation.op);
  for (auto& extent : operation.shape) extent *= width;
  for (auto& count : operation.counts) count *= width;
  operation.holes *= width;
  operation.send_layout = draw_layout(random);
  operation.send_layout.items *= width;
  operation.send_layout.ranks = Layout{}.ranks;
  operation.receive_layout = operation.send_layout;
}

Operation draw_call_anywhere(RandomStream& random) {
  Operation operation;
  operation.collective = static_cast<Collective>(random.below(names_of<Collective>().size()));
  operation.mode = static_cast<Mode>(random.below(3));
  draw_type(random, operation);
  operation.shape = {random.chance(1, 20) ? 40'000 : random.between(0, 12)};
  operation.root = static_cast<int>(random.below(6));
  operation.skew = static_cast<int>(random.below(4));
  operation.data = {Family::closed, random.next()};
  const auto traits = traits_of(operation.collective);
  operation.in_place = traits.can_in_place && random.chance(1, 3);
  if (traits.irregular) {
    for (auto left = random.below(8); left > 0; --left) {
      operation.counts.push_back(random.between(0, 6));
    }
    operation.holes = static_cast<int>(random.below(3));
    operation.order = random.below(3);
  }
  if (traits.moves_data && !traits.reduces) {
    operation.send_layout = draw_layout(random);
    operation.receive_layout = draw_layout(random);
  }
  if (has_user_operator(operation.collective, operation.op)) limit_to_operands(random, operation);
  return operation;
}

// On a group that has such calls.
Operation draw_call(RandomStream& random, const std::vector<Group>& groups) {
  for (;;) {
    auto operation = draw_call_anywhere(random);
    operation.group = static_cast<int>(random.below(groups.size()));
    if (may_run_on(groups[static_cast<std::size_t>(operation.group)], operation)) return operation;
  }
}

Operation completion(OperationKind kind, int request = -1) {
  Operation operation;
  operation.kind = kind;
  operation.request = request;
  return operation;
}

// Calls, requests that overlap, and persistent ones that are started three times.
std::vector<Operation> draw_program(RandomStream& random, const std::vector<Group>& groups) {
  std::vector<Operation> program;
  for (int i = 0; i < 6; ++i) program.push_back(draw_call(random, groups));
  for (int request = 0; request < 3; ++request) {
    auto start = draw_call(random, groups);
    start.kind = OperationKind::start;
    start.request = request;
    start.mode = request == 0 ? Mode::persistent : Mode::nonblocking;
    program.push_back(start);
  }
  const auto persistent = program[program.size() - 3];
  const auto all = random.chance(1, 2) ? OperationKind::wait_all : OperationKind::wait_some;
  program.push_back(completion(OperationKind::test, 1));
  program.push_back(completion(all));
  for (int again = 0; again < 2; ++again) {
    program.push_back(persistent);
    program.back().data.seed = random.next();
    program.push_back(completion(again == 0 ? OperationKind::wait : all, 0));
  }
  return program;
}

Case draw_case(RandomStream& random, int ranks) {
  Case test_case;
  test_case.ranks = ranks;
  test_case.groups.push_back({GroupKind::duplicate, {}});
  if (ranks > 2) test_case.groups.push_back({GroupKind::split, {{2, 0}, {1}}});
  for (auto entry = kCartesianGroups.first; entry < kInterGroups.first + kInterGroups.count;
       entry += 1 + random.below(4)) {
    test_case.groups.push_back(pooled_group(entry, ranks, random));
  }
  test_case.program = draw_program(random, test_case.groups);
  return test_case;
}

// One rank's results of the cases; empty where the reference could not be started.
Results run_rank(int arena, PositionBoard& board, int rank, const std::vector<Case>& cases) {
  ReferenceBackend backend;
  const int ranks = cases.front().ranks;
  if (!backend.start(WorldPlace{rank, ranks, UniqueFd(dup(arena))})) return {};
  Executor executor(backend, board, rank, ranks);
  Batch batch;
  batch.first_number = 1;
  batch.cases = cases;
  auto results = executor.run(batch);
  backend.finish();
  return results;
}

std::vector<Results> run_world(const std::vector<Case>& cases) {
  const int ranks = cases.front().ranks;
  UniqueFd arena(memfd_create("allprove-test", MFD_CLOEXEC));
  EXPECT_EQ(ftruncate(arena.get(), off_t{64} << 20), 0);
  auto board = std::move(*PositionBoard::create(ranks));
  std::vector<Results> results(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      results[static_cast<std::size_t>(rank)] = run_rank(arena.get(), board, rank, cases);
    });
  }
  for (auto& thread : threads) thread.join();
  return results;
}

// Calls that were judged, by collective and mode.
using Judged = std::map<std::pair<Collective, Mode>, int>;

void expect_right(const Case& test_case, int rank, const CaseResult& result, Judged& judged) {
  ASSERT_EQ(result.skipped, "");
  for (std::size_t i = 0; i < test_case.program.size(); ++i) {
    const auto& evidence = result.operations.at(i).evidence;
    const auto& operation = test_case.program[i];
    EXPECT_EQ(evidence.wrong + evidence.input_changed + evidence.guard_changed, 0)
        << "rank " << rank << " of " << describe(test_case, operation);
    if (evidence.checked) ++judged[{operation.collective, operation.mode}];
  }
}

TEST(ReferenceJudged, EveryCollectiveInEveryModeLeavesWhatTheOracleExpects) {
  RandomStream random(2024);
  Judged judged;
  for (const int ranks : {1, 2, 3, 5}) {
    std::vector<Case> cases;
    for (int i = 0; i < 120; ++i) {
      cases.push_back(draw_case(random, ranks));
      ASSERT_TRUE(validate(cases.back())) << validate(cases.back()).error().message;
    }
    const auto results = run_world(cases);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto& of_rank = results[static_cast<std::size_t>(rank)].cases;
      ASSERT_EQ(of_rank.size(), cases.size());
      for (std::size_t i = 0; i < cases.size(); ++i) {
        expect_right(cases[i], rank, of_rank[i], judged);
      }
    }
  }
  EXPECT_EQ(judged.size(), 21u * 3u) << "all that move data";
}

}  // namespace
}  // namespace allprove::reference
