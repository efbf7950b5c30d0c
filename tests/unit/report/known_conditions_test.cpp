// What an entry's `when` may ask of a call.
#include <gmock/gmock.h>

#include "tests/unit/report/failing.h"

namespace allprove {
namespace {

TEST(Known, ComparesEveryConditionThatItMayName) {
  // A condition, and what the failing operation must be for it to hold.
  struct Row {
    const char* condition;
    std::function<void(Failing&)> meet;
  };
  const std::vector<Row> rows = {
      {R"({"in_place": true})", [](Failing& f) { f.operation().in_place = true; }},
      {R"({"group": ["graph"]})",
       [](Failing& f) {
         f.on({GroupKind::graph, {}, {{}, {}, {{1}, {0}, {}}}});
       }},
      {R"({"short_ring": true})",
       [](Failing& f) {
         f.on({GroupKind::cartesian, {}, {{3, 1}, {0, 1}, {}}});
       }},
      {R"({"repeated_edge": true})",
       [](Failing& f) {
         f.on({GroupKind::graph, {}, {{}, {}, {{}, {2, 0, 2}, {}}}});
       }},
      {R"({"family": ["free"]})", [](Failing& f) { f.operation().data.family = Family::free; }},
      {R"({"ranks_min": 4})", [](Failing& f) { f.test_case.ranks = 4; }},
      {R"({"ranks_max": 2})", [](Failing& f) { f.test_case.ranks = 2; }},
      {R"({"root_min": 1})", [](Failing& f) { f.operation().root = 2; }},
      {R"({"root_min": 1, "root_max": 1})", [](Failing& f) { f.operation().root = 4; }},
      {R"({"count_min": 33})", [](Failing& f) { f.operation().shape = {33}; }},
      {R"({"count_max": 31})", [](Failing& f) { f.operation().shape = {31}; }},
      {R"({"bytes_min": 64})", [](Failing& f) { f.operation().dtype = Dtype::int16; }},
      {R"({"bytes_max": 16})", [](Failing& f) { f.operation().shape = {16}; }},
      {R"({"communicator_freed": "pending"})",
       [](Failing& f) {
         f.operation().kind = OperationKind::start;
         f.operation().mode = Mode::nonblocking;
         f.operation().request = 1;
         Operation free;
         free.kind = OperationKind::comm_free;
         Operation wait;
         wait.kind = OperationKind::wait;
         wait.request = 1;
         f.test_case.program.insert(f.test_case.program.end(), {free, wait});
       }},
  };
  for (const auto& row : rows) {
    auto known = entry();
    known["when"] = Json::parse(row.condition);
    Failing failing;
    EXPECT_EQ(failing.match(known), std::nullopt) << row.condition;
    row.meet(failing);
    EXPECT_EQ(failing.match(known), "sum-saturates") << row.condition;
  }
}

TEST(Known, LooksAtThePartsOfAGroupAndNotAtTheWorld) {
  Failing failing;
  failing.test_case.groups.push_back(Group{GroupKind::split, {{0}, {1}, {2}}});
  EXPECT_EQ(failing.match(entry()), "sum-saturates");
  failing.operation().group = 1;
  EXPECT_EQ(failing.match(entry()), std::nullopt);
}

TEST(Known, TakesTheLayoutOfEitherSide) {
  auto known = entry();
  known["when"]["layout"] = {"vector", "resized"};
  Failing failing;
  EXPECT_EQ(failing.match(known), std::nullopt);
  failing.operation().receive_layout.kind = LayoutKind::vector;
  EXPECT_EQ(failing.match(known), "sum-saturates");
  failing.operation().receive_layout.kind = LayoutKind::indexed;
  EXPECT_EQ(failing.match(known), std::nullopt);
  failing.operation().send_layout.kind = LayoutKind::resized;
  EXPECT_EQ(failing.match(known), "sum-saturates");
  known["when"]["layout"] = {"dense"};
  EXPECT_EQ(failing.match(known), std::nullopt) << "both sides are to be dense";
  failing.operation().send_layout = failing.operation().receive_layout = {};
  EXPECT_EQ(failing.match(known), "sum-saturates");
}

TEST(Known, TakesAStrideOfMinusOneElement) {
  auto known = entry();
  known["when"] = {{"stride_minus_one", true}};
  Failing failing;
  EXPECT_EQ(failing.match(known), std::nullopt);
  int steps_back = 0;
  constexpr int kSeeds = 200;
  for (int seed = 0; seed < kSeeds; ++seed) {
    failing.operation().send_layout = {LayoutKind::vector, 0, 0, static_cast<std::uint64_t>(seed)};
    steps_back += failing.match(known).has_value() ? 1 : 0;
  }
  EXPECT_GT(steps_back, 0);
  EXPECT_LT(steps_back, kSeeds / 2);
  for (int seed = 0; seed < kSeeds; ++seed) {
    failing.operation().send_layout = {LayoutKind::contiguous, 0, 0,
                                       static_cast<std::uint64_t>(seed)};
    EXPECT_EQ(failing.match(known), std::nullopt);
  }
}

TEST(Known, TakesEmptyBlocksAndMembersThatGiveNothing) {
  auto known = entry();
  known["signature"]["collective"] = {"all_to_allv"};
  known["when"] = {{"empty_block", true}};
  Failing failing;
  auto& operation = failing.operation();
  operation.collective = Collective::all_to_allv;
  operation.in_place = true;
  operation.counts = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(failing.match(known), std::nullopt);
  operation.counts = {1, 0, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(failing.match(known), "sum-saturates");
  known["when"] = {{"empty_rank", true}};
  EXPECT_EQ(failing.match(known), std::nullopt);
  operation.counts = {1, 2, 0, 4, 5, 0, 0, 0, 0};  // all to and from the last
  EXPECT_EQ(failing.match(known), "sum-saturates");
}

TEST(Known, TakesTheTextOfAnError) {
  auto known = entry();
  known["signature"]["symptom"] = {"error"};
  known["when"] = {{"message", "which is inactive"}};
  Failing failing;
  failing.history.outcome = Outcome::error;
  auto& record = failing.history.ranks[2].operations[0];
  record.code = 15;
  record.message = "message truncated";
  EXPECT_EQ(failing.match(known, "completes"), std::nullopt);
  record.message = "completes request 0 again, which is inactive";
  EXPECT_EQ(failing.match(known, "completes"), "sum-saturates");
}

TEST(Known, TakesSendTypesOfDifferentSizes) {
  auto known = entry();
  known["signature"]["collective"] = {"all_gatherv"};
  known["when"] = {{"item_sizes_differ", true}};
  Failing failing;
  auto& operation = failing.operation();
  operation.collective = Collective::all_gatherv;
  operation.counts = {4, 0, 2};
  EXPECT_EQ(failing.match(known), std::nullopt);
  operation.send_layout.kind = LayoutKind::contiguous;  // a whole block is one item
  EXPECT_EQ(failing.match(known), "sum-saturates");
  operation.send_layout.items = 1;
  EXPECT_EQ(failing.match(known), std::nullopt);
  operation.counts = {4};
  operation.receive_layout = {LayoutKind::contiguous, 4, 0, 0, /*ranks=*/1};  // one receives so
  EXPECT_EQ(failing.match(known), "sum-saturates");
  operation.receive_layout.ranks = Layout{}.ranks;
  EXPECT_EQ(failing.match(known), std::nullopt);
}

TEST(Known, TellsWhatCompletesACall) {
  auto known = entry();
  known["signature"]["mode"] = {"*"};
  known["signature"]["symptom"] = {"error"};
  known["when"]["completed_by"] = {"wait_some", "test"};
  FailingTogether failing;
  EXPECT_EQ(failing.match(known, "completes", 0), "sum-saturates");
  EXPECT_EQ(failing.match(known, "completes", 2), "sum-saturates");
  failing.test_case.program[2].kind = OperationKind::wait_all;
  EXPECT_EQ(failing.match(known, "completes", 2), std::nullopt);
  failing.test_case.program.pop_back();
  EXPECT_EQ(failing.match(known, "completes", 0), std::nullopt);  // nothing does
}

TEST(Known, TellsWhatACallIsCompletedWith) {
  auto known = entry();
  known["signature"]["mode"] = {"persistent"};
  known["signature"]["symptom"] = {"error"};
  known["when"]["completed_with"] = {"nonblocking"};
  FailingTogether failing;
  EXPECT_EQ(failing.match(known, "completes", 2), "sum-saturates");
  failing.test_case.program[1].mode = Mode::persistent;
  EXPECT_EQ(failing.match(known, "completes", 2), std::nullopt);
  known["when"]["completed_with"] = {"*"};
  EXPECT_EQ(failing.match(known, "completes", 2), "sum-saturates");
  failing.test_case.program.erase(failing.test_case.program.begin() + 1);
  EXPECT_EQ(failing.match(known, "completes", 1), std::nullopt);  // alone
}

TEST(Known, CountsTheStartsOfAPersistentRequest) {
  auto known = entry();
  known["signature"]["mode"] = {"*"};
  known["when"]["restart_min"] = 1;
  Failing failing;
  auto other = failing.operation();
  other.kind = OperationKind::start;
  other.mode = Mode::persistent;
  other.request = 0;
  failing.test_case.program = {failing.operation(), other};
  const auto match = [&] {
    failing.history.ranks[1].operations[1] = failing.history.ranks[1].operations[0];
    return failing.match(known, "matches_reference", 1);
  };
  EXPECT_EQ(match(), std::nullopt);  // its first start
  failing.operation() = other;
  EXPECT_EQ(match(), "sum-saturates");
  failing.operation().request = 1;
  EXPECT_EQ(match(), std::nullopt);
  failing.operation() = other;
  failing.operation().mode = Mode::nonblocking;
  EXPECT_EQ(match(), std::nullopt);
}

TEST(Known, TellsLayouts) {
  auto known = entry();
  known["when"]["receive_layout"] = {"vector", "indexed"};
  Failing failing;
  failing.operation().send_layout.kind = LayoutKind::vector;
  EXPECT_EQ(failing.match(known), std::nullopt);
  failing.operation().receive_layout.kind = LayoutKind::indexed;
  EXPECT_EQ(failing.match(known), "sum-saturates");
  known["when"]["send_layout"] = {"dense"};
  EXPECT_EQ(failing.match(known), std::nullopt);
}

TEST(Known, TellsPowersOfTwo) {
  auto known = entry();
  known["when"]["ranks_power_of_two"] = true;
  Failing failing;
  EXPECT_EQ(failing.match(known), std::nullopt);
  failing.test_case.ranks = 4;
  EXPECT_EQ(failing.match(known), "sum-saturates");
  known["when"]["ranks_power_of_two"] = false;
  EXPECT_EQ(failing.match(known), std::nullopt);
}

TEST(Known, TellsTheSizesOfBlocks) {
  auto known = entry();
  known["signature"]["collective"] = {"reduce_scatter"};
  known["when"] = {{"total_bytes_min", 24}, {"total_bytes_max", 24}, {"block_beyond_first", true}};
  Failing failing;
  failing.operation().collective = Collective::reduce_scatter;
  const auto match = [&](std::vector<std::int64_t> counts) {
    failing.operation().counts = std::move(counts);
    return failing.match(known).has_value();
  };
  EXPECT_TRUE(match({0, 16, 8}));
  EXPECT_TRUE(match({5, 6, 13}));
  EXPECT_FALSE(match({6, 6, 12}));
  EXPECT_FALSE(match({8, 8, 8}));
  EXPECT_FALSE(match({24, 0, 0}));
  EXPECT_FALSE(match({0, 16, 7}));
}

}  // namespace
}  // namespace allprove
