// Known failures: which versions a file speaks of, and which findings it explains.
#include "framework/report/known.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <functional>

#include "framework/base/enum_table.h"
#include "tests/unit/report/known_entry.h"

namespace allprove {
namespace {

using testing::HasSubstr;

// A folder with one file, gone at the end.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/allprove-known-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

KnownFailures loaded(const Json& entries, std::string_view version = "4.1.4",
                     const KnownFailures::Variables& environment = {}) {
  const Folder folder;
  folder.write("openmpi.json", entries.dump());
  auto known = KnownFailures::load(folder.path(), "openmpi", version, environment);
  EXPECT_TRUE(known) << known.error().message;
  return known.value_or(KnownFailures{});
}

// One failing operation: a sum of 32 int8 on three ranks, wrong on rank 1.
struct Failing {
  Failing() {
    test_case.ranks = 3;
    Operation operation;
    operation.dtype = Dtype::int8;
    operation.shape = {32};
    test_case.program = {operation};
    history.ranks.resize(3);
    for (auto& rank : history.ranks) {
      rank.operations.resize(2);
      rank.operations[0].evidence.checked = true;
    }
    history.ranks[1].operations[0].evidence.wrong = 4;
    history.ranks[1].operations[0].evidence.symptom = Symptom::saturated;
  }
  Operation& operation() { return test_case.program[0]; }
  void on(Group group) {
    test_case.groups.push_back(std::move(group));
    operation().group = 1;
  }
  std::optional<std::string> match(const Json& known,
                                   std::string_view property = "matches_reference",
                                   int index = 0) const {
    return loaded(Json::array({known})).match(test_case, history, property, index);
  }

