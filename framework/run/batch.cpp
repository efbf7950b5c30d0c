#include "framework/run/batch.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "framework/base/wait_status.h"
#include "framework/model/wording.h"
#include "framework/run/launch/processes.h"

namespace allprove {
namespace {

constexpr Milliseconds kTick(5);             // between two looks at the positions
constexpr Milliseconds kQuiet(30);           // without movement, before a world is judged
constexpr Milliseconds kPresumeAfter(1000);  // without movement, before a presumption counts
constexpr Milliseconds kAfterError(250);     // without movement, once a rank has got an error
constexpr Milliseconds kSendBound(10'000);
constexpr Milliseconds kExitGrace(5000);    // from a channel's closing to the exit behind it
constexpr Milliseconds kSpawnerGrace(300);  // from a rank's end to that of the spawner

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);  // all of it, where there is one line
}

// One batch on one world, from the first byte sent to the last result or the end of the world.
class BatchRun {
 public:
  BatchRun(World& world, std::span<const Case> cases, const RunSettings& settings,
           const BatchOptions& options)
      : world_(world),
        cases_(cases),
        settings_(settings),
        options_(options),
        first_number_(world.take_numbers(cases.size())),
        ranks_(static_cast<std::size_t>(world.ranks())),
        results_(ranks_),
        exits_(ranks_) {}

  BatchReport run() {
    const auto began = now_ns();
    send_cases();
    moved_ = entered_case_ = Clock::now();
    while (!done() && !report_.broken && !report_.interrupted) {
      wait_for_news();
      if (!report_.broken) take_exits();
      if (!report_.broken && !done()) watch();
      if (settings_.stop_wanted() && !done()) report_.interrupted = true;
    }
    if (!report_.broken && !report_.interrupted) collect();
    report_.elapsed_ns = now_ns() - began;
    return std::move(report_);
  }

 private:
  bool done() const { return received_ == ranks_; }

  void send_cases() {
    const Batch batch{first_number_,
                      options_.bare,
                      options_.samples,
                      options_.repeat,
                      {cases_.begin(), cases_.end()}};
    const auto bytes = to_bytes(batch);
    const auto deadline = Deadline::after(kSendBound);
    for (std::size_t rank = 0; rank < ranks_ && !report_.broken; ++rank) {
      auto& channel = world_.channel(static_cast<int>(rank));
      if (auto status = channel.send(MessageType::batch, std::span(bytes), deadline); !status) {
        lost_channel(rank, status.error().message);
      }
    }
  }

  void wait_for_news() {
    std::vector<pollfd> polled = {{world_.processes().report_fd(), POLLIN, 0}};
    std::vector<std::size_t> who;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (results_[rank]) continue;
      polled.push_back({world_.channel(static_cast<int>(rank)).fd(), POLLIN, 0});
      who.push_back(rank);
    }
    poll(polled.data(), polled.size(), static_cast<int>(kTick.count()));
    for (std::size_t i = 0; i < who.size() && !report_.broken; ++i) {
      if (polled[i + 1].revents != 0) hear(who[i]);
    }
  }

