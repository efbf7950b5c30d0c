// A worker's life as its driver sees it: the test is the driver, the worker a process of its own.
#include "framework/run/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <filesystem>
#include <functional>

#include "framework/run/channel.h"
#include "framework/run/position_board.h"
#include "tests/unit/worker/fake_backend.h"

namespace allprove {
namespace {

using testing::HasSubstr;

// The fake library as rank 0 of a world of one.
class FakeLibrary final : public Backend {
 public:
  Result<Ready> start(WorldPlace place) override {
    if (starting) return starting(place);
    Ready ready;
    ready.rank = place.slot;
    ready.size = place.size;
    ready.library = "fake";
    return ready;
  }
  std::optional<std::string> unsupported(const Case&, const Operation&) const override {
    return std::nullopt;
  }
  std::string communicator_scope(const Operation&) const override { return {}; }
  LibraryStatus open(const Case&, int, const Operation&, std::unique_ptr<Communicator>&) override {
    return {};
  }
  LibraryStatus call(const CollectiveArguments& arguments, const std::string&) override {
    return behaviour(arguments);
  }
  LibraryStatus start(const CollectiveArguments&, const std::string&,
                      std::unique_ptr<Request>&) override {
    return {};
  }
  LibraryStatus init(const CollectiveArguments&, const std::string&,
                     std::unique_ptr<Request>&) override {
    return {};
  }
  LibraryStatus start_request(Request&) override { return {}; }
  LibraryStatus wait(Request&) override { return {}; }
  LibraryStatus wait_all(std::span<Request* const>, bool) override { return {}; }
  LibraryStatus test(Request&, bool&) override { return {}; }
  void finish() override { finished(); }

  std::function<Result<Ready>(WorldPlace&)> starting;
  std::function<LibraryStatus(const CollectiveArguments&)> behaviour = FakeBackend::copy;
  std::function<void()> finished = [] {};
};

// The process at the other end.
pid_t peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  EXPECT_EQ(getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
  return peer.pid;
}

class WorkerTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/allprove-worker-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    listening_ = std::move(*listen_at(path()));
    board_.emplace(std::move(*PositionBoard::create(1)));
    arena_ = UniqueFd(memfd_create("arena", MFD_CLOEXEC));
  }
  void TearDown() override {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    std::filesystem::remove_all(folder_);
  }

  std::string path() const { return folder_ + "/socket"; }

  void start(FakeLibrary library = {}, const char* token = "secret", const char* size = "1") {
    pid_ = fork();
    ASSERT_GE(pid_, 0);
    if (pid_ > 0) return;
    setenv(kConnectVariable, path().c_str(), 1);
    setenv(kTokenVariable, token, 1);
    setenv(kSizeVariable, size, 1);
    setenv(kSlotVariable, "0", 1);
    run_worker(library);
  }

