// The properties that relate two operations or more. Each passes on right twins, fails when one of
// them alone is wrong, leaves the name to matches_reference when both are, and skips, with a
// reason, without twins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "framework/model/fields.h"
#include "properties/trial.h"
#include "tests/unit/properties/staged.h"

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Relation {
  std::string property;
  Operation plain;
  Operation variation;
  int position;  // of the variation in the program
};

void PrintTo(const Relation& relation, std::ostream* out) { *out << relation.property; }

Relation relation_of(const char* property, const std::function<void(Operation&)>& change) {
  const auto plain = changed(all_reduce_of(8), [](auto& o) { o.cut = 3; });
  return {property, plain, changed(plain, change), 1};
}

class Twins : public testing::TestWithParam<Relation> {
 protected:
  Staged run() const { return Staged(3, {GetParam().plain, GetParam().variation}); }
  const std::string& property() const { return GetParam().property; }
};

TEST_P(Twins, PassWhenBothAreRight) {
  EXPECT_EQ(run().result_of(property()).verdict, Verdict::pass);
  EXPECT_EQ(run().finding(), "");
}

TEST_P(Twins, FailAndNameTheFindingWhenTheVariationAloneIsWrong) {
  auto spoiled = run();
  spoiled.spoil(2, 1, 5, Symptom::own_input);
  const auto result = spoiled.result_of(property());
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_EQ(result.operation, 1);
  EXPECT_THAT(result.ranks, ElementsAre(2));
  EXPECT_EQ(result.symptom, Symptom::own_input);
  EXPECT_THAT(result.reason, HasSubstr("element 5 is 7, expected 12"));
  EXPECT_THAT(result.reason, HasSubstr("operation 0"));
  EXPECT_EQ(spoiled.finding(), property());
}

TEST_P(Twins, FailWhenThePlainCallAloneIsWrong) {
  auto spoiled = run();
  spoiled.spoil(2, 0, 5);
  const auto result = spoiled.result_of(property());
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_EQ(result.operation, 0);
  EXPECT_THAT(result.reason, HasSubstr("operation 1"));
  EXPECT_EQ(spoiled.finding(), property());
}

TEST_P(Twins, AreFoundInEitherOrderAndAmongOthers) {
  const auto& twins = GetParam();
  Staged spoiled(3, {all_reduce_of(8, 99), twins.variation, all_reduce_of(5), twins.plain});
  spoiled.spoil(0, 1, 5);
  EXPECT_EQ(spoiled.finding(), property());
}

TEST_P(Twins, LeaveTheNameToTheReferenceWhenBothAreWrong) {
  auto spoiled = run();
  spoiled.spoil(2, 0, 5);
  spoiled.spoil(2, 1, 6);
  EXPECT_EQ(spoiled.result_of(property()).verdict, Verdict::skip);
  EXPECT_EQ(spoiled.finding(), "matches_reference");
}

TEST_P(Twins, LeaveTheNameToTheReferenceWhenAnotherPlainCallIsWrong) {
  const auto& twins = GetParam();
  Staged spoiled(3, {twins.plain, twins.variation, all_reduce_of(8, 99)});
  spoiled.spoil(2, 1, 5);
  spoiled.spoil(2, 2, 5);
  EXPECT_EQ(spoiled.finding(), "matches_reference");
}

TEST_P(Twins, AreNotJudgedWhereOneHasNoOutput) {
  auto half = run();
  for (int rank = 0; rank < 3; ++rank) half.evidence(rank, 0) = Evidence{};
  EXPECT_THAT(half.result_of(property()).reason, testing::StartsWith("no call"));
  half.spoil(2, 1, 5);
  EXPECT_EQ(half.finding(), "matches_reference");
}

TEST_P(Twins, SayNothingWhenOnlySomePairsCanBeJudged) {
  const auto& twins = GetParam();
  const auto other = [](const Operation& o) {
    return changed(o, [](auto& copy) { copy.data.seed = 5; });
  };
  Staged mixed(3, {twins.plain, twins.variation, other(twins.plain), other(twins.variation)});
  mixed.spoil(2, 0, 5);
  mixed.spoil(2, 1, 6);
  EXPECT_EQ(mixed.result_of(property()).verdict, Verdict::skip);
}

