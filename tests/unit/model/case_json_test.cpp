// The JSON text of a case: it round-trips exactly, small cases have small texts, and what is wrong
// with a text is said in one line that names the field.
#include "framework/model/case_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/unit/model/random_values.h"

namespace allprove {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

TEST(CaseJson, RoundTripsExactly) {
  std::set<GroupKind> groups;
  std::set<OperationKind> kinds;
  std::set<Collective> collectives;
  std::set<Dtype> dtypes;
  std::set<Op> ops;
  std::set<Family> families;
  std::set<FaultKind> faults;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const auto test_case = valid_case(seed);
    const auto text = to_json(test_case).dump();
    const auto back = case_from_text(text);
    ASSERT_TRUE(back) << seed << ": " << back.error().message << "\n" << text;
    ASSERT_EQ(*back, test_case) << text;
    ASSERT_EQ(to_json(*back).dump(), text);
    for (const auto& group : test_case.groups) groups.insert(group.kind);
    for (const auto& fault : test_case.faults) faults.insert(fault.kind);
    for (const auto& operation : test_case.program) {
      kinds.insert(operation.kind);
      collectives.insert(operation.collective);
      dtypes.insert(operation.dtype);
      ops.insert(operation.op);
      families.insert(operation.data.family);
    }
  }
  // All of the vocabulary went through it.
  EXPECT_EQ(groups.size(), names_of<GroupKind>().size());
  EXPECT_EQ(kinds.size(), names_of<OperationKind>().size());
  EXPECT_EQ(collectives.size(), names_of<Collective>().size());
  EXPECT_EQ(dtypes.size(), names_of<Dtype>().size());
  EXPECT_EQ(ops.size(), names_of<Op>().size());
  EXPECT_EQ(families.size(), names_of<Family>().size());
  EXPECT_EQ(faults.size(), names_of<FaultKind>().size());
}

TEST(CaseJson, KeepsTheLargestNumbers) {
  Case test_case;
  auto& operation = test_case.program.emplace_back();
  operation.data.seed = std::numeric_limits<std::uint64_t>::max();
  operation.data.first = kFirstMax;
  operation.algorithm.pick = std::numeric_limits<std::uint32_t>::max();
  const auto back = case_from_text(to_json(test_case).dump());
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, test_case);
}

TEST(CaseJson, OfASmallCaseIsSmall) {
  Case test_case;
  test_case.ranks = 2;
  test_case.program.emplace_back().shape = {3};
  EXPECT_EQ(to_json(test_case).dump(),
            R"({"ranks":2,"program":[{"kind":"call","shape":[3],"count":3}]})");
}

TEST(CaseJson, TakesACountForAShape) {
  const auto test_case =
      case_from_text(R"({"ranks": 2, "program": [{"kind": "call", "count": 7}]})");
  ASSERT_TRUE(test_case) << test_case.error().message;
  EXPECT_EQ(test_case->program.at(0).shape, std::vector<std::int64_t>{7});
}

std::string error_of(std::string_view text) {
  const auto result = case_from_text(text);
  if (result) return "";
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_EQ(to_line(result.error()).find('\n'), std::string::npos) << text;
  return result.error().message;
}

