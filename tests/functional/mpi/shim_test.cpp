// Bugs planted into the library from outside reach the buffers that the backend checks.
#include "tests/functional/mpi/mpi_world.h"

namespace allprove {
namespace {

using ShimTest = EveryMpi;
ALLPROVE_FOR_EVERY_MPI(ShimTest);

const std::vector<Group> kWorldAndDuplicate = {{GroupKind::world, {}}, {GroupKind::duplicate, {}}};

std::vector<Operation> on_both_groups() {
  auto on_duplicate = all_reduce(3);
  on_duplicate.group = 1;
  return {all_reduce(3), on_duplicate};
}

std::int64_t wrong(const History& history, std::size_t operation) {
  return history.ranks[0].operations[operation].evidence.wrong;
}

TEST_P(ShimTest, a_preloaded_shim_sees_the_calls) {
  MpiWorld world(backend(), 2, preload_shim(backend(), "wrong"));
  EXPECT_EQ(wrong(world.run({all_reduce(3)}), 0), 1);
}

TEST_P(ShimTest, a_shim_without_a_bug_changes_nothing) {
  MpiWorld world(backend(), 2, preload_shim(backend(), "none"));
  expect_right(world.run({all_reduce(3)}), "no bug");
}

TEST_P(ShimTest, the_world_is_not_a_duplicate_of_it) {
  MpiWorld world(backend(), 2, preload_shim(backend(), "wrong_off_the_world"));
  const auto history = world.run(on_both_groups(), kWorldAndDuplicate);
  EXPECT_EQ(wrong(history, 0), 0);
  EXPECT_EQ(wrong(history, 1), 1);
}

TEST_P(ShimTest, calls_of_a_second_thread_come_from_one) {
  auto environment = preload_shim(backend(), "wrong_off_the_main_thread");
  environment.emplace_back(kThreadLevelVariable, "multiple");
  MpiWorld world(backend(), 3, environment);
  auto program = on_both_groups();
  program[1].thread = 1;
  const auto history = world.run(program, kWorldAndDuplicate);
  EXPECT_EQ(wrong(history, 0), 0);
  EXPECT_EQ(wrong(history, 1), 1);
}

TEST_P(ShimTest, several_threads_need_a_library_that_takes_them) {
  MpiWorld world(backend(), 2);
  Case test_case;
  test_case.ranks = 2;
  test_case.groups = kWorldAndDuplicate;
  test_case.program = on_both_groups();
  test_case.program[1].thread = 1;
  const auto history = world.run_batch_of({test_case}).histories.at(0);
  EXPECT_NE(history.skipped.find("the thread level multiple"), std::string::npos)
      << history.skipped;
}

// What a timed test would show on a quiet machine only.
TEST(MpichYield, is_between_the_library_and_ucx) {
  if (!make_target("mpich", {})) GTEST_SKIP() << "MPICH's worker was not built";
  MpiWorld world("mpich", 2, preload_shim("mpich", "wrong_without_yield"));
  expect_right(world.run({all_reduce(3)}), "yield");
}

TEST_P(ShimTest, an_error_comes_with_its_class_and_the_librarys_text) {
  MpiWorld world(backend(), 2, preload_shim(backend(), "error"));
  const auto record = world.run({all_reduce(3)}).ranks[0].operations[0];
  EXPECT_NE(record.code, 0);
  const std::string text = backend() == "openmpi" ? "MPI_ERR_OP" : "Invalid MPI_Op";
  EXPECT_NE(record.message.find(text), std::string::npos) << record.message;
}

// The others are in the next case by then, and would be taken for its victims.
TEST_P(ShimTest, an_error_of_one_rank_belongs_to_the_case_in_which_it_got_it) {
  MpiWorld world(backend(), 2, preload_shim(backend(), "late_error"));
  Case test_case;
  test_case.ranks = 2;
  test_case.program = {all_reduce(3)};
  const auto report = world.run_batch_of({test_case, test_case, test_case});
  EXPECT_TRUE(report.broken);
  EXPECT_EQ(report.broken_at, 0u);
  EXPECT_EQ(report.histories.back().outcome, Outcome::error);
  EXPECT_NE(report.histories.back().ranks[1].operations[0].code, 0);
}

History started_and_completed_by_wait_some(MpiWorld& world) {
  auto first = all_reduce(3);
  first.kind = OperationKind::start;
  first.mode = Mode::nonblocking;
  first.request = 0;
  auto second = first;
  second.request = 1;
  Operation some;
  some.kind = OperationKind::wait_some;
  return world.run({first, second, some});
}

TEST_P(ShimTest, a_request_that_is_completed_twice_is_an_error) {
  MpiWorld good(backend(), 2, preload_shim(backend(), "none"));
  expect_right(started_and_completed_by_wait_some(good), "no bug");
  MpiWorld world(backend(), 2, preload_shim(backend(), "some_again"));
  const auto record = started_and_completed_by_wait_some(world).ranks[0].operations[2];
  EXPECT_NE(record.code, 0);
  EXPECT_EQ(record.message, "MPI_Waitsome completes request 0 of 2 again, which is inactive");
}

}  // namespace
}  // namespace allprove
