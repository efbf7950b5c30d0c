#include "framework/run/launch/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace allprove {
namespace {

using testing::ElementsAre;

TEST(Environment, ALaterSettingOverridesAnEarlierOne) {
  Environment environment;
  environment.set("A", "1");
  environment.set("AB", "2");
  environment.set_entry("A=3=4");
  EXPECT_THAT(environment.entries(), ElementsAre("A=3=4", "AB=2"));
}

TEST(Environment, RemovesByPrefix) {
  Environment environment;
  environment.set("PMI_RANK", "1");
  environment.set("PMIX", "2");
  environment.remove_prefixed("PMI_");
  EXPECT_THAT(environment.entries(), ElementsAre("PMIX=2"));
}

TEST(Environment, PointersEndWithNull) {
  Environment environment;
  environment.set("A", "1");
  const auto pointers = environment.pointers();
  ASSERT_EQ(pointers.size(), 2u);
  EXPECT_STREQ(pointers[0], "A=1");
  EXPECT_EQ(pointers[1], nullptr);
}

TEST(FindProgram, LooksInThePathOnlyForBareNames) {
  const std::string old = std::getenv("PATH");
  setenv("PATH", "/nonexistent:/bin:/usr/bin", 1);
  EXPECT_EQ(find_program("sh"), "/bin/sh");
  EXPECT_EQ(find_program("./sh"), "./sh");
  EXPECT_EQ(find_program("no-such-program"), "no-such-program");
  setenv("PATH", old.c_str(), 1);
}

}  // namespace
}  // namespace allprove
