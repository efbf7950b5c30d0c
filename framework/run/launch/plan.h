// What passes between the driver and a world's spawner: the plan, in a memory file, and the
// spawner's reports, one packet each, on a socket. Both are the same build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/base/enum_table.h"
#include "framework/base/result.h"
#include "framework/base/unique_fd.h"
#include "framework/run/launch/launcher.h"

namespace allprove {

// The spawner finds its end of the socket, the plan and the driver's pid here.
inline constexpr int kSpawnerSocket = 3;
inline constexpr int kSpawnerPlan = 4;

// The names of the markers in a process's environment.
inline constexpr char kRunVariable[] = "ALLPROVE_RUN";
inline constexpr char kWorldVariable[] = "ALLPROVE_WORLD";

struct Plan {
  SpawnProtocol protocol = SpawnProtocol::plain;
  Sandbox sandbox = Sandbox::none;
  int ranks = 1;
  std::string world;                     // the world's marker
  std::string directory, log_directory;  // as in LaunchSpec
  std::vector<std::string> command;      // argv of a rank, or of mpirun
  std::vector<std::string> environment;  // "NAME=value", each overriding the spawner's own
};

std::string encode_plan(const Plan& plan);
Result<Plan> decode_plan(const std::string& text);

// started: value is the pid in the spawner's PID namespace. exited: value is the wait status.
// aborted: value is the code. failed: the world is being ended; text says why.
enum class ReportKind : std::int32_t { started, exited, aborted, failed };

struct Report {
  ReportKind kind = ReportKind::failed;
  std::int32_t rank = -1;
  std::int32_t value = 0;
  std::string text;  // 1 KiB at most
};

// Blocks while the driver does not read. False when the driver is gone.
bool send_report(int socket, const Report& report);

// Does not block. Nothing when there is no report now; *closed is set when there never will be.
std::optional<Report> receive_report(int socket, bool* closed);

// Driver to spawner, the only message: end the world.
inline constexpr char kEndWorld = 'E';

}  // namespace allprove