TEST_P(Twins, AreNoTwinsWhenTheyDifferInAnythingElse) {
  const auto& twins = GetParam();
  const std::vector<std::function<void(Operation&)>> changes = {
      [](Operation& o) { o.data.seed = 5; },
      [](Operation& o) { o.dtype = Dtype::uint32; },
      [](Operation& o) { o.op = Op::max; },
      [](Operation& o) { o.skew = 1; },
      [](Operation& o) { o.algorithm.pick = 2; },
      [](Operation& o) { o.data.family = Family::ramp; },
      [](Operation& o) { o.shape = {9}; },
  };
  for (const auto& change : changes) {
    Staged strangers(3, {twins.plain, changed(twins.variation, change)});
    EXPECT_EQ(strangers.result_of(property()).verdict, Verdict::skip);
    EXPECT_NE(strangers.result_of(property()).reason, "");
    strangers.spoil(2, 1, 5);
    EXPECT_EQ(strangers.finding(), "matches_reference");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Properties, Twins,
    testing::Values(relation_of("in_place_equals_out_of_place",
                                [](Operation& o) { o.in_place = true; }),
                    relation_of("nonblocking_equals_blocking",
                                [](Operation& o) {
                                  o.mode = Mode::nonblocking;
                                  o.algorithm.name = "";
                                }),
                    relation_of("permutation_invariant", [](Operation& o) { o.data.rotate = 1; }),
                    relation_of("scaling_linear", [](Operation& o) { o.data.scale = 2; }),
                    relation_of("elementwise", [](Operation& o) { o.data.altered = true; })),
    [](const auto& twins) { return twins.param.property; });

class ExactTwins : public Twins {};

TEST_P(ExactTwins, SayNothingOfResultsThatMayDifferInRounding) {
  auto rounded = run();
  rounded.make_inexact(0);
  rounded.make_inexact(1);
  for (int rank = 0; rank < 3; ++rank) rounded.nudge(rank, 1, 5);
  EXPECT_EQ(rounded.result_of(property()).verdict, Verdict::skip);
  EXPECT_THAT(rounded.result_of(property()).reason, HasSubstr("rounding"));
  EXPECT_EQ(rounded.finding(), "");
}

TEST_P(ExactTwins, NeedExactResultsOfBoth) {
  for (const int inexact : {0, 1}) {
    auto rounded = run();
    rounded.make_inexact(inexact);
    EXPECT_THAT(rounded.result_of(property()).reason, HasSubstr("rounding")) << inexact;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Properties, ExactTwins,
    testing::Values(relation_of("in_place_equals_out_of_place",
                                [](Operation& o) { o.in_place = true; }),
                    relation_of("nonblocking_equals_blocking",
                                [](Operation& o) { o.mode = Mode::nonblocking; }),
                    relation_of("permutation_invariant", [](Operation& o) { o.data.rotate = 1; }),
                    relation_of("scaling_linear", [](Operation& o) { o.data.scale = 2; })),
    [](const auto& twins) { return twins.param.property; });

TEST(Nonblocking, IsFoundWhenTakenApartInStartAndWait) {
  auto start = all_reduce_of(8);
  start.kind = OperationKind::start;
  start.mode = Mode::nonblocking;
  start.request = 7;
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.request = 7;
  Staged run(2, {start, all_reduce_of(8), wait});
  EXPECT_EQ(run.result_of("nonblocking_equals_blocking").verdict, Verdict::pass);
  run.spoil(1, 0, 2);
  EXPECT_EQ(run.finding(), "nonblocking_equals_blocking");
}

TEST(Nonblocking, IsTheSameCallInOneOperationAndInTwo) {
  auto call = changed(all_reduce_of(8), [](auto& o) { o.mode = Mode::nonblocking; });
  auto start = changed(call, [](auto& o) {
    o.kind = OperationKind::start;
    o.request = 0;
    o.in_place = true;
  });
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.request = 0;
  Staged run(2, {call, start, wait});
  EXPECT_EQ(run.result_of("in_place_equals_out_of_place").verdict, Verdict::pass);
  run.spoil_everywhere(1, 0);
  EXPECT_EQ(run.finding(), "in_place_equals_out_of_place");
}

TEST(Nonblocking, MayUseAnAlgorithmOfAnotherNameButOfTheSamePick) {
  auto plain = all_reduce_of(8);
  plain.algorithm = {3, "ring"};
  auto variation = plain;
  variation.mode = Mode::nonblocking;
  variation.algorithm.name = "nbc_ring";
  EXPECT_EQ(Staged(2, {plain, variation}).result_of("nonblocking_equals_blocking").verdict,
            Verdict::pass);
}

TEST(Nonblocking, SpeaksOfPersistentCallsToo) {
  const auto plain = all_reduce_of(8);
  const Staged run(2, {plain, changed(plain, [](auto& o) { o.mode = Mode::persistent; })});
  EXPECT_EQ(run.result_of("nonblocking_equals_blocking").verdict, Verdict::pass);
}

TEST(Permutation, ComparesWithTheCallInOrderAndNotWithAnotherPermutation) {
  const auto plain = all_reduce_of(8);
  const auto moved = [&](int by) { return changed(plain, [by](auto& o) { o.data.rotate = by; }); };
  Staged run(3, {moved(1), moved(2), plain});
  run.spoil_everywhere(0, 4);
  run.spoil_everywhere(1, 4);
  EXPECT_EQ(run.finding(), "permutation_invariant");
}

TEST(Permutation, SaysNothingOfCollectivesWhereTheOrderMatters) {
  const auto plain = changed(all_reduce_of(8), [](auto& o) { o.collective = Collective::scan; });
  const Staged run(2, {plain, changed(plain, [](auto& o) { o.data.rotate = 1; })});
  EXPECT_EQ(run.result_of("permutation_invariant").verdict, Verdict::skip);
}

TEST(Scaling, SaysNothingOfAProduct) {
  const auto plain = changed(all_reduce_of(8), [](auto& o) { o.op = Op::prod; });
  const Staged run(2, {plain, changed(plain, [](auto& o) { o.data.scale = 1; })});
  EXPECT_EQ(run.result_of("scaling_linear").verdict, Verdict::skip);
}

TEST(Elementwise, LeavesAWrongAlteredElementToTheReference) {
  const auto plain = changed(all_reduce_of(8), [](auto& o) { o.cut = 3; });
  Staged run(2, {plain, changed(plain, [](auto& o) { o.data.altered = true; })});
  run.spoil_everywhere(1, 3);
  EXPECT_EQ(run.result_of("elementwise").verdict, Verdict::pass);
  EXPECT_EQ(run.finding(), "matches_reference");
}

TEST(Elementwise, SkipsWhereNoElementIsNamed) {
  const auto plain = changed(all_reduce_of(8), [](auto& o) { o.cut = 3; });
  Staged run(2, {plain, changed(plain, [](auto& o) { o.data.altered = true; })});
  run.operation(0).cut = run.operation(1).cut = kNoCut;
  EXPECT_EQ(run.result_of("elementwise").verdict, Verdict::skip);
}

TEST(Elementwise, NotesARoundingThatReachesOtherElements) {
  const auto plain = changed(all_reduce_of(8), [](auto& o) { o.cut = 3; });
  Staged run(2, {plain, changed(plain, [](auto& o) { o.data.altered = true; })});
  run.make_inexact(0);
  run.make_inexact(1);
  for (int rank = 0; rank < 2; ++rank) run.nudge(rank, 1, 0);
  EXPECT_EQ(run.result_of("elementwise").verdict, Verdict::note);
  EXPECT_EQ(run.judge().verdict, Verdict::note);
  EXPECT_EQ(run.finding(), "");
}

Staged split_run() {
  const auto whole = changed(all_reduce_of(8), [](auto& o) { o.cut = 3; });
  const auto tail = changed(all_reduce_of(5), [](auto& o) { o.data.first = 3; });
  return Staged(3, {tail, whole, all_reduce_of(3)});
}

TEST(Split, PassesWhenThePiecesMakeTheWhole) {
  EXPECT_EQ(split_run().result_of("split_equals_whole").verdict, Verdict::pass);
}

TEST(Split, FailsWhenTheWholeAloneIsWrong) {
  auto run = split_run();
  run.spoil(1, 1, 7);
  const auto result = run.result_of("split_equals_whole");
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_EQ(result.operation, 1);
  EXPECT_THAT(result.reason, HasSubstr("in two calls (operations 2 and 0) are right"));
  EXPECT_EQ(run.finding(), "split_equals_whole");
}

TEST(Split, ComparesTheHeadToo) {
  auto run = split_run();
  run.spoil(1, 1, 0);
  EXPECT_EQ(run.finding(), "split_equals_whole");
}

TEST(Split, SaysNothingOfResultsThatMayDifferInRounding) {
  for (const int inexact : {0, 1, 2}) {
    auto run = split_run();
    run.make_inexact(inexact);
    EXPECT_THAT(run.result_of("split_equals_whole").reason, HasSubstr("rounding"));
  }
}

TEST(Split, LeavesTheNameToTheReferenceWhenCallsOfAnotherLengthAreWrong) {
  const auto whole = changed(all_reduce_of(8), [](auto& o) { o.cut = 3; });
  const auto tail = changed(all_reduce_of(5), [](auto& o) { o.data.first = 3; });
  Staged run(3, {tail, whole, all_reduce_of(3), all_reduce_of(11, 9)});
  run.spoil(1, 1, 7);
  run.spoil(1, 3, 7);
  EXPECT_EQ(run.finding(), "matches_reference");
}

TEST(Split, IsNoSplitBeforeTheFirstElement) {
  const auto whole = changed(all_reduce_of(8), [](auto& o) { o.cut = 0; });
  EXPECT_EQ(Staged(3, {whole, all_reduce_of(0)}).result_of("split_equals_whole").verdict,
            Verdict::skip);
}

TEST(Split, FailsWhenAPieceAloneIsWrong) {
  auto run = split_run();
  run.spoil(1, 0, 2);
  const auto result = run.result_of("split_equals_whole");
  EXPECT_EQ(result.operation, 0);
  EXPECT_THAT(result.reason, HasSubstr("in one call (operation 1) are right"));
  EXPECT_EQ(run.finding(), "split_equals_whole");
}

TEST(Split, LeavesTheNameToTheReferenceWhenWholeAndPieceAreWrong) {
  auto run = split_run();
  run.spoil(1, 0, 2);
  run.spoil(1, 1, 1);
  EXPECT_EQ(run.result_of("split_equals_whole").verdict, Verdict::skip);
  EXPECT_EQ(run.finding(), "matches_reference");
}

TEST(Split, SkipsWithoutBothPieces) {
  const auto whole = changed(all_reduce_of(8), [](auto& o) { o.cut = 3; });
  EXPECT_EQ(Staged(3, {whole, all_reduce_of(3)}).result_of("split_equals_whole").verdict,
            Verdict::skip);
}

TEST(Repeatable, NotesThatTheSameCallLeftOtherBits) {
  Staged run(3, {all_reduce_of(8), all_reduce_of(8, 2), all_reduce_of(8)});
  EXPECT_EQ(run.result_of("repeatable").verdict, Verdict::pass);
  run.nudge(1, 2, 4);
  const auto result = run.result_of("repeatable");
  EXPECT_EQ(result.verdict, Verdict::note);
  EXPECT_EQ(result.operation, 2);
  EXPECT_THAT(result.ranks, ElementsAre(1));
}

TEST(Repeatable, ComparesWhatIsThereTwice) {
  Staged run(3, {all_reduce_of(8), all_reduce_of(8)});
  run.evidence(2, 1) = Evidence{};
  EXPECT_EQ(run.result_of("repeatable").verdict, Verdict::pass);
  for (int rank = 0; rank < 3; ++rank) run.evidence(rank, 0) = Evidence{};
  EXPECT_EQ(run.result_of("repeatable").verdict, Verdict::skip);
}

TEST(Repeatable, SkipsACallThatIsThereOnce) {
  EXPECT_EQ(Staged(3, {all_reduce_of(8)}).result_of("repeatable").verdict, Verdict::skip);
}

// Changes one field of an operation at a time, in the order of fields.h.
class FieldChanger {
 public:
  explicit FieldChanger(int target) : target_(target) {}
  const std::string& changed_field() const { return name_; }

  template <class T>
  void required(const char* name, T& value) {
    visit(name, value);
  }
  template <class T, class D>
  void optional(const char* name, T& value, const D&) {
    visit(name, value);
  }

 private:
  template <class T>
  void visit(const char* name, T& value) {
    if constexpr (HasFields<T>) {
      fields(*this, value);
    } else if (next_++ == target_) {
      name_ = name;
      if constexpr (std::is_same_v<T, std::string>) {
        value += "x";
      } else if constexpr (std::is_same_v<T, bool>) {
        value = !value;
      } else if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>) {
        value = static_cast<T>(static_cast<int>(value) + 1);
      } else {
        value.push_back(2);
      }
    }
  }
  int target_;
  int next_ = 0;
  std::string name_;
};

TEST(Signature, TellsEveryFieldApartButHowARequestIsWaitedFor) {
  const auto plain = all_reduce_of(8);
  int fields_seen = 0;
  for (;; ++fields_seen) {
    auto other = plain;
    FieldChanger changer(fields_seen);
    fields(changer, other);
    if (changer.changed_field().empty()) break;
    const bool same = Signature(plain).all() == Signature(other).all();
    EXPECT_EQ(same, other.request != plain.request || other.kind != plain.kind)
        << changer.changed_field();
  }
  EXPECT_GT(fields_seen, 20);
}

}  // namespace
}  // namespace allprove
