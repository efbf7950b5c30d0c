// Known failures: what a file may hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "framework/report/known.h"
#include "tests/unit/report/known_entry.h"

namespace allprove {
namespace {

using testing::HasSubstr;

std::string error_of(const Json& entries) {
  const auto known = known_from_text(entries.dump(), "known/x.json");
  if (known) return "";
  EXPECT_EQ(known.error().kind, ErrorKind::usage);
  EXPECT_EQ(known.error().message.find('\n'), std::string::npos);
  return known.error().message;
}

TEST(KnownFiles, AreReadStrictlyAndErrorsNameTheField) {
  struct Row {
    const char* pointer;  // where
    Json value;           // what stands there instead; discarded: nothing does
    std::string error;
  };
  const Json gone(Json::value_t::discarded);
  const std::vector<Row> rows = {
      {"/id", gone, "known/x.json: [0].id: missing"},
      {"/id", "", "known/x.json: [0].id: expected a text"},
      {"/title", 7, "known/x.json: [0].title: expected a text"},
      {"/library", gone, "known/x.json: [0].library: missing"},
      {"/versions", gone, "known/x.json: [0].versions: missing"},
      {"/versions/from", gone, "known/x.json: [0].versions.from: missing"},
      {"/versions/to", gone, "known/x.json: [0].versions.to: missing"},
      {"/versions/until", "5", "known/x.json: [0].versions.until: unknown field"},
      {"/signature", "x", "known/x.json: [0].signature: expected an object"},
      {"/signature/mode", gone, "known/x.json: [0].signature.mode: missing"},
      {"/signature/mode", Json::array(),
       "known/x.json: [0].signature.mode: expected a list of names"},
      {"/signature/mode",
       {"sideways"},
       "known/x.json: [0].signature.mode: 'sideways' is not one of them"},
      {"/signature/mode", {"*", "blocking"}, "known/x.json: [0].signature.mode: '*' stands alone"},
      {"/signature/collective",
       {1},
       "known/x.json: [0].signature.collective: expected a list of names"},
      {"/signature/symptom",
       {"odd"},
       "known/x.json: [0].signature.symptom: 'odd' is not one of them"},
      {"/signature/ops", {"sum"}, "known/x.json: [0].signature.ops: unknown field"},
      {"/when", gone, "known/x.json: [0].when: missing"},
      {"/when/op", "sum", "known/x.json: [0].when.op: expected a list of names"},
      {"/when/dtype", {"int7"}, "known/x.json: [0].when.dtype: 'int7' is not one of them"},
      {"/when/family", {"general"}, "known/x.json: [0].when.family: 'general' is not one of them"},
      {"/when/ranks_min", -1,
       "known/x.json: [0].when.ranks_min: expected a whole number, not negative"},
      {"/when/ranks_max", 1, "known/x.json: [0].when.ranks_min: above ranks_max"},
      {"/when/count_min", 1.5,
       "known/x.json: [0].when.count_min: expected a whole number, not negative"},
      {"/when/in_place", 1, "known/x.json: [0].when.in_place: expected true or false"},
      {"/when/communicator_freed", true,
       "known/x.json: [0].when.communicator_freed: expected \"pending\""},
      {"/when/send_layout",
       {"matrix"},
       "known/x.json: [0].when.send_layout: 'matrix' is not one of them"},
      {"/when/restart_max", -1,
       "known/x.json: [0].when.restart_max: expected a whole number, not negative"},
      {"/when/ranks_power_of_two", 2,
       "known/x.json: [0].when.ranks_power_of_two: expected true or false"},
      {"/when/completed_by",
       {"waiting"},
       "known/x.json: [0].when.completed_by: 'waiting' is not one of them"},
      {"/when/completed_with", "*",
       "known/x.json: [0].when.completed_with: expected a list of names"},
      {"/when/environment",
       {{"A", "3"}},
       "known/x.json: [0].when.environment.A: expected \">=number\" or \"=value\""},
      {"/when/environment",
       {{"A", ">="}},
       "known/x.json: [0].when.environment.A: expected \">=number\" or \"=value\""},
      {"/when/rank_min", 2, "known/x.json: [0].when.rank_min: unknown field"},
      {"/witness", gone, "known/x.json: [0].witness: missing"},
      {"/run", gone, "known/x.json: [0].run: missing"},
      {"/run/ranks", gone, "known/x.json: [0].run.ranks: missing"},
      {"/run/ranks", 0, "known/x.json: [0].run.ranks: no such number of ranks"},
      {"/run/environment", {{"A", 3}}, "known/x.json: [0].run.environment.A: expected a text"},
      {"/run/rank", 3, "known/x.json: [0].run.rank: unknown field"},
      {"/when/environment",
       {{"A", ">=3x"}},
       "known/x.json: [0].when.environment.A: expected \">=number\" or \"=value\""},
      {"/upstream", gone, "known/x.json: [0].upstream: missing"},
      {"/page", gone, "known/x.json: [0].page: missing"},
      {"/comment", "hello", "known/x.json: [0].comment: unknown field"},
  };
  ASSERT_EQ(error_of(Json::array({entry()})), "");
  for (const auto& row : rows) {
    auto broken = entry();
    const Json::json_pointer pointer(row.pointer);
    if (row.value.is_discarded()) {
      broken[pointer.parent_pointer()].erase(pointer.back());
    } else {
      broken[pointer] = row.value;
    }
    EXPECT_EQ(error_of(Json::array({broken})), row.error);
  }
}

TEST(KnownFiles, AreListsOfObjectsWithDifferentIds) {
  EXPECT_THAT(error_of(entry()), HasSubstr("expected a list"));
  EXPECT_THAT(error_of(Json::array({entry(), 7})), HasSubstr("[1]: expected an object"));
  EXPECT_THAT(error_of(Json::array({entry(), entry()})), HasSubstr("[1].id: used twice"));
  EXPECT_FALSE(known_from_text("[{", "known/x.json"));
  EXPECT_FALSE(known_from_text("", "known/x.json"));
}

TEST(KnownFiles, OfTheSourceTreeAreReadableAndNameWhatExists) {
  const char* source = getenv("ALLPROVE_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "ALLPROVE_SOURCE is not set";
  const std::filesystem::path root(source);
  int files = 0;
  for (const auto& item : std::filesystem::directory_iterator(root / "known")) {
    if (item.path().extension() != ".json") continue;
    ++files;
    std::ifstream file(item.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto known = known_from_text(text, item.path().filename());
    ASSERT_TRUE(known) << known.error().message;
    for (const auto& one : *known) {
      EXPECT_EQ(one.library, item.path().stem()) << one.id;
      EXPECT_TRUE(std::filesystem::exists(root / one.witness)) << one.witness;
      EXPECT_TRUE(std::filesystem::exists(root / one.page)) << one.page;
      for (const auto& property : one.property.names) {
        EXPECT_TRUE(property == "*" ||
                    std::filesystem::exists(root / "properties" / (property + ".cpp")))
            << one.id << ": " << property;
      }
    }
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace allprove
