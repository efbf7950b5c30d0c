// What one run of a command stands on: the janitor, the run's own directory, the settings of all
// worlds, and the wish to stop. Made first and taken down last.
#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
#include "framework/base/result.h"
#include "framework/run/launch/janitor.h"
#include "framework/run/world.h"

namespace allprove {

class Session {
 public:
  // Checks the options that concern worlds, starts the janitor and catches SIGINT and SIGTERM.
  // No thread may run yet.
  static Result<std::unique_ptr<Session>> begin(const Options& options);
  ~Session();

  RunSettings& settings() { return settings_; }
  const RunSettings& settings() const { return settings_; }
  const Environment& environment() const { return environment_; }
  const std::vector<int>& ranks() const { return ranks_; }
  bool interrupted() const { return settings_.stop_wanted(); }

  // The targets that the user named, or the default one (openmpi, else mpich, else reference) with
  // why it was chosen.
  Result<std::vector<Target>> targets(const std::vector<std::string>& names,
                                      std::string& why) const;

  // Ends the janitor's watch; the run's directory is gone afterwards.
  Status finish();

 private:
  Session(Janitor janitor) : janitor_(std::move(janitor)) {}

  Janitor janitor_;
  RunSettings settings_;
  Environment environment_;
  std::vector<int> ranks_;
  bool finished_ = false;
};

}  // namespace allprove