  Case test_case;
  History history;
};

TEST(Known, ExplainsAFindingOfItsSignature) {
  EXPECT_EQ(Failing().match(entry()), "sum-saturates");
  EXPECT_EQ(Failing().match(entry(), "in_place_equals_out_of_place"), "sum-saturates");
}

TEST(Known, ExplainsNothingByDefault) {
  const Failing failing;
  EXPECT_EQ(KnownFailures{}.match(failing.test_case, failing.history, "matches_reference", 0),
            std::nullopt);
}

TEST(Known, NeedsEveryConditionToHold) {
  const std::vector<std::function<void(Failing&)>> changes = {
      [](Failing& f) { f.operation().op = Op::max; },
      [](Failing& f) { f.operation().dtype = Dtype::int32; },
      [](Failing& f) { f.operation().shape = {15}; },
      [](Failing& f) { f.operation().collective = Collective::reduce; },
      [](Failing& f) { f.operation().mode = Mode::persistent; },
      [](Failing& f) { f.test_case.ranks = 1; },
      [](Failing& f) { f.history.ranks[1].operations[0].evidence.wrong = 0; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Failing failing;
    changes[i](failing);
    EXPECT_EQ(failing.match(entry()), std::nullopt) << "change " << i;
  }
}

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

TEST(Known, TakesTheNameOfAnAlgorithmOrTheLibrarysOwnChoice) {
  auto known = entry();
  known["signature"]["algorithm"] = {"ring", "auto"};
  Failing failing;
  EXPECT_EQ(failing.match(known), "sum-saturates");
  failing.operation().algorithm.name = "ring";
  EXPECT_EQ(failing.match(known), "sum-saturates");
  failing.operation().algorithm.name = "linear";
  EXPECT_EQ(failing.match(known), std::nullopt);
}

TEST(Known, TakesTheSymptomThatTheEvidenceShows) {
  auto known = entry();
  known["signature"]["symptom"] = {"saturated"};
  Failing failing;
  EXPECT_EQ(failing.match(known), "sum-saturates");
  failing.history.ranks[1].operations[0].evidence.symptom = Symptom::missing_rank;
  EXPECT_EQ(failing.match(known), std::nullopt);
}

TEST(Known, AsksForTheSymptomOnEveryWrongRank) {
  auto known = entry();
  known["signature"]["symptom"] = {"saturated"};
  Failing failing;
  auto& other = failing.history.ranks[2].operations[0].evidence;
  other.wrong = 1;
  other.symptom = Symptom::value;
  EXPECT_EQ(failing.match(known), std::nullopt);
  other.symptom = Symptom::saturated;
  EXPECT_EQ(failing.match(known), "sum-saturates");
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

TEST(Known, TakesTheNameOfTheProperty) {
  auto known = entry();
  known["signature"]["property"] = {"ranks_agree", "split_equals_whole"};
  EXPECT_EQ(Failing().match(known), std::nullopt);
  EXPECT_EQ(Failing().match(known, "split_equals_whole"), "sum-saturates");
}

TEST(Known, TakesAnySymptomWhereNoneIsAskedFor) {
  auto known = entry();
  Failing failing;
  failing.history.ranks[1].operations[0].evidence.wrong = 0;
  EXPECT_EQ(failing.match(known, "guard_intact"), std::nullopt);
  known["signature"]["symptom"] = {"*"};
  EXPECT_EQ(failing.match(known, "guard_intact"), "sum-saturates");
}

TEST(Known, TellsWhichCommunicatorIsFreedWhileWhichCallIsPending) {
  auto known = entry();
  known["when"] = {{"communicator_freed", "pending"}};
  Operation free;
  free.kind = OperationKind::comm_free;
  free.group = 1;
  Failing failing;
  failing.test_case.groups.push_back(Group{GroupKind::duplicate, {}});
  failing.operation().kind = OperationKind::start;
  failing.operation().mode = Mode::nonblocking;
  failing.operation().request = 1;
  failing.test_case.program.push_back(free);
  EXPECT_EQ(failing.match(known), std::nullopt);  // another communicator
  failing.operation().group = 1;
  EXPECT_EQ(failing.match(known), "sum-saturates");
  failing.operation().kind = OperationKind::call;
  EXPECT_EQ(failing.match(known), std::nullopt);  // not pending
  failing.operation().kind = OperationKind::start;
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.request = 1;
  failing.test_case.program.insert(failing.test_case.program.begin() + 1, wait);
  EXPECT_EQ(failing.match(known), std::nullopt);  // no longer pending
}

TEST(Known, TellsDisagreementFromWrongValues) {
  auto known = entry();
  known["signature"]["symptom"] = {"disagree"};
  Failing failing;
  EXPECT_EQ(failing.match(known, "ranks_agree"), std::nullopt);
  failing.history.ranks[1].operations[0].evidence.wrong = 0;
  EXPECT_EQ(failing.match(known, "ranks_agree"), "sum-saturates");
  EXPECT_EQ(failing.match(known, "matches_reference"), std::nullopt);
}

TEST(Known, TakesTheOutcomeOfACaseThatDoesNotComplete) {
  auto known = entry();
  known["signature"]["symptom"] = {"crash", "hang"};
  known["signature"]["property"] = {"completes"};
  Failing failing;
  failing.history.outcome = Outcome::crash;
  EXPECT_EQ(failing.match(known, "completes"), "sum-saturates");
  EXPECT_EQ(failing.match(known, "guard_intact"), std::nullopt);
  failing.history.outcome = Outcome::error;
  EXPECT_EQ(failing.match(known, "completes"), std::nullopt);
}

TEST(Known, FollowsAWaitToWhatItCompletes) {
  Failing failing;
  failing.operation().kind = OperationKind::start;
  failing.operation().mode = Mode::nonblocking;
  failing.operation().request = 7;
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.request = 7;
  failing.test_case.program.push_back(wait);
  EXPECT_EQ(failing.match(entry(), "matches_reference", 1), "sum-saturates");
}

// Two calls under way, completed together.
struct FailingTogether : Failing {
  FailingTogether() {
    operation().kind = OperationKind::start;
    operation().mode = Mode::persistent;
    operation().request = 0;
    auto other = operation();
    other.mode = Mode::nonblocking;
    other.request = 1;
    Operation all;
    all.kind = OperationKind::wait_some;
    test_case.program = {operation(), other, all};
    history.outcome = Outcome::error;
  }
};

TEST(Known, FollowsAWaitForAllToEveryCallThatItCompletes) {
  auto known = entry();
  known["signature"]["mode"] = {"persistent"};
  known["signature"]["symptom"] = {"error"};
  FailingTogether failing;
  EXPECT_EQ(failing.match(known, "completes", 2), "sum-saturates");
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.request = 0;
  failing.test_case.program.insert(failing.test_case.program.begin() + 2, wait);
  EXPECT_EQ(failing.match(known, "completes", 3), std::nullopt);  // the other one alone
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

TEST(Known, TakesACrashOrAnErrorForWhichOtherRanksWaitAsSuch) {
  auto known = entry();
  known["signature"]["mode"] = {"*"};
  known["signature"]["symptom"] = {"error"};
  FailingTogether failing;
  failing.history.outcome = Outcome::hang;
  EXPECT_EQ(failing.match(known, "completes", 1), std::nullopt);
  failing.history.ranks[2].operations[1].code = 19;
  EXPECT_EQ(failing.match(known, "completes", 1), "sum-saturates");
  failing.history.ranks[0].position.alive = false;
  EXPECT_EQ(failing.match(known, "completes", 1), std::nullopt);
  known["signature"]["symptom"] = {"crash"};
  EXPECT_EQ(failing.match(known, "completes", 1), "sum-saturates");
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

TEST(Known, TakesWhatDamagesMemoryForTheCauseOfWhatFailsLater) {
  auto known = entry();
  known["signature"]["symptom"] = {"*"};
  Failing failing;
  auto barrier = failing.operation();
  barrier.collective = Collective::barrier;
  failing.test_case.program = {barrier, failing.operation(), barrier};
  EXPECT_EQ(failing.match(known, "completes", 2), std::nullopt);
  EXPECT_FALSE(loaded(Json::array({known})).may_damage_memory(failing.test_case));
  known["damages_memory"] = true;
  EXPECT_EQ(failing.match(known, "completes", 2), "sum-saturates");
  EXPECT_EQ(failing.match(known, "completes", -1), "sum-saturates");
  EXPECT_EQ(failing.match(known, "completes", 0), std::nullopt);  // before the damage
  EXPECT_TRUE(loaded(Json::array({known})).may_damage_memory(failing.test_case));
  failing.test_case.program.erase(failing.test_case.program.begin() + 1);
  EXPECT_FALSE(loaded(Json::array({known})).may_damage_memory(failing.test_case));
}

TEST(Known, ExplainsNothingWhereNoOperationIsNamed) {
  EXPECT_EQ(Failing().match(entry(), "matches_reference", -1), std::nullopt);
  EXPECT_EQ(Failing().match(entry(), "matches_reference", 99), std::nullopt);
}

TEST(KnownVersions, AreARangeWithBothEnds) {
  const auto count = [](const char* version) {
    return loaded(Json::array({entry()}), version).all().size();
  };
  EXPECT_EQ(count("4.1.0"), 1u);
  EXPECT_EQ(count("4.1"), 1u);
  EXPECT_EQ(count("4.1.4"), 1u);
  EXPECT_EQ(count("4.1.4rc2"), 0u);  // read as 4.1.4.2, so not silently hidden
  EXPECT_EQ(count("4.1.5"), 0u);
  EXPECT_EQ(count("4.1.10"), 0u);
  EXPECT_EQ(count("4.0.9"), 0u);
  EXPECT_EQ(count("5.0.7"), 0u);
}

TEST(KnownVersions, MayBeOpen) {
  auto known = entry();
  known["versions"]["to"] = nullptr;
  EXPECT_EQ(loaded(Json::array({known}), "10.0").all().size(), 1u);
  EXPECT_EQ(loaded(Json::array({known}), "4.0").all().size(), 0u);
}

TEST(KnownEnvironment, DecidesWhenTheFileIsLoaded) {
  auto known = entry();
  known["when"]["environment"] = {{"ALLPROVE_TEST_KVAL", ">=3"}};
  const auto count = [&](const KnownFailures::Variables& environment) {
    return loaded(Json::array({known}), "4.1.4", environment).all().size();
  };
  EXPECT_EQ(count({}), 0u);
  EXPECT_EQ(count({{"ALLPROVE_TEST_KVAL", "2"}}), 0u);
  EXPECT_EQ(count({{"ALLPROVE_TEST_KVAL", "x"}}), 0u);
  EXPECT_EQ(count({{"ALLPROVE_TEST_KVAL", "10"}}), 1u);
  setenv("ALLPROVE_TEST_KVAL", "4", 1);
  EXPECT_EQ(count({}), 1u);
  unsetenv("ALLPROVE_TEST_KVAL");
  known["when"]["environment"] = {{"ALLPROVE_TEST_KVAL", "=ring"}};
  EXPECT_EQ(count({{"ALLPROVE_TEST_KVAL", "ring"}}), 1u);
  EXPECT_EQ(count({{"ALLPROVE_TEST_KVAL", "rings"}}), 0u);
}

TEST(KnownFiles, MayBeMissingButTheirFolderMayNot) {
  const Folder folder;
  const auto none = KnownFailures::load(folder.path(), "gloo", "1");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->all().empty());
  EXPECT_FALSE(KnownFailures::load(folder.path() / "nowhere", "gloo", "1"));
}

TEST(KnownFiles, BelongToOneLibrary) {
  const Folder folder;
  folder.write("mpich.json", Json::array({entry()}).dump());
  const auto known = KnownFailures::load(folder.path(), "mpich", "4.1.4");
  ASSERT_FALSE(known);
  EXPECT_THAT(known.error().message, HasSubstr("library 'openmpi' in this file"));
}

TEST(KnownSymptoms, AreTheNamesOfTheVocabulary) {
  for (const auto symptom : names_of<Symptom>().subspan(1)) {
    EXPECT_NE(std::find(std::begin(kKnownSymptoms), std::end(kKnownSymptoms), symptom),
              std::end(kKnownSymptoms))
        << symptom;
  }
}

}  // namespace
}  // namespace allprove
