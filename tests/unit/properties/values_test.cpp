// The properties that judge operations one by one: each passes on a right history, fails on a wrong
// one, and skips, with a reason, where there is nothing to judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "framework/base/enum_table.h"
#include "tests/unit/properties/staged.h"

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Judge, PassesWhatIsRightAndNamesNothing) {
  const Staged run(3, {all_reduce_of(8)});
  const auto judged = run.judge();
  EXPECT_EQ(judged.verdict, Verdict::pass);
  EXPECT_EQ(judged.first_failed, nullptr);
  EXPECT_EQ(judged.failure(), nullptr);
  EXPECT_EQ(judged.results.size(), all_properties().size());
}

TEST(Judge, SaysUnknownWhenTheTroubleIsOurs) {
  Staged run(2, {all_reduce_of(8)});
  run.spoil(1, 0, 3);
  run.history.trouble = "the channel broke";
  EXPECT_EQ(run.judge().verdict, Verdict::unknown);
  EXPECT_EQ(run.finding(), "");
}

TEST(Judge, SkipsACaseThatTheBackendCannotRun) {
  Staged run(2, {all_reduce_of(8)});
  run.history.skipped = "no float16";
  EXPECT_EQ(run.judge().verdict, Verdict::skip);
  EXPECT_THAT(run.result_of("matches_reference").reason, HasSubstr("no float16"));
}

TEST(Judge, SkipsValuesUnderAFaultThatChangesTheProgram) {
  Staged run(2, {all_reduce_of(8), all_reduce_of(8)});
  run.spoil(1, 0, 3);
  run.test_case.faults = {Fault{FaultKind::skip, 1, 0, FaultPhase::before, 0}};
  EXPECT_EQ(run.judge().verdict, Verdict::skip);
}

TEST(Judge, JudgesValuesUnderAFaultThatOnlyDelays) {
  Staged run(2, {all_reduce_of(8)});
  run.spoil(1, 0, 3);
  run.test_case.faults = {Fault{FaultKind::late, 1, 0, FaultPhase::before, 1000}};
  EXPECT_EQ(run.judge().verdict, Verdict::fail);
}

TEST(Judge, SaysUnknownWhenACheckThrows) {
  const Property broken = {
      .name = "broken", .claim = "", .needs = "", .check = [](const Trial&) -> PropertyResult {
        throw std::runtime_error("out of luck");
      }};
  const Staged run(2, {all_reduce_of(8)});
  const auto judged = judge_case(run.test_case, run.history, std::span(&broken, 1));
  EXPECT_EQ(judged.verdict, Verdict::unknown);
  EXPECT_THAT(judged.results.at(0).second.reason, HasSubstr("out of luck"));
}

TEST(Judge, WhatNobodySawTheEndOfIsUnknown) {
  Staged run(3, {all_reduce_of(8)});
  EXPECT_EQ(run.judge().verdict, Verdict::pass);
  run.record(1, 0).completed_ns = 0;
  EXPECT_EQ(run.judge().verdict, Verdict::unknown);
  EXPECT_THAT(run.result_of("completes").reason, HasSubstr("rank 1 reports no end of"));
}

TEST(Judge, SurvivesAHistoryThatLacksEveryRecord) {
  Staged run(3, {all_reduce_of(8), changed(all_reduce_of(8), [](auto& o) { o.in_place = true; })});
  run.history.ranks.clear();
  EXPECT_EQ(run.judge().first_failed, nullptr);
  EXPECT_EQ(run.judge().verdict, Verdict::unknown);
  run.history.ranks.resize(3);
  run.history.outcome = Outcome::crash;
  EXPECT_EQ(run.finding(), "completes");
}

