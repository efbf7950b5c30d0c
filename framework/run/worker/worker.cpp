#include "framework/run/worker/worker.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "framework/base/check.h"
#include "framework/run/channel.h"
#include "framework/run/position_board.h"
#include "framework/run/worker/executor.h"

namespace allprove {
namespace {

constexpr Milliseconds kGreetingBound(30'000);
// How long a worker waits for a driver that lives: it may be stopped, or busy with other worlds.
constexpr Milliseconds kDriverBound(24 * 3600 * 1000);

// The process ends with its parent, whatever the library is doing.
Status die_with_parent() {
  const auto parent = getppid();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    return internal_error("prctl(PR_SET_PDEATHSIG) failed");
  if (getppid() != parent) return internal_error("the parent process has gone");
  return {};
}

Result<std::string> variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) {
    return internal_error(fmt::format("{} is not set", name),
                          "a worker is started by allprove, not by hand");
  }
  return std::string(text);
}

Result<int> number_of(std::string_view name, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    return internal_error(fmt::format("{}='{}' is not a number", name, text));
  }
  return value;
}

// A worker's life on its channel, from the greeting to the stop.
class Session {
 public:
  explicit Session(Backend& backend) : backend_(backend) {}

  // Ends after a `stop`, or with what went wrong on our side.
  Status run() {
    auto place = connect();
    if (!place) return tl::unexpected(place.error());
    const int size = place->size;
    auto ready = backend_.start(std::move(*place));
    if (!ready) return tl::unexpected(ready.error());
    // A world of another size is for the driver to refuse; nothing may run in it.
    if (ready->size == size && (ready->rank < 0 || ready->rank >= size)) {
      return internal_error(
          fmt::format("the library says that this is rank {} of {}", ready->rank, ready->size));
    }
    if (auto sent = channel_.send(MessageType::ready, *ready, patience()); !sent) return sent;
    Executor executor(backend_, *board_, ready->rank, size);
    return serve(executor);
  }

  void tell(const Error& error) {
    if (!channel_.open()) return;
    const auto sent = channel_.send(MessageType::failure, Failure{to_line(error)},
                                    Deadline::after(kGreetingBound));
    if (!sent) std::fprintf(stderr, "allprove worker: %s\n", to_line(sent.error()).c_str());
  }

 private:
  static Deadline patience() { return Deadline::after(kDriverBound); }

  // Greets the driver and takes what it passes on.
  Result<WorldPlace> connect() {
    const auto path = variable(kConnectVariable);
    const auto token = variable(kTokenVariable);
    const auto size_text = variable(kSizeVariable);
    for (const auto* given : {&path, &token, &size_text}) {
      if (!*given) return tl::unexpected(given->error());
    }
    WorldPlace place;
    const auto size = number_of(kSizeVariable, *size_text);
    if (!size) return tl::unexpected(size.error());
    place.size = *size;
    if (const char* slot_text = std::getenv(kSlotVariable)) {
      const auto slot = number_of(kSlotVariable, slot_text);
      if (!slot) return tl::unexpected(slot.error());
      place.slot = *slot;
    }
    auto socket = connect_to(*path);
    if (!socket) return tl::unexpected(socket.error());
    channel_ = Channel(std::move(*socket));
    const auto deadline = Deadline::after(kGreetingBound);
    const Hello hello{kProtocolVersion, *token};
    if (auto sent = channel_.send(MessageType::hello, hello, deadline); !sent) {
      return tl::unexpected(sent.error());
    }
    const auto welcome = channel_.receive_before(deadline);
    if (!welcome) return tl::unexpected(welcome.error());
    auto descriptors = channel_.take_descriptors();
    if (welcome->type != MessageType::welcome || descriptors.size() != 2) {
      return internal_error("the driver did not welcome this worker");
    }
    auto board = PositionBoard::open(descriptors[0].get(), place.size);
    if (!board) return tl::unexpected(board.error());
    board_ = std::move(*board);
    place.arena = std::move(descriptors[1]);
    return place;
  }

  Status serve(Executor& executor) {
    for (;;) {
      const auto frame = channel_.receive_before(patience());
      if (!frame) return tl::unexpected(frame.error());
      if (frame->type == MessageType::stop) {
        backend_.finish();
        return {};
      }
      if (frame->type != MessageType::batch) {
        return internal_error("the driver sent a message that is not for a worker");
      }
      const auto batch = from_bytes<Batch>(frame->payload);
      if (!batch) return tl::unexpected(batch.error());
      auto sent = channel_.send(MessageType::results, executor.run(*batch), patience());
      if (!sent) return sent;
    }
  }

  Backend& backend_;
  Channel channel_;
  std::optional<PositionBoard> board_;
};

Status live(Session& session) {
  try {
    if (auto status = die_with_parent(); !status) return status;
    return session.run();
  } catch (const std::exception& error) {  // ours: no memory, say
    return internal_error(error.what());
  }
}

}  // namespace

void run_worker(Backend& backend) {
  Session session(backend);
  const auto status = live(session);
  if (!status) {
    std::fprintf(stderr, "allprove worker: %s\n", to_line(status.error()).c_str());
    session.tell(status.error());
  }
  // Not by way of exit(): what a library does there is not what is tested.
  std::fflush(nullptr);
  _exit(status ? 0 : kWorkerFailed);
}

}  // namespace allprove