  static Deadline soon() { return Deadline::after(Milliseconds(20'000)); }

  void accept_worker() {
    Milliseconds waited(0);
    UniqueFd socket;
    while (!socket && waited < Milliseconds(20'000)) {
      socket.reset(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket) usleep(1000);
      waited += Milliseconds(1);
    }
    ASSERT_TRUE(socket);
    channel_ = Channel(std::move(socket));
  }

  template <class Message>
  Message next(MessageType type) {
    auto frame = channel_.receive_before(soon());
    if (!frame) {
      ADD_FAILURE() << frame.error().message;
      return {};
    }
    EXPECT_EQ(frame->type, type);
    const auto message = from_bytes<Message>(frame->payload);
    EXPECT_TRUE(message);
    return message.value_or(Message{});
  }

  void welcome() {
    const int descriptors[] = {board_->fd(), arena_.get()};
    ASSERT_TRUE(
        channel_.send(MessageType::welcome, std::span<const std::byte>(), soon(), descriptors));
  }

  // A worker that is ready for cases.
  void start_ready(FakeLibrary library = {}) {
    start(std::move(library));
    accept_worker();
    next<Hello>(MessageType::hello);
    welcome();
    next<Ready>(MessageType::ready);
  }

  int exit_code() {
    int status = -1;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status);
  }

  static Batch one_case() {
    Batch batch;
    batch.first_number = 1;
    batch.cases.resize(1);
    batch.cases[0].program.resize(1);
    return batch;
  }

  std::string folder_;
  UniqueFd listening_;
  std::optional<PositionBoard> board_;
  UniqueFd arena_;
  Channel channel_;
  pid_t pid_ = -1;
};

TEST_F(WorkerTest, ItProvesItsTokenRunsBatchesAndStops) {
  start();
  accept_worker();
  const auto hello = next<Hello>(MessageType::hello);
  EXPECT_EQ(hello.token, "secret");
  EXPECT_EQ(hello.version, kProtocolVersion);
  welcome();
  EXPECT_EQ(next<Ready>(MessageType::ready).library, "fake");
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(channel_.send(MessageType::batch, one_case(), soon()));
    const auto results = next<Results>(MessageType::results);
    ASSERT_EQ(results.cases.size(), 1u);
    EXPECT_TRUE(results.cases[0].operations.at(0).evidence.checked);
  }
  EXPECT_EQ(board_->read(0, 1, 1).phase, Phase::finished);
  ASSERT_TRUE(channel_.send(MessageType::stop, std::span<const std::byte>(), soon()));
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(WorkerTest, TheLibraryIsFinishedOnlyAfterAStop) {
  FakeLibrary library;
  library.finished = [] { _exit(42); };
  start_ready(std::move(library));
  ASSERT_TRUE(channel_.send(MessageType::stop, std::span<const std::byte>(), soon()));
  EXPECT_EQ(exit_code(), 42);
}

TEST_F(WorkerTest, ADriverThatGoesAwayEndsIt) {
  start_ready();
  channel_.close();
  EXPECT_EQ(exit_code(), kWorkerFailed);
}

TEST_F(WorkerTest, ADriverThatDoesNotWelcomeItProperlyIsTold) {
  start();
  accept_worker();
  next<Hello>(MessageType::hello);
  ASSERT_TRUE(channel_.send(MessageType::welcome, std::span<const std::byte>(), soon()));
  EXPECT_THAT(next<Failure>(MessageType::failure).message, HasSubstr("welcome"));
  EXPECT_EQ(exit_code(), kWorkerFailed);
}

TEST_F(WorkerTest, AMalformedBatchIsAFailureOfOurs) {
  start_ready();
  const std::vector<std::byte> garbage(7, std::byte{0xff});
  ASSERT_TRUE(channel_.send(MessageType::batch, garbage, soon()));
  EXPECT_THAT(next<Failure>(MessageType::failure).message, HasSubstr("malformed"));
  EXPECT_EQ(exit_code(), kWorkerFailed);
}

TEST_F(WorkerTest, ALibraryThatCannotBeStartedIsAFailureWithItsReason) {
  FakeLibrary library;
  library.starting = [](WorldPlace&) -> Result<Ready> { return internal_error("no network"); };
  start(std::move(library));
  accept_worker();
  next<Hello>(MessageType::hello);
  welcome();
  EXPECT_EQ(next<Failure>(MessageType::failure).message, "no network");
  EXPECT_EQ(exit_code(), kWorkerFailed);
}

TEST_F(WorkerTest, AnErrorInOurselvesIsAFailureAndNoCrash) {
  FakeLibrary library;
  library.behaviour = [](const CollectiveArguments&) -> LibraryStatus {
    throw InternalError("the worker is ill");
  };
  start_ready(std::move(library));
  ASSERT_TRUE(channel_.send(MessageType::batch, one_case(), soon()));
  EXPECT_EQ(next<Failure>(MessageType::failure).message, "the worker is ill");
  EXPECT_EQ(exit_code(), kWorkerFailed);
}

TEST_F(WorkerTest, ACaseForAWorldOfAnotherSizeIsRefused) {
  start_ready();
  auto batch = one_case();
  batch.cases[0].ranks = 2;
  ASSERT_TRUE(channel_.send(MessageType::batch, batch, soon()));
  next<Failure>(MessageType::failure);
  EXPECT_EQ(exit_code(), kWorkerFailed);
}

TEST_F(WorkerTest, AWorldOfTheWrongSizeIsReportedAsTheLibrarySeesIt) {
  FakeLibrary library;
  library.starting = [](WorldPlace&) -> Result<Ready> {
    Ready ready;
    ready.rank = 0;
    ready.size = 7;
    return ready;
  };
  start(std::move(library));
  accept_worker();
  next<Hello>(MessageType::hello);
  welcome();
  EXPECT_EQ(next<Ready>(MessageType::ready).size, 7);
}

TEST_F(WorkerTest, WithoutItsEnvironmentItDoesNotStart) {
  start({}, "secret", "many");
  EXPECT_EQ(exit_code(), kWorkerFailed);
}

TEST_F(WorkerTest, ItDiesWithItsParentWhateverTheLibraryDoes) {
  // The test waits for the grandchild: it becomes a child of the test when its parent goes.
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    FakeLibrary library;
    library.behaviour = [](const CollectiveArguments&) -> LibraryStatus {
      for (;;) pause();
    };
    start(std::move(library));
    for (;;) pause();
  }
  accept_worker();
  next<Hello>(MessageType::hello);
  const auto worker = peer_of(channel_.fd());
  welcome();
  next<Ready>(MessageType::ready);
  ASSERT_TRUE(channel_.send(MessageType::batch, one_case(), soon()));
  for (int ms = 0; ms < 20'000 && board_->read(0, 1, 1).phase != Phase::called; ++ms) usleep(1000);
  kill(parent, SIGKILL);
  EXPECT_EQ(waitpid(parent, nullptr, 0), parent);
  int status = 0;
  EXPECT_EQ(waitpid(worker, &status, 0), worker);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

}  // namespace
}  // namespace allprove
