// `allprove doctor`: what can run here; where something cannot, why, and what mends it.
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/session.h"
#include "framework/base/enum_table.h"
#include "framework/report/console.h"
#include "framework/run/launch/sandbox.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

// One line of the report.
struct Check {
  std::string name = {};
  bool good = true;
  std::string about = {};  // what was found
  std::string fix = {};    // when it is not good
};

// Launches two ranks: the only proof that a backend can be used.
Check check_backend(const BackendInfo& backend, const Session& session, std::string& worker) {
  Check check{.name = std::string(backend.name)};
  // A mutant without a name is none; any will do.
  const auto name = std::string(backend.name) + (backend.name == "mutant" ? ":averages" : "");
  const auto target = make_target(name, session.environment());
  if (!target) {
    check.good = false;
    check.about = target.error().message;
    check.fix = target.error().hint;
    return check;
  }
  worker = target->worker.string();
  auto settings = session.settings();
  settings.use_mpirun = settings.use_mpirun && !backend.mpirun.empty();
  const auto world = World::launch(*target, 2, settings);
  if (!world) {
    check.good = false;
    check.about = world.error().message;
    check.fix = world.error().hint.empty() ? std::string(backend.how_to_get) : world.error().hint;
    return check;
  }
  const auto& ready = (*world)->ready();
  check.about = fmt::format("{} {}, threads {}", ready.library, ready.version, ready.thread_level);
  if (auto ended = (*world)->end(); !ended) {
    check.good = false;
    check.about = ended.error().message;
  }
  return check;
}

Check check_cores() {
  Check check{.name = "cores"};
  check.about = fmt::format("{}; more ranks than cores are fine, only slower",
                            std::thread::hardware_concurrency());
  return check;
}

Check check_shared_memory() {
  constexpr double kMiB = 1 << 20;
  constexpr double kEnoughMiB = 512;
  Check check{.name = "/dev/shm"};
  struct statvfs info {};
  if (statvfs("/dev/shm", &info) != 0) {
    check.good = false;
    check.about = std::strerror(errno);
  } else {
    const auto free_mib =
        static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / kMiB;
    check.good = free_mib >= kEnoughMiB;
    check.about = fmt::format("{:.0f} MiB free", free_mib);
  }
  if (!check.good) {
    check.about += "; a library that runs out of it dies of SIGBUS, which looks like its own crash";
    check.fix = "in a container: --shm-size=1g, or mount a larger tmpfs on /dev/shm";
  }
  return check;
}

Check check_namespaces() {
  Check check{.name = "namespaces"};
  std::string why_not;
  check.good = sandbox_ns_available(&why_not);
  check.about = check.good ? "allowed: --sandbox ns" : why_not;
  if (!check.good) check.fix = "nothing need be done: --sandbox none is used, with a janitor";
  return check;
}

// Tries to attach to a child, as reading a hung rank's stack does.
Check check_ptrace() {
  Check check{.name = "ptrace"};
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  check.good = child > 0 && ptrace(PTRACE_SEIZE, child, nullptr, nullptr) == 0;
  check.about = check.good ? "allowed" : std::strerror(errno);
  if (!check.good) check.fix = "in a container: --cap-add=SYS_PTRACE; stacks are not read without";
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  return check;
}

Check check_limit(const char* name, int resource, rlim_t enough, const char* fix) {
  Check check{.name = name};
  rlimit limit{};
  getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  check.good = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= enough;
  check.about = limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
  if (!check.good) check.fix = fix;
  return check;
}

std::vector<Check> check_machine() {
  return {check_cores(),
          check_shared_memory(),
          check_namespaces(),
          check_ptrace(),
          check_limit("open files", RLIMIT_NOFILE, 256, "ulimit -n 1024"),
          check_limit("processes", RLIMIT_NPROC, 256, "ulimit -u 1024"),
          check_limit("locked memory", RLIMIT_MEMLOCK, 64 << 10, "ulimit -l unlimited")};
}

void print(Console& console, const Check& check) {
  console.line(fmt::format("  {:14} {} {}", check.name, check.good ? "ok:" : "NO:", check.about));
  if (!check.good && !check.fix.empty())
    console.line(fmt::format("  {:14}     fix: {}", "", check.fix));
}

Json to_json(const Check& check) {
  Json json{{"name", check.name}, {"good", check.good}, {"about", check.about}};
  if (!check.good) json["fix"] = check.fix;
  return json;
}

}  // namespace

Result<int> run_doctor(const Options& options, bool json) {
  auto session = Session::begin(options);
  if (!session) return tl::unexpected(session.error());
  Console console;
  Json backends = Json::array();
  bool any = false;
  if (!json) console.line("backends:");
  for (const auto& backend : all_backends()) {
    std::string worker;
    const auto check = check_backend(backend, **session, worker);
    any = any || check.good;
    auto entry = to_json(check);
    entry["usable"] = check.good;
    entry["worker"] = worker;
    backends.push_back(entry);
    if (json) continue;
    print(console, check);
    if (!worker.empty()) console.line(fmt::format("  {:14}     worker: {}", "", worker));
  }
  const auto machine = check_machine();
  Json machine_json = Json::array();
  if (!json) console.line("machine:");
  for (const auto& check : machine) {
    machine_json.push_back(to_json(check));
    if (!json) print(console, check);
  }
  if (json) console.line(Json{{"backends", backends}, {"machine", machine_json}}.dump(2));
  if (auto finished = (*session)->finish(); !finished) return tl::unexpected(finished.error());
  return any ? kExitPass : kExitNothingChecked;
}

}  // namespace allprove
