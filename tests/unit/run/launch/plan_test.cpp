#include "framework/run/launch/plan.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace allprove {
namespace {

Plan example() {
  Plan plan;
  plan.protocol = SpawnProtocol::pmix;
  plan.sandbox = Sandbox::none;
  plan.ranks = 5;
  plan.world = "0123";
  plan.directory = "/tmp/a b";
  plan.log_directory = "/tmp/logs";
  plan.command = {"worker", "", "two words", "line\nbreak"};
  plan.environment = {"A=1=2", "EMPTY="};
  return plan;
}

TEST(Plan, ComesBackAsItWas) {
  const auto plan = decode_plan(encode_plan(example()));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->protocol, SpawnProtocol::pmix);
  EXPECT_EQ(plan->sandbox, Sandbox::none);
  EXPECT_EQ(plan->ranks, 5);
  EXPECT_EQ(plan->world, "0123");
  EXPECT_EQ(plan->directory, "/tmp/a b");
  EXPECT_EQ(plan->log_directory, "/tmp/logs");
  EXPECT_EQ(plan->command, example().command);
  EXPECT_EQ(plan->environment, example().environment);
}

TEST(Plan, EveryTruncationIsAnError) {
  const std::string text = encode_plan(example());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(decode_plan(text.substr(0, size))) << size;
  }
}

TEST(Plan, AnUnknownProtocolIsAnError) {
  std::string text = encode_plan(example());
  text.replace(0, 4, "what");
  EXPECT_FALSE(decode_plan(text));
}

class Reports : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    driver_.reset(ends[0]);
    spawner_.reset(ends[1]);
  }
  UniqueFd driver_;
  UniqueFd spawner_;
};

TEST_F(Reports, ComeOneByOneAndThenTheEnd) {
  ASSERT_TRUE(send_report(spawner_.get(), {ReportKind::exited, 3, 256, {}}));
  ASSERT_TRUE(send_report(spawner_.get(), {ReportKind::failed, -1, 0, "a reason"}));
  bool closed = false;
  const auto first = receive_report(driver_.get(), &closed);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->kind, ReportKind::exited);
  EXPECT_EQ(first->rank, 3);
  EXPECT_EQ(first->value, 256);
  const auto second = receive_report(driver_.get(), &closed);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->text, "a reason");
  EXPECT_FALSE(receive_report(driver_.get(), &closed));
  EXPECT_FALSE(closed);
  spawner_.reset();
  EXPECT_FALSE(receive_report(driver_.get(), &closed));
  EXPECT_TRUE(closed);
}

TEST_F(Reports, TextIsCutAtItsLimit) {
  ASSERT_TRUE(send_report(spawner_.get(), {ReportKind::failed, -1, 0, std::string(5000, 'x')}));
  bool closed = false;
  const auto report = receive_report(driver_.get(), &closed);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->text, std::string(1024, 'x'));
}

TEST_F(Reports, WithoutADriverAreRefused) {
  driver_.reset();
  EXPECT_FALSE(send_report(spawner_.get(), {ReportKind::exited, 0, 0, {}}));
}

}  // namespace
}  // namespace allprove
