// Known failures: which versions a file speaks of, and which findings it explains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "framework/base/enum_table.h"
#include "tests/unit/report/failing.h"

namespace allprove {
namespace {

using testing::HasSubstr;

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

TEST(Known, TakesWhatAnotherThreadDamagesForTheCauseOfWhatFailsBefore) {
  auto known = entry();
  known["damages_memory"] = true;
  Failing failing;
  failing.on({GroupKind::duplicate, {}});
  auto before = failing.operation();
  before.dtype = Dtype::float64;  // not what the entry speaks of
  before.group = 0;
  failing.test_case.program.insert(failing.test_case.program.begin(), before);
  EXPECT_EQ(failing.match(known), std::nullopt);
  failing.test_case.program[1].thread = 1;
  EXPECT_EQ(failing.match(known), "sum-saturates");
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
