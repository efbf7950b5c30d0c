#include "framework/run/world.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <cstring>
#include <fstream>

#include "framework/base/errno_text.h"
#include "framework/base/wait_status.h"

namespace allprove {
namespace {

namespace fs = std::filesystem;

// Memory shared by the ranks of a world, for backends without a library of their own. Sparse: only
// the pages that are touched cost anything.
constexpr off_t kArenaBytes = off_t{256} << 20;
constexpr std::size_t kHelloBytesMax = 4096;
constexpr Milliseconds kStopBound(500);
// A busy machine takes its time to take a namespace down.
constexpr Milliseconds kEndBound(20'000);
constexpr std::size_t kLogTailBytes = 2000;

std::string random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  ALLPROVE_CHECK(getrandom(raw.data(), bytes, 0) == static_cast<ssize_t>(bytes));
  std::string text;
  for (const char c : raw) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string log_name(int rank) { return fmt::format("rank-{}.log", rank); }

// The last lines of a file from an offset on, at most so many bytes; empty when there are none.
std::string tail_of(const fs::path& file, std::uintmax_t from, std::size_t bytes_max) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const auto size = static_cast<std::uintmax_t>(in.tellg());
  const auto start = std::max(from, size > bytes_max ? size - bytes_max : 0);
  if (start >= size) return {};
  in.seekg(static_cast<std::streamoff>(start));
  std::string text(size - start, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

World::World(WorldProcesses processes, PositionBoard board, fs::path log_directory,
             fs::path directory)
    : processes_(std::move(processes)),
      board_(std::move(board)),
      log_directory_(std::move(log_directory)),
      directory_(std::move(directory)) {}

World::~World() { static_cast<void>(end()); }

std::uint32_t World::take_numbers(std::size_t cases) {
  const auto first = next_number_;
  next_number_ += static_cast<std::uint32_t>(cases);
  return first;
}

void World::note_ran(std::span<const Case> cases) {
  ran_.insert(ran_.end(), cases.begin(), cases.end());
  if (ran_.size() > kRanMax) {
    ran_.erase(ran_.begin(), ran_.end() - static_cast<std::ptrdiff_t>(kRanMax));
  }
}

std::string World::last_output(int rank) const {
  return tail_of(log_directory_ / log_name(rank), log_starts_[static_cast<std::size_t>(rank)],
                 kLogTailBytes);
}

void World::stop() {
  const auto deadline = Deadline::after(kStopBound);
  for (auto& channel : channels_) {
    static_cast<void>(channel.send(MessageType::stop, std::span<const std::byte>(), deadline));
  }
  std::size_t exited = 0;
  while (exited < channels_.size() && !deadline.passed()) {
    pollfd polled{processes_.report_fd(), POLLIN, 0};
    poll(&polled, 1, deadline.left_ms());
    const auto exits = processes_.take_exits();
    if (!exits) return;  // end() will see to it
    exited += exits->size();
  }
}

Status World::end() {
  if (ended_) return {};
  ended_ = true;
  for (auto& channel : channels_) channel.close();
  const auto left = processes_.end(Deadline::after(kEndBound));
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
  if (!left) return tl::unexpected(left.error());
  if (left->empty()) return {};
  std::string names;
  for (const auto& name : left->processes) names += " process " + name;
  for (const auto& name : left->files) names += " file " + name;
  return internal_error("a world left something behind:" + names);
}

// The steps from nothing to a ready world.
class WorldLaunch {
 public:
  WorldLaunch(const Target& target, int ranks, const RunSettings& settings)
      : target_(target),
        ranks_(ranks),
        settings_(settings),
        deadline_(Deadline::after(settings.launch_deadline)) {}

  Result<std::unique_ptr<World>> run() {
    if (auto status = prepare(); !status) return tl::unexpected(status.error());
    auto board = PositionBoard::create(ranks_);
    if (!board) return tl::unexpected(board.error());
    std::vector<std::uintmax_t> log_starts;
    for (int rank = 0; rank < ranks_; ++rank) {
      std::error_code absent;
      const auto size = fs::file_size(settings_.log_directory / log_name(rank), absent);
      log_starts.push_back(absent ? 0 : std::min(size, std::uintmax_t{kLogBytesMax}));
    }
    auto processes = WorldProcesses::launch(spec());
    if (!processes) return tl::unexpected(processes.error());
    world_.reset(
        new World(std::move(*processes), std::move(*board), settings_.log_directory, directory_));
    world_->log_starts_ = std::move(log_starts);
    world_->channels_.resize(static_cast<std::size_t>(ranks_));
    while (ready_ < ranks_) {
      if (auto status = step(); !status) return tl::unexpected(explain(status.error()));
    }
    return std::move(world_);
  }

 private:
  struct Pending {
    Channel channel;
    bool welcomed = false;
  };

  Status prepare() {
    static std::atomic<unsigned> worlds = 0;
    directory_ = settings_.directory / fmt::format("w{}", worlds++);
    std::error_code error;
    fs::create_directory(directory_, error);
    if (!error) fs::permissions(directory_, fs::perms::owner_all, error);
    if (!error) fs::create_directories(settings_.log_directory, error);
    if (error) {
      return internal_error(
          fmt::format("cannot make {}: {}", directory_.string(), error.message()));
    }
    token_ = random_hex(16);
    auto listening = listen_at(socket_path());
    if (!listening) return tl::unexpected(listening.error());
    listening_ = std::move(*listening);
    arena_ = UniqueFd(memfd_create("allprove-arena", MFD_CLOEXEC));
    if (!arena_ || ftruncate(arena_.get(), kArenaBytes) != 0) {
      return internal_error(fmt::format("cannot make shared memory: {}", errno_text(errno)));
    }
    return {};
  }

  std::string socket_path() const { return (directory_ / "driver").string(); }

  LaunchSpec spec() const {
    LaunchSpec spec;
    spec.protocol = settings_.use_mpirun ? SpawnProtocol::mpirun : target_.backend->direct;
    spec.sandbox = settings_.sandbox;
    spec.worker = {target_.worker.string()};
    if (settings_.use_mpirun) spec.mpirun = mpirun_command(*target_.backend, ranks_);
    spec.ranks = ranks_;
    spec.environment = target_.environment;
    spec.environment.emplace_back(kConnectVariable, socket_path());
    spec.environment.emplace_back(kTokenVariable, token_);
    spec.environment.emplace_back(kSizeVariable, std::to_string(ranks_));
    spec.run_id = settings_.run_id;
    spec.directory = directory_;
    spec.log_directory = settings_.log_directory;
    spec.programs = programs_folder();
    return spec;
  }

  // Waits for something to happen, and deals with it.
  Status step() {
    if (settings_.stop_wanted()) return fail(ErrorKind::interrupted, "interrupted");
    if (deadline_.passed()) {
      return internal_error(fmt::format("{} of {} ranks were ready within {} s", ready_, ranks_,
                                        settings_.launch_deadline.count() / 1000));
    }
    std::vector<pollfd> polled = {{listening_.get(), POLLIN, 0},
                                  {world_->processes_.report_fd(), POLLIN, 0}};
    for (const auto& pending : pending_) polled.push_back({pending.channel.fd(), POLLIN, 0});
    constexpr int kTickMs = 100;  // how soon an interrupt is seen
    poll(polled.data(), polled.size(), std::min(deadline_.left_ms(), kTickMs));
    if (polled[1].revents != 0) {
      if (auto status = take_exits(); !status) return status;
    }
    for (std::size_t i = polled.size(); i-- > 2;) {
      if (polled[i].revents == 0) continue;
      if (auto status = hear(i - 2); !status) return status;
    }
    return polled[0].revents == 0 ? Status() : accept_one();
  }

  Status accept_one() {
    const int fd = accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) pending_.push_back({Channel(UniqueFd(fd))});
    if (fd < 0 && errno != EINTR && errno != EAGAIN && errno != ECONNABORTED) {
      return internal_error("cannot accept a rank: " + errno_text(errno));
    }
    return {};
  }

  // What a rank said before it ended, and was not heard yet, may tell why it did. That its channel
  // is closed by now says nothing new.
  Status hear_last_words() {
    pollfd waiting{listening_.get(), POLLIN, 0};
    while (poll(&waiting, 1, 0) > 0) {
      if (!accept_one()) break;
    }
    for (auto i = pending_.size(); i-- > 0;) {
      const bool welcomed = pending_[i].welcomed;
      auto status = hear(i);
      const bool closed = welcomed && i < pending_.size() && !pending_[i].channel.open();
      if (!status && !closed) return status;
    }
    return {};
  }

  Status take_exits() {
    const auto exits = world_->processes_.take_exits();
    if (!exits) return tl::unexpected(exits.error());
    if (exits->empty()) return {};
    if (auto status = hear_last_words(); !status) return status;
    const auto& exit = exits->front();
    return internal_error(
        fmt::format("{} {} before it was ready",
                    exit.rank < 0 ? "the launcher" : fmt::format("rank {}", exit.rank),
                    describe_exit(exit.wait_status)));
  }

  // Messages of a connection that is not yet a ready rank. What is not a worker of this world is
  // refused and remembered, and does not harm the others.
  Status hear(std::size_t index) {
    auto& pending = pending_[index];
    auto frame = pending.channel.receive(pending.welcomed ? kFrameBytesMax : kHelloBytesMax);
    if (!frame) {
      if (pending.welcomed) return internal_error("a rank closed its channel before it was ready");
      refuse(index, frame.error().message);
      return {};
    }
    if (!*frame) return {};
    if (!pending.welcomed) return greet(index, **frame);
    if ((*frame)->type == MessageType::failure) {
      const auto failure = from_bytes<Failure>((*frame)->payload);
      return internal_error(failure ? failure->message : "a rank failed without saying why");
    }
    return admit(index, **frame);
  }

  Status greet(std::size_t index, const Frame& frame) {
    const auto hello = from_bytes<Hello>(frame.payload);
    if (frame.type != MessageType::hello || !hello || hello->version != kProtocolVersion ||
        hello->token != token_) {
      refuse(index, "it did not prove the token of this world");
      return {};
    }
    auto& pending = pending_[index];
    pending.welcomed = true;
    const int descriptors[] = {world_->board_.fd(), arena_.get()};
    return pending.channel.send(MessageType::welcome, std::span<const std::byte>(), deadline_,
                                descriptors);
  }

  Status admit(std::size_t index, const Frame& frame) {
    const auto ready = from_bytes<Ready>(frame.payload);
    if (frame.type != MessageType::ready || !ready) {
      return internal_error("a rank sent something else than that it is ready");
    }
    if (ready->size != ranks_) {
      return internal_error(
          fmt::format("a rank is in a world of {} instead of {} ranks", ready->size, ranks_));
    }
    if (ready->rank < 0 || ready->rank >= ranks_ || world_->channel(ready->rank).open()) {
      return internal_error(fmt::format("two ranks say that they are rank {}", ready->rank));
    }
    if (ready->rank == 0) world_->ready_ = *ready;
    world_->channel(ready->rank) = std::move(pending_[index].channel);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
    ++ready_;
    return {};
  }

  void refuse(std::size_t index, const std::string& why) {
    refused_ = why;
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // The error with what else is known: refused connections and what the ranks wrote.
  Error explain(Error error) const {
    error.message =
        fmt::format("{}: no world of {} ranks: {}", target_.name, ranks_, error.message);
    if (!refused_.empty()) error.message += "; a connection was refused: " + refused_;
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto text = world_->last_output(rank);
      if (text.empty()) continue;
      error.message += fmt::format("; rank {} wrote: {}", rank, text);
      break;
    }
    return error;
  }

  const Target& target_;
  const int ranks_;
  const RunSettings& settings_;
  const Deadline deadline_;
  fs::path directory_;
  std::string token_;
  UniqueFd listening_;
  UniqueFd arena_;
  std::vector<Pending> pending_;
  std::unique_ptr<World> world_;
  int ready_ = 0;
  std::string refused_;
};

Result<std::unique_ptr<World>> World::launch(const Target& target, int ranks,
                                             const RunSettings& settings) {
  return WorldLaunch(target, ranks, settings).run();
}

}  // namespace allprove