  void hear(std::size_t rank) {
    auto frame = world_.channel(static_cast<int>(rank)).receive();
    if (!frame) return lost_channel(rank, frame.error().message);
    if (!*frame) return;
    if ((*frame)->type == MessageType::failure) return failed(rank, **frame);
    auto results = from_bytes<Results>((*frame)->payload);
    if ((*frame)->type != MessageType::results || !results) {
      return trouble(fmt::format("rank {} sent something else than results", rank));
    }
    if (results->first_number != first_number_ || results->cases.size() != cases_.size()) {
      return trouble(fmt::format("rank {} sent the results of other cases", rank));
    }
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (results->cases[i].operations.size() > cases_[i].program.size()) {
        return trouble(fmt::format("rank {} sent more results than there are operations", rank));
      }
    }
    results_[rank] = std::move(*results);
    ++received_;
  }

  // A channel that closes is the first sign of a rank's end; its exit tells why.
  void lost_channel(std::size_t rank, const std::string& what) {
    await(kExitGrace, [&] { return exits_[rank].has_value(); });
    if (report_.broken) return;
    if (exits_[rank]) return crashed(rank);
    trouble(fmt::format("rank {}: {}", rank, what));
  }

  // Keeps what the launcher tells of the ranks' exits. Its own end is trouble.
  void note_exits() {
    const auto exits = world_.processes().take_exits();
    if (!exits) return trouble(exits.error().message);
    for (const auto& abort : world_.processes().take_aborts()) {
      if (abort.rank >= 0 && abort.rank < world_.ranks()) aborts_.push_back(abort);
    }
    for (const auto& exit : *exits) {
      if (exit.rank < 0) return trouble("the launcher " + describe_exit(exit.wait_status));
      exits_[static_cast<std::size_t>(exit.rank)] = exit.wait_status;
    }
  }

  void take_exits() {
    note_exits();
    if (report_.broken) return;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (!exits_[rank]) continue;
      gather_failure(rank);
      if (!report_.broken) crashed(rank);
      return;
    }
  }

  // Waits a moment for what the launcher has to tell.
  template <class Done>
  void await(Milliseconds bound, Done done) {
    const auto deadline = Deadline::after(bound);
    while (!deadline.passed()) {
      note_exits();
      if (report_.broken || done()) return;
      pollfd polled{world_.processes().report_fd(), POLLIN, 0};
      poll(&polled, 1, static_cast<int>(kTick.count()));
    }
  }

  // A rank that ended may have said why on its channel: then it is our own failure.
  void gather_failure(std::size_t rank) {
    auto& channel = world_.channel(static_cast<int>(rank));
    while (channel.open() && !results_[rank]) {
      auto frame = channel.receive();
      if (!frame || !*frame) return;
      if ((*frame)->type == MessageType::failure) return failed(rank, **frame);
    }
  }

  void failed(std::size_t rank, const Frame& frame) {
    const auto failure = from_bytes<Failure>(frame.payload);
    trouble(
        fmt::format("rank {}: {}", rank, failure ? failure->message : "failed without saying why"));
  }

  std::uint32_t number_of(std::size_t index) const {
    return first_number_ + static_cast<std::uint32_t>(index);
  }

  std::vector<Position> positions(std::size_t index) const {
    std::vector<Position> all;
    const auto groups = static_cast<int>(cases_[index].groups.size());
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      auto position = world_.board().read(static_cast<int>(rank), number_of(index), groups);
      position.alive = !exits_[rank].has_value();
      // The library may have written anything over the board.
      const auto operations = static_cast<int>(cases_[index].program.size());
      if (position.operation >= operations) position.operation = -1;
      all.push_back(std::move(position));
    }
    return all;
  }

  // The first case that some rank has not finished.
  std::size_t slowest_case() const {
    for (std::size_t index = current_; index < cases_.size(); ++index) {
      const auto all = positions(index);
      const bool finished = std::all_of(all.begin(), all.end(), [](const Position& position) {
        return position.phase == Phase::finished;
      });
      if (!finished) return index;
    }
    return cases_.size() - 1;
  }

  // The case that a rank is in, which need not be the slowest one: ranks run ahead of each other.
  std::size_t case_of(std::size_t rank) const {
    for (std::size_t index = current_; index < cases_.size(); ++index) {
      const auto position = world_.board().read(static_cast<int>(rank), number_of(index), 0);
      if (position.phase != Phase::finished) return index;
    }
    return cases_.size() - 1;
  }

  // The first case in which a rank that has answered got an error, if any. It made no further call,
  // and others may wait for it, in this case or in a later one.
  std::optional<std::size_t> first_error() const {
    const auto is_error = [](const OperationRecord& record) { return record.code != 0; };
    std::optional<std::size_t> first;
    for (const auto& results : results_) {
      for (std::size_t i = 0; results && i < first.value_or(cases_.size()); ++i) {
        const auto& records = results->cases[i].operations;
        if (std::any_of(records.begin(), records.end(), is_error)) first = i;
      }
    }
    return first;
  }

  // Judges a world that does not move.
  void watch() {
    const auto now = Clock::now();
    const auto index = slowest_case();
    if (index != current_) {
      current_ = index;
      entered_case_ = now;
      seen_.clear();
    }
    auto view = positions(index);
    if (view != seen_) {
      seen_ = std::move(view);
      moved_ = now;
    }
    // Who calls for an abort ends soon, or waits for a launcher that ends everyone.
    if (!aborts_.empty()) {
      if (now - moved_ >= kSpawnerGrace) aborted();
      return;
    }
    auto limit =
        cases_[index].deadline_ms > 0 ? Milliseconds(cases_[index].deadline_ms) : options_.deadline;
    if (const auto failed = first_error()) {
      if (*failed < index && now - moved_ >= kQuiet) return stopped_by_error(*failed);
      limit = std::min(limit, kAfterError);
    }
    // A rank that enters or leaves a call shows that the case goes on: on a loaded machine a long
    // program may take its time, a single call may not.
    const auto calls = static_cast<int>(cases_[index].program.size()) + 1;
    if (now - moved_ >= limit || now - entered_case_ >= limit * calls) {
      look_for_stopped();
      Judgement judgement = settings_.judge ? settings_.judge(cases_[index], seen_) : Judgement{};
      return hung(Proof::deadline, index, judgement);
    }
    if (settings_.judge == nullptr || now - moved_ < kQuiet) return;
    // Two equal views with time between them: no rank moved while the first was taken.
    const auto judgement = settings_.judge(cases_[index], seen_);
    const bool counts = judgement.proof == Proof::proven ||
                        (judgement.proof == Proof::presumed && now - moved_ >= kPresumeAfter &&
                         !cases_[index].faults.empty());
    if (counts && positions(index) == seen_) hung(judgement.proof, index, judgement);
  }

  void look_for_stopped() {
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      auto& position = seen_[rank];
      position.stopped =
          position.alive && is_stopped(world_.processes().pid(static_cast<int>(rank)));
    }
  }

  // The history of the case at which the world broke, with what the ranks could still tell.
  History& broken_history(std::size_t index) { return broken_history(index, positions(index)); }

  History& broken_history(std::size_t index, const std::vector<Position>& all) {
    current_ = index;
    report_.broken = true;
    report_.broken_at = current_;
    auto& history = report_.histories.emplace_back();
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      auto& record = history.ranks.emplace_back();
      record.position = all[rank];
      record.wait_status = exits_[rank];
      if (results_[rank]) record.operations = results_[rank]->cases[current_].operations;
      record.operations.resize(cases_[current_].program.size());
    }
    history.elapsed_ns = (Clock::now() - entered_case_).count();
    return history;
  }

  // The others are through with the case, and wait for a rank that stopped in it.
  void stopped_by_error(std::size_t index) {
    auto& history = broken_history(index);
    history.outcome = Outcome::error;
  }

  // As the case stood when it was judged.
  void hung(Proof proof, std::size_t index, const Judgement& judgement) {
    auto& history = broken_history(index, seen_);
    history.outcome = Outcome::hang;
    history.proof = proof;
    history.blame = judgement.blame;
    history.diagnosis = judgement.diagnosis;
    history.detect_ns = (Clock::now() - moved_).count();
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      history.ranks[rank].last_output = world_.last_output(static_cast<int>(rank));
    }
  }

  void crashed(std::size_t rank) {
    const int status = *exits_[rank];
    const int as_rank = static_cast<int>(rank);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kWorkerFailed) {
      return trouble(fmt::format("rank {}: {}", rank, last_line(world_.last_output(as_rank))));
    }
    // The end of the spawner, or of its sandbox, takes the ranks along.
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
      await(kSpawnerGrace, [] { return false; });
      if (report_.broken) return;
    }
    auto& history = broken_history(case_of(rank));
    history.outcome = Outcome::crash;
    history.blame = {as_rank};
    auto& record = history.ranks[rank];
    record.last_output = world_.last_output(as_rank);
    history.diagnosis =
        fmt::format("rank {} {}{}", rank, describe_exit(status), place_text(record.position));
    tell_aborts(history);
  }

  // Nobody has ended, but a rank wants everyone to.
  void aborted() {
    auto& history = broken_history(slowest_case());
    history.outcome = Outcome::crash;
    tell_aborts(history);
  }

  // A rank that called for everyone's end is to blame, whoever ended first.
  void tell_aborts(History& history) const {
    if (!aborts_.empty()) history.blame.clear();
    for (const auto& abort : aborts_) {
      auto& record = history.ranks[static_cast<std::size_t>(abort.rank)];
      record.last_output = world_.last_output(abort.rank);
      if (!history.diagnosis.empty()) history.diagnosis += "; ";
      history.diagnosis += fmt::format("rank {} called for an abort with code {}{}", abort.rank,
                                       abort.code, place_text(record.position));
      history.blame.push_back(abort.rank);
    }
  }

  std::string place_text(const Position& position) const {
    const auto& test_case = cases_[current_];
    const auto operation = position.operation;
    if (operation < 0) return {};
    return fmt::format(" {} {}", position.phase == Phase::called ? "in" : "after",
                       operation_text(test_case, operation));
  }

  void trouble(const std::string& what) {
    auto& history = broken_history(slowest_case());
    history.trouble = what;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      history.ranks[rank].last_output = world_.last_output(static_cast<int>(rank));
    }
  }

  // Every rank has answered: turns results by rank into histories by case.
  void collect() {
    for (const auto& results : results_) {
      report_.worker_elapsed_ns = std::max(report_.worker_elapsed_ns, results->elapsed_ns);
    }
    for (std::size_t index = 0; index < cases_.size(); ++index) {
      auto& history = report_.histories.emplace_back();
      std::int64_t first = 0;
      std::int64_t last = 0;
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        auto& result = results_[rank]->cases[index];
        auto& record = history.ranks.emplace_back();
        record.position.phase = Phase::finished;
        record.operations = std::move(result.operations);
        record.operations.resize(cases_[index].program.size());
        if (!result.skipped.empty()) history.skipped = result.skipped;
        for (const auto& operation : record.operations) {
          if (operation.code != 0) history.outcome = worse(history.outcome, Outcome::error);
          if (operation.called_ns == 0) continue;
          if (first == 0 || operation.called_ns < first) first = operation.called_ns;
          last = std::max({last, operation.returned_ns, operation.completed_ns});
        }
      }
      history.elapsed_ns = last - first;
    }
  }

  World& world_;
  std::span<const Case> cases_;
  const RunSettings& settings_;
  const BatchOptions& options_;
  const std::uint32_t first_number_;
  const std::size_t ranks_;
  std::vector<std::optional<Results>> results_;
  std::vector<std::optional<int>> exits_;
  std::vector<RankAbort> aborts_;
  std::size_t received_ = 0;
  BatchReport report_;

  std::size_t current_ = 0;     // the first case that some rank has not finished
  TimePoint entered_case_;      // since when it is that one
  TimePoint moved_;             // when a position last changed
  std::vector<Position> seen_;  // the positions then
};

}  // namespace

BatchReport run_batch(World& world, std::span<const Case> cases, const RunSettings& settings,
                      const BatchOptions& options) {
  ALLPROVE_CHECK(!cases.empty());
  return BatchRun(world, cases, settings, options).run();
}

}  // namespace allprove
