// The algorithms that the MPI backends offer: they give right results, they are really used, and
// they last for the operation that asked alone.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "framework/base/enum_table.h"
#include "tests/functional/mpi/mpi_world.h"

namespace allprove {
namespace {

using testing::Contains;
using testing::Not;

Operation by(Operation operation, const std::string& algorithm) {
  operation.algorithm = {1, algorithm};
  return operation;
}

// Inexact sums: their bits tell the order of the additions.
Operation telling_sum(Mode mode) {
  auto operation = all_reduce(1000, Dtype::float64);
  operation.mode = mode;
  operation.data.family = Family::free;
  operation.data.seed = 7;
  return operation;
}

std::uint64_t bits(const History& history, std::size_t operation) {
  return history.ranks[0].operations[operation].evidence.digests.whole;
}

using AlgorithmsTest = EveryMpi;
ALLPROVE_FOR_EVERY_MPI(AlgorithmsTest);

TEST_P(AlgorithmsTest, offers_names_and_not_the_librarys_own_choice) {
  MpiWorld world(backend(), 1);
  const auto names = world.algorithms(Collective::all_reduce, Mode::blocking);
  EXPECT_THAT(names, Contains("recursive_doubling"));
  for (const auto& list : world.ready().algorithms) {
    EXPECT_THAT(list.names, Not(Contains("ignore")));
    EXPECT_THAT(list.names, Not(Contains("auto")));
    EXPECT_THAT(list.names, Not(Contains("sched_auto")));
  }
}

TEST_P(AlgorithmsTest, each_is_right_at_each_size) {
  for (const int ranks : {2, 5}) {
    MpiWorld world(backend(), ranks);
    for (const auto& list : world.ready().algorithms) {
      for (const auto& name : list.names) {
        if (name == "two_proc" && ranks != 2) continue;
        std::vector<Operation> program;
        for (const std::int64_t count : {0, 1, 3, 64, 1000}) {
          auto operation = by(all_reduce(count), name);
          operation.collective = list.collective;
          operation.mode = list.mode;
          program.push_back(operation);
        }
        expect_right(world.run(program),
                     fmt::format("{} ranks, {} {} by {}", ranks, name_of(list.mode),
                                 name_of(list.collective), name));
      }
    }
  }
}

// Also where the choice belongs to a communicator: another is then made for the own choice.
TEST_P(AlgorithmsTest, a_choice_changes_that_operation_alone) {
  MpiWorld world(backend(), 5);
  const auto mode = backend() == "openmpi" ? Mode::blocking : Mode::nonblocking;
  const auto ring = backend() == "openmpi" ? "ring" : "tsp_ring";
  const auto on_world = telling_sum(mode);
  auto on_duplicate = on_world;
  on_duplicate.group = 1;
  const auto history = world.run({on_world, by(on_duplicate, ring), on_duplicate},
                                 {{GroupKind::world, {}}, {GroupKind::duplicate, {}}});
  EXPECT_NE(bits(history, 1), bits(history, 0));
  EXPECT_EQ(bits(history, 2), bits(history, 0));
}

TEST(OpenMpiAlgorithms, libnbc_reads_the_choice_in_the_call) {
  if (!make_target("openmpi", {})) GTEST_SKIP() << "Open MPI's worker was not built";
  MpiWorld world("openmpi", 5);
  const auto own = telling_sum(Mode::nonblocking);
  const auto history = world.run({own, by(own, "ring"), own});
  EXPECT_NE(bits(history, 1), bits(history, 0));
  EXPECT_EQ(bits(history, 2), bits(history, 0));
}

TEST(OpenMpiAlgorithms, blocking_ones_are_not_offered_where_they_would_be_ignored) {
  if (!make_target("openmpi", {})) GTEST_SKIP() << "Open MPI's worker was not built";
  MpiWorld world("openmpi", 1, {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "0"}});
  EXPECT_TRUE(world.algorithms(Collective::all_reduce, Mode::blocking).empty());
  EXPECT_FALSE(world.algorithms(Collective::all_reduce, Mode::nonblocking).empty());
}

TEST(OpenMpiAlgorithms, dynamic_rules_leave_the_own_choice_as_it_is) {
  if (!make_target("openmpi", {})) GTEST_SKIP() << "Open MPI's worker was not built";
  const std::vector<Operation> program = {telling_sum(Mode::blocking)};
  MpiWorld on("openmpi", 5);
  MpiWorld off("openmpi", 5, {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "0"}});
  EXPECT_EQ(bits(on.run(program), 0), bits(off.run(program), 0));
}

TEST(OpenMpiAlgorithms, two_proc_is_for_two) {
  if (!make_target("openmpi", {})) GTEST_SKIP() << "Open MPI's worker was not built";
  MpiWorld world("openmpi", 3);
  Operation barrier;
  barrier.collective = Collective::barrier;
  EXPECT_EQ(world.run({by(barrier, "two_proc")}).skipped,
            "algorithm 'two_proc' is for two ranks only");
}

// Told by the library itself to fail where it would take another algorithm.
TEST(MpichAlgorithms, the_library_sees_the_choice_of_a_blocking_call) {
  if (!make_target("mpich", {})) GTEST_SKIP() << "MPICH's worker was not built";
  MpiWorld world("mpich", 4, {{"MPIR_CVAR_COLLECTIVE_FALLBACK", "error"}});
  expect_right(world.run({by(all_reduce(4), "reduce_scatter_allgather")}), "enough elements");
  const auto history = world.run({by(all_reduce(1), "reduce_scatter_allgather")});
  EXPECT_NE(history.ranks[0].operations[0].code, 0);
}

}  // namespace
}  // namespace allprove
