// The MPI backends on real libraries: everything they say they can run gives the right result.
#include "framework/base/enum_table.h"
#include "tests/functional/mpi/mpi_world.h"

namespace allprove {
namespace {

using BackendTest = EveryMpi;
ALLPROVE_FOR_EVERY_MPI(BackendTest);

TEST_P(BackendTest, says_which_library_it_is) {
  MpiWorld world(backend(), 2);
  EXPECT_EQ(world.ready().library, backend() == "openmpi" ? "Open MPI" : "MPICH");
  EXPECT_TRUE(std::isdigit(world.ready().version.at(0))) << world.ready().version;
  EXPECT_EQ(world.ready().size, 2);
}

TEST_P(BackendTest, grants_the_thread_level_that_was_asked_for) {
  EXPECT_EQ(
      MpiWorld(backend(), 1, {{"ALLPROVE_MPI_THREAD_LEVEL", "multiple"}}).ready().thread_level,
      "multiple");
}

// Few and small elements: the known failures of these libraries need more or larger ones.
TEST_P(BackendTest, every_type_and_operator_in_every_way_to_call_it_is_right) {
  MpiWorld world(backend(), 3);
  for (int d = 0; d < static_cast<int>(names_of<Dtype>().size()); ++d) {
    const auto dtype = static_cast<Dtype>(d);
    if (!traits_of(dtype).runs) continue;
    std::vector<Operation> program;
    for (int o = 0; o < static_cast<int>(names_of<Op>().size()); ++o) {
      const auto op = static_cast<Op>(o);
      if (op == Op::avg || !is_legal(op, dtype)) continue;
      for (const auto mode : {Mode::blocking, Mode::nonblocking}) {
        for (const bool in_place : {false, true}) {
          auto operation = all_reduce(4, dtype, op);
          operation.mode = mode;
          operation.in_place = in_place;
          program.push_back(operation);
        }
      }
    }
    expect_right(world.run(program), std::string(name_of(dtype)));
  }
}

TEST_P(BackendTest, broadcast_and_barrier_are_right_from_every_root) {
  MpiWorld world(backend(), 4);
  for (const auto mode : {Mode::blocking, Mode::nonblocking}) {
    std::vector<Operation> program;
    for (int root = 0; root < 4; ++root) {
      auto broadcast = all_reduce(37, Dtype::float64);
      broadcast.collective = Collective::broadcast;
      broadcast.mode = mode;
      broadcast.root = root;
      program.push_back(broadcast);
      Operation barrier;
      barrier.collective = Collective::barrier;
      barrier.mode = mode;
      program.push_back(barrier);
    }
    expect_right(world.run(program), std::string(name_of(mode)));
  }
}

TEST_P(BackendTest, started_calls_complete_by_wait_and_by_test) {
  MpiWorld world(backend(), 3);
  auto first = all_reduce(5);
  first.kind = OperationKind::start;
  first.mode = Mode::nonblocking;
  first.request = 0;
  auto second = first;
  second.request = 1;
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.request = 1;
  Operation test;
  test.kind = OperationKind::test;
  test.request = 0;
  expect_right(world.run({first, second, wait, test}), "two pending");
}

TEST_P(BackendTest, every_kind_of_communicator_holds_the_right_ranks) {
  MpiWorld world(backend(), 5);
  const std::vector<Group> groups = {
      {GroupKind::world, {}},
      {GroupKind::duplicate, {}},
      {GroupKind::split, {{0, 1, 2}, {3, 4}}},
      {GroupKind::split, {{0, 2, 4}, {1, 3}}},
      {GroupKind::split, {{4, 3, 2, 1, 0}}},
      {GroupKind::split, {{3, 1}}},  // three ranks are in no part
      {GroupKind::split, {{2}}},
      {GroupKind::create, {{4, 0, 2}}},
      {GroupKind::cartesian, {}, {{5}, {1}, {}, true}},
      {GroupKind::cartesian, {{3, 0, 4, 1}}, {{2, 2}, {0, 1}, {}}},
      {GroupKind::cartesian, {{2}}, {{1, 1, 1}, {1, 0, 1}, {}}},
      {GroupKind::graph, {}, {{}, {}, {{1}, {2, 2}, {2}, {0}, {}}, true}},
      {GroupKind::graph, {{4, 2}}, {{}, {}, {{1, 1}, {}}}},
  };
  std::vector<Operation> program;
  for (int group = 0; group < static_cast<int>(groups.size()); ++group) {
    auto sum = all_reduce(7, Dtype::int64);
    sum.group = group;
    program.push_back(sum);
    // Who has which position shows in a broadcast alone.
    sum.collective = Collective::broadcast;
    sum.root = 1;
    program.push_back(sum);
  }
  expect_right(world.run(program, groups), "all groups");
}

TEST_P(BackendTest, says_why_it_cannot_run_an_operation) {
  MpiWorld world(backend(), 3);
  EXPECT_EQ(world.run({all_reduce(1, Dtype::float16)}).skipped, "dtype float16 is not driven yet");
  auto unknown = all_reduce(1);
  unknown.algorithm = {1, "no such algorithm"};
  EXPECT_NE(world.run({unknown}).skipped, "");
}

}  // namespace
}  // namespace allprove