TEST(Table, HasNamesAndSentencesThatAreAllThereAndAllDifferent) {
  std::vector<std::string_view> names;
  for (const auto& property : all_properties()) {
    names.push_back(property.name);
    EXPECT_FALSE(property.claim.empty()) << property.name;
    EXPECT_FALSE(property.needs.empty()) << property.name;
    EXPECT_EQ(find_property(property.name)->check, property.check);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_EQ(find_property("no_such_property"), nullptr);
}

TEST(MatchesReference, FailsOnTheWrongRanksWithTheNumbers) {
  Staged run(3, {all_reduce_of(8), all_reduce_of(8, 2)});
  run.spoil(2, 1, 5, Symptom::missing_rank);
  run.evidence(2, 1).suspect = 1;
  const auto result = run.result_of("matches_reference");
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_EQ(result.operation, 1);
  EXPECT_THAT(result.ranks, ElementsAre(2));
  EXPECT_EQ(result.symptom, Symptom::missing_rank);
  EXPECT_EQ(result.reason,
            "operation 1 all_reduce(int32[8], sum): rank 2: element 5 is 7, expected 12 (1 of 8 "
            "elements are wrong; the input of rank 1 is missing)");
  EXPECT_EQ(run.finding(), "matches_reference");
}

TEST(MatchesReference, ListsTheRanksWhenThereAreSeveral) {
  Staged run(3, {all_reduce_of(1)});
  run.spoil(0, 0, 0);
  run.spoil(2, 0, 0);
  EXPECT_EQ(run.result_of("matches_reference").reason,
            "operation 0 all_reduce(int32[1], sum): rank 0: element 0 is 7, expected 12 (1 of 1 "
            "element is wrong); wrong on ranks 0, 2");
}

TEST(MatchesReference, SkipsWhereNothingWasCompared) {
  Operation barrier;
  barrier.collective = Collective::barrier;
  const Staged run(3, {barrier});
  EXPECT_EQ(run.result_of("matches_reference").verdict, Verdict::skip);
  EXPECT_EQ(run.judge().verdict, Verdict::pass);  // it completes
}

TEST(RanksAgree, FailsOnTheMinorityThatHoldsOtherBits) {
  Staged run(4, {all_reduce_of(8)});
  run.nudge(2, 0, 7);
  const auto result = run.result_of("ranks_agree");
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_THAT(result.ranks, ElementsAre(2));
  EXPECT_THAT(result.reason, HasSubstr("ranks 0, 1, 3 and rank 2 hold different bits"));
  EXPECT_EQ(run.finding(), "ranks_agree");
}

TEST(RanksAgree, ComparesTheMembersOfEachPartOnly) {
  const Group halves{GroupKind::split, {{0, 2}, {3, 1}}};
  Staged run(4, {changed(all_reduce_of(8), [](auto& o) { o.group = 1; })}, {Group{}, halves});
  EXPECT_EQ(run.result_of("ranks_agree").verdict, Verdict::pass);
  run.nudge(1, 0, 0);
  EXPECT_THAT(run.result_of("ranks_agree").ranks, ElementsAre(1, 3));
}

TEST(RanksAgree, SkipsWhereRanksNeedNotAgree) {
  Staged run(2, {all_reduce_of(8)});
  for (int rank = 0; rank < 2; ++rank) run.evidence(rank, 0).agreement = false;
  run.nudge(0, 0, 1);
  EXPECT_EQ(run.result_of("ranks_agree").verdict, Verdict::skip);
}

TEST(RanksAgree, LeavesTheNameToTheReferenceWhereTheOracleSeesIt) {
  Staged run(3, {all_reduce_of(8)});
  run.spoil(2, 0, 1);
  EXPECT_EQ(run.result_of("ranks_agree").verdict, Verdict::fail);
  EXPECT_EQ(run.finding(), "matches_reference");
}

TEST(GuardIntact, FailsFirstOfAll) {
  Staged run(3, {all_reduce_of(8), all_reduce_of(8)});
  run.evidence(1, 1).guard_changed = 4;
  run.evidence(1, 1).guard_place = "output +0";
  run.spoil_everywhere(0, 0);
  run.history.ranks[2].position.alive = false;
  const auto result = run.result_of("guard_intact");
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_EQ(result.operation, 1);
  EXPECT_THAT(result.ranks, ElementsAre(1));
  EXPECT_THAT(result.reason, HasSubstr("4 bytes outside of the buffers changed (output +0)"));
  EXPECT_EQ(run.finding(), "guard_intact");
}

TEST(GuardIntact, SkipsAProgramWithoutBuffers) {
  Operation barrier;
  barrier.collective = Collective::barrier;
  EXPECT_EQ(Staged(2, {barrier}).result_of("guard_intact").verdict, Verdict::skip);
}

TEST(InputUntouched, FailsWithTheElement) {
  Staged run(3, {all_reduce_of(8)});
  EXPECT_EQ(run.result_of("input_untouched").verdict, Verdict::pass);
  run.evidence(2, 0).input_changed = 1;
  run.evidence(2, 0).first_input_changed = Mismatch{6, "5", "9"};
  const auto result = run.result_of("input_untouched");
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_THAT(result.ranks, ElementsAre(2));
  EXPECT_THAT(result.reason, HasSubstr("element 6 from 5 to 9"));
  EXPECT_EQ(run.finding(), "input_untouched");
}

TEST(InputUntouched, SkipsWhenEverythingIsInPlace) {
  const Staged run(2, {changed(all_reduce_of(8), [](auto& o) { o.in_place = true; })});
  EXPECT_EQ(run.result_of("input_untouched").verdict, Verdict::skip);
}

TEST(InputUntouched, JudgesWhatARootSendsInPlace) {
  auto scatter = changed(all_reduce_of(8), [](auto& o) {
    o.collective = Collective::scatter;
    o.in_place = true;
  });
  Staged run(3, {scatter});
  run.evidence(0, 0).input_changed = 1;
  EXPECT_EQ(run.result_of("input_untouched").verdict, Verdict::fail);
}

// Three ranks that call a barrier of a group at 10, 20 and 30, and leave it at these times.
Staged barrier_left_at(std::array<std::int64_t, 3> times, std::vector<Group> groups = {Group{}}) {
  Operation barrier;
  barrier.collective = Collective::barrier;
  barrier.group = static_cast<int>(groups.size()) - 1;
  Staged run(3, {barrier}, std::move(groups));
  for (int rank = 0; rank < 3; ++rank) {
    run.record(rank, 0).called_ns = 10 * (rank + 1);
    run.record(rank, 0).completed_ns = times[static_cast<std::size_t>(rank)];
  }
  return run;
}

TEST(BarrierWaits, FailsForThoseWhoLeaveBeforeTheLastHasCome) {
  EXPECT_EQ(barrier_left_at({30, 40, 35}).result_of("barrier_waits").verdict, Verdict::pass);
  const auto run = barrier_left_at({29, 25, 35});
  const auto result = run.result_of("barrier_waits");
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_THAT(result.ranks, ElementsAre(0, 1));
  EXPECT_THAT(result.reason, HasSubstr("before rank 2 called it"));
  EXPECT_EQ(run.finding(), "barrier_waits");
}

TEST(BarrierWaits, AMemberWaitsForItsOwnPartOnly) {
  const std::vector<Group> groups = {Group{}, Group{GroupKind::split, {{1, 0}, {2}}}};
  EXPECT_EQ(barrier_left_at({20, 20, 35}, groups).result_of("barrier_waits").verdict,
            Verdict::pass);
  EXPECT_THAT(barrier_left_at({15, 20, 35}, groups).result_of("barrier_waits").ranks,
              ElementsAre(0));
}

TEST(BarrierWaits, SaysNothingWhereAMemberNeverCame) {
  auto run = barrier_left_at({29, 25, 35});
  run.record(2, 0).called_ns = run.record(2, 0).completed_ns = 0;
  EXPECT_EQ(run.result_of("barrier_waits").verdict, Verdict::skip);
  auto hangs = barrier_left_at({0, 40, 35});
  EXPECT_EQ(hangs.result_of("barrier_waits").verdict, Verdict::pass) << "it never left";
  EXPECT_EQ(Staged(3, {all_reduce_of(8)}).result_of("barrier_waits").verdict, Verdict::skip);
}

TEST(Completes, NamesTheSignalTheOperationAndTheLastWords) {
  Staged run(3, {all_reduce_of(8), all_reduce_of(8, 2)});
  auto& dead = run.history.ranks[1];
  dead.position = Position{false, false, Phase::called, 1, 0, 2, {2}};
  dead.wait_status = 11;
  dead.last_output = "first line\nCaught signal 11 \n*** End ***\n=====\n\n";
  run.history.outcome = Outcome::crash;
  const auto result = run.result_of("completes");
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_EQ(result.operation, 1);
  EXPECT_THAT(result.ranks, ElementsAre(1));
  EXPECT_EQ(result.reason,
            "rank 1 was killed by signal 11 (SIGSEGV) in operation 1 all_reduce(int32[8], sum): "
            "Caught signal 11");
  EXPECT_EQ(run.finding(), "completes");
}

TEST(Completes, TellsAnErrorCode) {
  Staged run(3, {all_reduce_of(8)});
  run.record(0, 0).code = 15;
  run.record(0, 0).message = "MPI_ERR_TRUNCATE: message truncated";
  run.history.outcome = Outcome::error;
  const auto result = run.result_of("completes");
  EXPECT_THAT(result.reason, HasSubstr("rank 0 got error 15 (MPI_ERR_TRUNCATE"));
  EXPECT_EQ(result.operation, 0);
}

TEST(Completes, TellsAHangWithItsDiagnosis) {
  Staged run(3, {all_reduce_of(8)});
  for (const int rank : {0, 2}) {
    run.history.ranks[static_cast<std::size_t>(rank)].position =
        Position{true, false, Phase::called, 0, 0, 1, {1}};
  }
  run.history.outcome = Outcome::hang;
  run.history.proof = Proof::proven;
  run.history.diagnosis = "Rank 1 never came.";
  const auto result = run.result_of("completes");
  EXPECT_THAT(result.ranks, ElementsAre(0, 2));
  EXPECT_THAT(result.reason, HasSubstr("Rank 1 never came."));
  EXPECT_EQ(result.operation, 0);
}

TEST(Completes, SeesAHangBehindWrongValues) {
  Staged run(3, {all_reduce_of(8)});
  run.history.outcome = Outcome::wrong;
  run.history.proof = Proof::proven;
  EXPECT_EQ(run.result_of("completes").verdict, Verdict::fail);
}

TEST(Completes, NeedsNoMoreThanTheOutcome) {
  for (const auto outcome : {Outcome::error, Outcome::crash, Outcome::hang}) {
    Staged run(3, {all_reduce_of(8)});
    run.history.outcome = outcome;
    EXPECT_EQ(run.result_of("completes").verdict, Verdict::fail) << name_of(outcome);
  }
}

TEST(Completes, KeepsLastWordsShort) {
  Staged run(2, {all_reduce_of(8)});
  run.history.ranks[1].position.alive = false;
  run.history.ranks[1].last_output = std::string(5000, 'x');
  EXPECT_LT(run.result_of("completes").reason.size(), 400u);
}

TEST(Completes, SurvivesAPositionOutsideOfTheProgram) {
  Staged run(2, {all_reduce_of(8)});
  run.history.ranks[1].position = Position{false, false, Phase::called, 4711, 0, 1, {}};
  run.history.outcome = Outcome::crash;
  EXPECT_EQ(run.result_of("completes").operation, -1);
  EXPECT_EQ(run.result_of("completes").verdict, Verdict::fail);
}

TEST(MeanNeedsDivision, FailsWhereTheMeanStandsForTheSum) {
  Staged run(3, {all_reduce_of(2)});
  EXPECT_EQ(run.result_of("mean_needs_division").verdict, Verdict::pass);
  run.spoil_everywhere(0, 0, Symptom::averaged);
  const auto result = run.result_of("mean_needs_division");
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_EQ(result.symptom, Symptom::averaged);
  EXPECT_EQ(run.finding(), "mean_needs_division");
}

TEST(MeanNeedsDivision, FailsWhereTheSumIsRightAndItsDivisionIsNot) {
  Staged run(3, {all_reduce_of(2), changed(all_reduce_of(2), [](auto& o) { o.divide = true; })});
  EXPECT_EQ(run.result_of("mean_needs_division").verdict, Verdict::pass);
  run.spoil_everywhere(1, 0);
  EXPECT_EQ(run.finding(), "mean_needs_division");
}

TEST(MeanNeedsDivision, LeavesAWrongSumToTheReference) {
  Staged run(3, {all_reduce_of(2), changed(all_reduce_of(2), [](auto& o) { o.divide = true; })});
  run.spoil_everywhere(0, 0);
  run.spoil_everywhere(1, 0);
  EXPECT_EQ(run.result_of("mean_needs_division").verdict, Verdict::skip);
  EXPECT_EQ(run.finding(), "matches_reference");
}

TEST(MeanNeedsDivision, IsClearOnlyWhereTheSumIsThereAndNoOtherIsWrong) {
  const auto divided = changed(all_reduce_of(2), [](auto& o) { o.divide = true; });
  Staged alone(3, {all_reduce_of(2), divided});
  for (int rank = 0; rank < 3; ++rank) alone.evidence(rank, 0) = Evidence{};
  alone.spoil_everywhere(1, 0);
  EXPECT_EQ(alone.finding(), "matches_reference");
  Staged other(3, {all_reduce_of(2), divided, all_reduce_of(2, 9)});
  other.spoil_everywhere(1, 0);
  other.spoil_everywhere(2, 0);
  EXPECT_EQ(other.finding(), "matches_reference");
  EXPECT_EQ(other.result_of("mean_needs_division").verdict, Verdict::skip);
}

TEST(MeanNeedsDivision, IsNotShownByOneRankThatHoldsTheMeanAmongOthersThatAreWrong) {
  Staged run(3, {all_reduce_of(2)});
  run.spoil(0, 0, 0, Symptom::averaged);
  EXPECT_EQ(run.finding(), "mean_needs_division");
  run.spoil(1, 0, 0, Symptom::value);
  EXPECT_EQ(run.finding(), "matches_reference");
}

TEST(MeanNeedsDivision, SkipsWithoutASum) {
  const Staged run(3, {changed(all_reduce_of(2), [](auto& o) { o.op = Op::max; })});
  EXPECT_EQ(run.result_of("mean_needs_division").verdict, Verdict::skip);
}

}  // namespace
}  // namespace allprove
