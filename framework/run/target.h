// Backends as the driver knows them, and targets: a backend made concrete.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/result.h"
#include "framework/run/launch/launcher.h"

namespace allprove {

using Environment = std::vector<std::pair<std::string, std::string>>;

// One row of the table of backends.
struct BackendInfo {
  std::string_view name;
  std::string_view family;      // whose known failures it shares: its name, but for an extra MPI
  std::string_view worker;      // file name of its worker, beside the driver
  SpawnProtocol direct;         // how a direct launch connects the ranks
  std::string_view mpirun;      // the library's own launcher; empty: it has none
  std::string_view how_to_get;  // what to do when it is missing
  // Settings with which ranks of this library share a machine well; the user's --env overrides.
  std::span<const std::pair<std::string_view, std::string_view>> environment;
};

// The usual ones, then the MPIs that the build was told of besides (extra_backends.h).
std::span<const BackendInfo> all_backends();
const BackendInfo* find_backend(std::string_view name);

struct Target {
  std::string name;  // as the user gave it: "openmpi", "mutant:averages"
  const BackendInfo* backend = nullptr;
  std::filesystem::path worker;
  Environment environment;  // for the ranks only
};

// The folder of the running program, where the workers and spawners stand too.
std::filesystem::path programs_folder();

// A usage error for a name that is no backend; `unavailable` when its worker was not built.
Result<Target> make_target(std::string_view name, const Environment& extra);

// The argv of the library's own launcher for so many ranks, up to the program.
std::vector<std::string> mpirun_command(const BackendInfo& backend, int ranks);

}  // namespace allprove
