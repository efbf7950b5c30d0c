// A world: the worker processes of one target at one size, connected and ready, until it is ended.
#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/base/clock.h"
#include "framework/base/result.h"
#include "framework/model/judgement.h"
#include "framework/run/channel.h"
#include "framework/run/launch/launcher.h"
#include "framework/run/position_board.h"
#include "framework/run/target.h"

namespace allprove {

// What all worlds of a run share. The pointers must outlive the worlds.
struct RunSettings {
  Sandbox sandbox = Sandbox::none;
  bool use_mpirun = false;               // the library's own launcher instead of a direct launch
  Milliseconds deadline{10'000};         // of one case
  Milliseconds launch_deadline{30'000};  // until every rank is ready
  std::string run_id;
  std::filesystem::path directory;      // of the run, in the janitor's care
  std::filesystem::path log_directory;  // rank-<r>.log
  Judge judge = nullptr;
  const std::atomic<bool>* interrupted = nullptr;

  bool stop_wanted() const { return interrupted != nullptr && interrupted->load(); }
};

inline constexpr std::size_t kRanMax = 256;  // cases that a world remembers

class World {
 public:
  // Launches, and returns when every rank has proven its token and initialised its library in a
  // world of the right size. An error says what went wrong, with the last lines of the ranks' logs.
  static Result<std::unique_ptr<World>> launch(const Target& target, int ranks,
                                               const RunSettings& settings);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int ranks() const { return static_cast<int>(channels_.size()); }
  const Ready& ready() const { return ready_; }  // rank 0's: library, version, algorithms
  Channel& channel(int rank) { return channels_[static_cast<std::size_t>(rank)]; }
  const PositionBoard& board() const { return board_; }
  WorldProcesses& processes() { return processes_; }
  std::uint32_t take_numbers(std::size_t cases);  // the number of the first

  // The cases that it has run, oldest first: the last of them, and only those that were told.
  const std::deque<Case>& ran() const { return ran_; }
  void note_ran(std::span<const Case> cases);

  // The last lines that the rank has written to its log since the world began.
  std::string last_output(int rank) const;

  // Asks the workers to end by themselves and waits a moment for it: for a world in which all has
  // gone well. end() is still to be called.
  void stop();

  // Ends every process; an error when something of the world is left, or it took too long.
  Status end();

 private:
  friend class WorldLaunch;
  World(WorldProcesses processes, PositionBoard board, std::filesystem::path log_directory,
        std::filesystem::path directory);

  WorldProcesses processes_;
  PositionBoard board_;
  std::vector<Channel> channels_;
  Ready ready_;
  std::filesystem::path log_directory_;
  std::filesystem::path directory_;
  std::vector<std::uintmax_t> log_starts_;
  std::uint32_t next_number_ = 1;
  std::deque<Case> ran_;
  bool ended_ = false;
};

}  // namespace allprove
