// A log takes what a rank prints, and cannot grow without end.
#include "framework/run/launch/spawner/rank_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "framework/run/launch/launcher.h"

namespace allprove {
namespace {

class RankLogTest : public testing::Test {
 protected:
  ~RankLogTest() override { std::filesystem::remove(path_); }

  // A world that prints so much, then something.
  void print(std::size_t bytes, const std::string& end) {
    auto pipe = RankPipe::make().value();
    auto log = RankLog::open(path_, std::move(pipe.reads)).value();
    for (std::size_t done = 0; done < bytes; done += kPiece.size()) write_to(pipe, log, kPiece);
    write_to(pipe, log, end);
    pipe.writes.reset();
    log.take();
    EXPECT_EQ(log.poll_fd(), -1);
  }

  static void write_to(const RankPipe& pipe, RankLog& log, const std::string& text) {
    ASSERT_EQ(write(pipe.writes.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
    log.take();
  }

  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  const std::string kPiece = std::string(32'768, 'x').replace(32'767, 1, 1, '\n');
  const std::string path_ = testing::TempDir() + "rank-log-" + std::to_string(getpid());
};

TEST_F(RankLogTest, ShortOutputIsKeptAsItIsWorldAfterWorld) {
  print(0, "one\n");
  print(0, "two\n");
  EXPECT_EQ(text(), "one\ntwo\n");
}

TEST_F(RankLogTest, OfLongOutputTheBeginningAndTheEndAreKept) {
  print(std::size_t{20} << 20, "the end\n");
  EXPECT_LT(text().size(), static_cast<std::size_t>(kLogBytesMax) + 16'384);
  EXPECT_NE(text().find("[the log is full: "), std::string::npos);
  EXPECT_TRUE(text().ends_with("x\nthe end\n"));
}

TEST_F(RankLogTest, TheEndOfAnEarlierWorldMakesRoomForTheNext) {
  print(std::size_t{5} << 20, "the end of one\n");
  print(0, "two\n");
  EXPECT_EQ(text().find("the end of one"), std::string::npos);
  EXPECT_TRUE(text().ends_with("[the log is full: 0 bytes are left out here]\ntwo\n"));
}

}  // namespace
}  // namespace allprove
