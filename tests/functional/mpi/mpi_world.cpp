#include "tests/functional/mpi/mpi_world.h"

#include <fmt/format.h>

#include "framework/run/target.h"

namespace allprove {

MpiWorld::MpiWorld(const std::string& backend, int ranks, const Environment& extra)
    : ranks_(ranks) {
  settings_.directory = choose_run_directory();
  settings_.log_directory = settings_.directory / "logs";
  settings_.run_id = make_run_id();
  janitor_.emplace(Janitor::start(settings_.directory, settings_.run_id).value());
  auto world = World::launch(make_target(backend, extra).value(), ranks, settings_);
  if (!world) throw std::runtime_error(to_line(world.error()));
  world_ = std::move(*world);
}

MpiWorld::~MpiWorld() {
  const auto ended = world_->end();
  EXPECT_TRUE(ended) << to_line(ended.error());
  EXPECT_TRUE(janitor_->finish(Deadline::after(Milliseconds(5000))));
}

std::vector<std::string> MpiWorld::algorithms(Collective collective, Mode mode) const {
  for (const auto& list : ready().algorithms) {
    if (list.collective == collective && list.mode == mode) return list.names;
  }
  return {};
}

History MpiWorld::run(std::vector<Operation> program, std::vector<Group> groups) {
  Case test_case;
  test_case.ranks = ranks_;
  test_case.groups = std::move(groups);
  test_case.program = std::move(program);
  const auto valid = validate(test_case);
  EXPECT_TRUE(valid) << to_line(valid.error());
  auto report = run_batch(*world_, std::span(&test_case, 1), settings_, {});
  EXPECT_FALSE(report.broken) << report.histories.back().diagnosis
                              << report.histories.back().trouble.value_or("");
  return report.histories.back();
}

BatchReport MpiWorld::run_batch_of(const std::vector<Case>& cases) {
  return run_batch(*world_, cases, settings_, {});
}

Operation all_reduce(std::int64_t count, Dtype dtype, Op op) {
  Operation operation;
  operation.shape = {count};
  operation.dtype = dtype;
  operation.op = op;
  return operation;
}

void expect_right(const History& history, const std::string& what) {
  EXPECT_EQ(history.skipped, "") << what;
  for (std::size_t rank = 0; rank < history.ranks.size(); ++rank) {
    for (std::size_t i = 0; i < history.ranks[rank].operations.size(); ++i) {
      SCOPED_TRACE(fmt::format("{}: rank {}, operation {}", what, rank, i));
      const auto& record = history.ranks[rank].operations[i];
      EXPECT_EQ(record.code, 0) << record.message;
      EXPECT_EQ(record.evidence.wrong, 0);
      EXPECT_EQ(record.evidence.input_changed, 0);
      EXPECT_EQ(record.evidence.guard_changed, 0);
    }
  }
}

void EveryMpi::SetUp() {
  if (const auto target = make_target(backend(), {}); !target)
    GTEST_SKIP() << to_line(target.error());
}

Environment preload_shim(const std::string& backend, const std::string& bug) {
  return {{"LD_PRELOAD", fmt::format("{}/libmpi_test_shim_{}.so", ALLPROVE_SHIMS, backend)},
          {"ALLPROVE_TEST_SHIM", bug}};
}

}  // namespace allprove
