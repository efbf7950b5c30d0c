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

}  // namespace
}  // namespace allprove
