// The commands. Each returns its exit code, or an error that main() prints and turns into one.
#pragma once

#include <string>

#include "cli/options.h"
#include "framework/base/result.h"

namespace allprove {

// Exit codes; the same for every command.
enum ExitCode {
  kExitPass = 0,
  kExitFinding = 1,
  kExitOwnFailure = 2,
  kExitUsage = 64,
  kExitNothingChecked = 77,
  kExitInterrupted = 130,
};

Result<int> run_doctor(const Options& options, bool json);
Result<int> run_list(const std::string& what, bool json);
Result<int> run_fuzz(const Options& options, const std::string& command_line);
Result<int> run_fault(const Options& options, const std::string& command_line);
Result<int> run_replay(const Options& options, const std::string& file, int tries,
                       const std::string& command_line);
Result<int> run_lab(const Options& options, bool json);

}  // namespace allprove
