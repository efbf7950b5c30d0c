// What the driver makes of the build's list of backends.
#include "framework/run/extra_backends.h"

#include <gtest/gtest.h>

#include <fstream>

#include "framework/base/check.h"

namespace allprove {
namespace {

std::vector<ExtraBackend> read(const std::string& text) {
  const auto file = std::filesystem::path(testing::TempDir()) / "allprove-extra-backends.json";
  std::ofstream(file) << text;
  struct Remove {
    std::filesystem::path file;
    ~Remove() { std::filesystem::remove(file); }
  } remove{file};
  return read_extra_backends(file);
}

constexpr const char* kList = R"({"backends": [
  {"name": "openmpi", "family": "openmpi", "worker": "allprove-worker-openmpi", "mpirun": "",
   "library": "Open MPI", "why_not": "", "get": "", "extra": false},
  {"name": "newer", "family": "openmpi", "worker": "allprove-worker-newer",
   "mpirun": "/opt/newer/bin/mpirun", "library": "", "why_not": "", "get": "", "extra": true},
  {"name": "broken", "family": "", "worker": "", "mpirun": "", "library": "",
   "why_not": "it does not link", "get": "check the path", "extra": true}]})";

TEST(ExtraBackends, AreThoseThatTheUserNamed) {
  const auto extras = read(kList);
  ASSERT_EQ(extras.size(), 2u);
  EXPECT_EQ(extras[0].name, "newer");
  EXPECT_EQ(extras[0].family, "openmpi");
  EXPECT_EQ(extras[0].worker, "allprove-worker-newer");
  EXPECT_EQ(extras[0].mpirun, "/opt/newer/bin/mpirun");
  EXPECT_EQ(extras[0].how_to_get, "");
}

TEST(ExtraBackends, SayWhyOneIsMissing) {
  const auto extras = read(kList);
  ASSERT_EQ(extras.size(), 2u);
  EXPECT_EQ(extras[1].worker, "");
  EXPECT_EQ(extras[1].how_to_get, "it does not link: check the path");
}

TEST(ExtraBackends, AreNoneWithoutAList) {
  EXPECT_TRUE(read_extra_backends("/nowhere/backends.json").empty());
}

TEST(ExtraBackends, AListThatIsNotTheBuildsIsOurOwnFailure) {
  EXPECT_THROW(read("{\"backends\": [{}]}"), InternalError);
  EXPECT_THROW(read("{"), InternalError);
}

}  // namespace
}  // namespace allprove