TEST(CaseJson, ErrorsNameTheField) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows = {
      {"", "not a JSON text"},
      {"{", "not a JSON text"},
      {R"({"ranks": 2, "program": [)", "not a JSON text"},
      {"[]", "the case: expected an object"},
      {"7", "the case: expected an object"},
      {"{}", "ranks: missing"},
      {R"({"ranks": 2})", "program: missing"},
      {R"({"ranks": "2", "program": []})", "ranks: expected a whole number"},
      {R"({"ranks": 2.5, "program": []})", "ranks: expected a whole number"},
      {R"({"ranks": true, "program": []})", "ranks: expected a whole number"},
      {R"({"ranks": 4294967298, "program": []})", "ranks: out of range"},
      {R"({"ranks": 2, "program": {}})", "program: expected a list"},
      {R"({"ranks": 2, "program": [7]})", "program[0]: expected an object"},
      {R"({"ranks": 2, "program": [{}]})", "program[0].kind: missing"},
      {R"({"ranks": 2, "program": [{"kind": 1}]})", "program[0].kind: expected a name"},
      {R"({"ranks": 2, "program": [{"kind": "cal"}]})", "program[0].kind: 'cal' is none of: call"},
      {R"({"ranks": 2, "program": [{"kind": "call", "dtype": "int7"}]})",
       "program[0].dtype: 'int7' is none of"},
      {R"({"ranks": 2, "program": [{"kind": "call", "data": {"family": "ramp", "seed": -1}}]})",
       "program[0].data.seed: out of range"},
      {R"({"ranks": 2, "program": [{"kind": "call", "data": {"seed": 1}}]})",
       "program[0].data.family: missing"},
      {R"({"ranks": 2, "program": [{"kind": "call", "shape": [1, "2"]}]})",
       "program[0].shape[1]: expected a whole number"},
      {R"({"ranks": 2, "program": [{"kind": "call", "in_place": 1}]})",
       "program[0].in_place: expected true or false"},
      {R"({"ranks": 2, "program": [{"kind": "call", "shape": [2], "count": 3}]})",
       "program[0].count: differs"},
      {R"({"ranks": 2, "program": [{"kind": "call", "color": 1}]})",
       "program[0].color: unknown field"},
      {R"({"ranks": 2, "program": [], "seed": 1})", "seed: unknown field"},
      {R"({"ranks": 2, "program": [],
           "groups": [{"kind": "world"}, {"kind": "split", "parts": [1]}]})",
       "groups[1].parts[0]: expected a list"},
      {R"({"ranks": 2, "program": [], "faults": [{"kind": "skip", "rank": 0}]})",
       "faults[0].operation: missing"},
      {R"({"ranks": 0, "program": []})", "ranks: not in 1 to"},
  };
  for (const auto& [text, error] : rows) {
    EXPECT_THAT(error_of(text), HasSubstr(std::string(error))) << text;
  }
}

TEST(CaseJson, IsRefusedWhenCutAnywhere) {
  const auto text = to_json(valid_case(3)).dump();
  for (std::size_t size = 0; size < text.size(); ++size) {
    ASSERT_EQ(error_of(std::string_view(text).substr(0, size)), "not a JSON text");
  }
}

TEST(CaseJson, ThatWasChangedNeverCrashes) {
  RandomStream random(5);
  for (int run = 0; run < 5000; ++run) {
    auto text = to_json(valid_case(static_cast<std::uint64_t>(run % 50))).dump();
    for (auto left = random.between(1, 3); left > 0; --left) {
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    }
    static_cast<void>(error_of(text));
  }
}

TEST(CaseJson, SurvivesDeepNesting) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(error_of(deep), "not a JSON text");
  EXPECT_EQ(error_of(deep + std::string(deep.size(), ']')), "the case: expected an object");
}

TEST(HistoryJson, HoldsWhatARankSaw) {
  Noise noise(11);
  History history;
  history.outcome = Outcome::hang;
  history.proof = Proof::proven;
  history.blame = {1};
  history.diagnosis = "rank 1 never came";
  for (int rank = 0; rank < 3; ++rank) history.ranks.push_back(noise.value<RankRecord>());
  const auto json = to_json(history);
  EXPECT_EQ(json.at("outcome"), "hang");
  EXPECT_EQ(json.at("proof"), "proven");
  EXPECT_EQ(json.at("blame"), Json::array({1}));
  EXPECT_EQ(json.at("ranks").size(), 3u);
  EXPECT_EQ(json.at("ranks")[0].at("operations").size(), history.ranks[0].operations.size());
  EXPECT_FALSE(json.contains("trouble"));
}

}  // namespace
}  // namespace allprove
