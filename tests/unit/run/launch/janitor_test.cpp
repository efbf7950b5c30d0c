#include "framework/run/launch/janitor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "framework/run/launch/files.h"

namespace allprove {
namespace {

namespace fs = std::filesystem;

TEST(Janitor, MakesAPrivateRunDirectory) {
  const auto directory = choose_run_directory();
  EXPECT_TRUE(directory.is_absolute());
  EXPECT_TRUE(directory.filename().string().starts_with("allprove-"));
  EXPECT_NE(directory, choose_run_directory());
  EXPECT_FALSE(fs::exists(directory));
  auto janitor = Janitor::start(directory, make_run_id());
  ASSERT_TRUE(janitor);
  EXPECT_EQ(fs::status(directory).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(janitor->finish(Deadline::after(Milliseconds(20'000))));
}

TEST(Janitor, ADirectoryThatCannotBeMadeIsAnError) {
  const auto janitor = Janitor::start("/nonexistent/allprove-test", make_run_id());
  ASSERT_FALSE(janitor);
  EXPECT_NE(to_line(janitor.error()).find("TMPDIR"), std::string::npos);
}

TEST(Janitor, ACleanEndRemovesTheDirectories) {
  const auto directory = choose_run_directory();
  const std::string run_id = make_run_id();
  auto janitor = Janitor::start(directory, run_id);
  ASSERT_TRUE(janitor);
  std::ofstream(directory / "file") << "x";
  fs::create_directory(shared_memory_directory(run_id));
  EXPECT_TRUE(janitor->finish(Deadline::after(Milliseconds(20'000))));
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_FALSE(fs::exists(shared_memory_directory(run_id)));
}

TEST(Janitor, AnEndWithoutAWordRemovesThemToo) {
  const auto directory = choose_run_directory();
  { auto janitor = Janitor::start(directory, make_run_id()); }
  for (int i = 0; fs::exists(directory) && i < 2000; ++i) {
    std::this_thread::sleep_for(Milliseconds(10));
  }
  EXPECT_FALSE(fs::exists(directory));
}

}  // namespace
}  // namespace allprove
