#include "framework/run/launch/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "framework/base/check.h"
#include "framework/base/errno_text.h"
#include "framework/base/unique_fd.h"
#include "framework/base/wait_status.h"
#include "framework/run/launch/environment.h"
#include "framework/run/launch/files.h"
#include "framework/run/launch/plan.h"
#include "framework/run/launch/processes.h"
#include "framework/run/launch/random_id.h"
#include "framework/run/launch/spawner/mpirun_ranks.h"

namespace allprove {
namespace {

namespace fs = std::filesystem;

auto system_error(const std::string& what) {
  return internal_error(what + ": " + errno_text(errno));
}

// The world's own folder there; the run's folder is shared by its worlds.
fs::path shared_memory_of(const LaunchSpec& spec, const std::string& world) {
  return shared_memory_directory(spec.run_id) / world;
}

// What both spawner and ranks start from.
Environment base_environment(const LaunchSpec& spec, const std::string& world) {
  Environment environment = Environment::own();
  for (const char* const prefix : {"PMI_", "PMIX_", "OMPI_COMM_WORLD_"}) {
    environment.remove_prefixed(prefix);
  }
  environment.set(kRunVariable, spec.run_id);
  environment.set(kWorldVariable, world);
  environment.set("TMPDIR", spec.directory.string());
  return environment;
}

bool is_for_ranks_alone(const std::string& name) { return name.starts_with("LD_"); }

Plan plan_of(const LaunchSpec& spec, const std::string& world) {
  Plan plan;
  plan.protocol = spec.protocol;
  plan.sandbox = spec.sandbox;
  plan.ranks = spec.ranks;
  plan.world = world;
  plan.directory = spec.directory.string();
  plan.log_directory = spec.log_directory.string();
  Environment environment;
  if (geteuid() == 0) {
    environment.set("OMPI_ALLOW_RUN_AS_ROOT", "1");
    environment.set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  if (spec.sandbox == Sandbox::none) {
    const std::string place = shared_memory_of(spec, world).string();
    environment.set("OMPI_MCA_btl_vader_backing_directory", place);
    environment.set("OMPI_MCA_btl_sm_backing_directory", place);
  }
  const bool mpirun = spec.protocol == SpawnProtocol::mpirun;
  std::vector<std::string> ranks_alone;
  for (const auto& [name, value] : spec.environment) {
    if (mpirun && is_for_ranks_alone(name)) {
      ranks_alone.push_back(fmt::format("{}={}", name, value));
    } else {
      environment.set(name, value);
    }
  }
  plan.environment = environment.entries();
  plan.command = mpirun ? spec.mpirun : spec.worker;
  if (mpirun) {
    const auto rank =
        rank_command((spec.programs / "allprove-spawner").string(), plan, ranks_alone, spec.worker);
    plan.command.insert(plan.command.end(), rank.begin(), rank.end());
  }
  return plan;
}

Status check(const LaunchSpec& spec) {
  ALLPROVE_CHECK(!spec.worker.empty() && spec.ranks >= 1 && !spec.run_id.empty());
  ALLPROVE_CHECK(spec.directory.is_absolute() && spec.log_directory.is_absolute());
  ALLPROVE_CHECK(spec.protocol != SpawnProtocol::mpirun || !spec.mpirun.empty());
  const std::string program = find_program(spec.worker[0]);
  if (access(program.c_str(), X_OK) != 0) return system_error("cannot start " + program);
  return {};
}

// Above the numbers that the spawner's descriptors get, and closed in it.
UniqueFd moved_up(UniqueFd fd) {
  if (!fd) return fd;
  UniqueFd moved(fcntl(fd.get(), F_DUPFD_CLOEXEC, 10));
  if (!moved && errno == EINVAL) errno = EMFILE;  // 10 is past the limit already
  return moved;
}

Result<UniqueFd> plan_file(const Plan& plan) {
  const std::string text = encode_plan(plan);
  UniqueFd file = moved_up(UniqueFd(memfd_create("allprove-plan", MFD_CLOEXEC)));
  if (!file || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error("plan for the spawner");
  }
  return file;
}

// Starts the spawner in a session of its own, with default signals. Returns its pid.
Result<pid_t> spawn(const std::string& program, int socket, int plan, int log,
                    Environment environment) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, log, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&files, socket, kSpawnerSocket);
  posix_spawn_file_actions_adddup2(&files, plan, kSpawnerPlan);
  posix_spawn_file_actions_addclosefrom_np(&files, kSpawnerPlan + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = {program, std::to_string(getpid())};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &files, &attributes,
                                pointers_to(arguments).data(), environment.pointers().data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return internal_error("cannot start " + program + ": " + errno_text(error));
  return pid;
}

constexpr off_t kTailMax = 1000;

// Its last lines, from that offset on.
std::string tail(const fs::path& path, off_t from) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat file {};
  if (!fd || fstat(fd.get(), &file) != 0 || file.st_size <= from) return "it logged nothing";
  char text[kTailMax];
  const ssize_t size = pread(fd.get(), text, sizeof text, std::max(from, file.st_size - kTailMax));
  std::string lines(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!lines.empty() && lines.back() == '\n') lines.pop_back();
  for (auto& c : lines) {
    if (c == '\n') c = ' ';
  }
  return "last logged: " + lines;
}

}  // namespace

struct WorldProcesses::State {
  LaunchSpec spec;
  std::string world;
  timespec launched_at{};
  off_t log_start = 0;
  pid_t spawner = 0;  // 0 once reaped
  int spawner_status = 0;
  UniqueFd spawner_process;  // pidfd
  UniqueFd socket;
  std::vector<pid_t> pids;
  std::vector<RankExit> exits;
  std::vector<RankAbort> aborts;
  std::optional<Error> failure;
  bool ended = false;

  std::string marker() const { return std::string(kWorldVariable) + "=" + world; }
  void take_reports();
  void note(const Report& report);
  bool reap_spawner(int wait_ms);
  bool end_spawner(Deadline deadline);
  Leftovers clean_up(bool spawner_ended_all, Deadline deadline);
};

void WorldProcesses::State::note(const Report& report) {
  const bool is_rank = report.rank >= 0 && report.rank < spec.ranks;
  switch (report.kind) {
    case ReportKind::started:
      if (is_rank) pids[static_cast<std::size_t>(report.rank)] = report.value;
      break;
    case ReportKind::exited:
      exits.push_back({report.rank, report.value});
      break;
    case ReportKind::aborted:
      aborts.push_back({report.rank, report.value});
      break;
    case ReportKind::failed:
      failure = Error{ErrorKind::internal, report.text, {}};
      break;
  }
}

void WorldProcesses::State::take_reports() {
  bool closed = false;
  while (const auto report = receive_report(socket.get(), &closed)) note(*report);
  if (!closed || failure) return;
  // Its socket closes a moment before it can be reaped.
  const std::string how = reap_spawner(200) ? describe_exit(spawner_status) : "closed its socket";
  failure = Error{ErrorKind::internal,
                  fmt::format("the spawner of the world {}; {}", how,
                              tail(spec.log_directory / "launcher.log", log_start)),
                  {}};
}

bool WorldProcesses::State::reap_spawner(int wait_ms) {
  if (spawner == 0) return true;
  pollfd exit = {spawner_process.get(), POLLIN, 0};
  if (poll(&exit, 1, wait_ms) != 1) return false;
  if (waitpid(spawner, &spawner_status, 0) != spawner) spawner_status = -1;  // reaped by another
  spawner = 0;
  return true;
}

// True when the spawner says that no process of the world is left.
bool WorldProcesses::State::end_spawner(Deadline deadline) {
  if (spawner != 0) {
    send(socket.get(), &kEndWorld, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (!reap_spawner(deadline.left_ms() / 2)) {
      kill(spawner, SIGKILL);
      reap_spawner(deadline.left_ms() / 2);
    }
  }
  return spawner == 0 && spawner_status == 0;
}

Leftovers WorldProcesses::State::clean_up(bool spawner_ended_all, Deadline deadline) {
  Leftovers left;
  if (!spawner_ended_all) {
    for (const pid_t process : kill_marked(marker(), deadline)) {
      left.processes.push_back(describe_process(process));
    }
  }
  left.files = remove_contents(spec.directory);
  if (spec.sandbox == Sandbox::none) {
    const fs::path shared_memory = shared_memory_of(spec, world);
    for (const auto& lines : {remove_contents(shared_memory), remove_stray_files(launched_at)}) {
      left.files.insert(left.files.end(), lines.begin(), lines.end());
    }
    rmdir(shared_memory.c_str());
    rmdir(shared_memory.parent_path().c_str());  // fails while other worlds of the run use it
  }
  return left;
}

Result<WorldProcesses> WorldProcesses::launch(const LaunchSpec& spec) {
  if (auto valid = check(spec); !valid) return tl::unexpected(valid.error());
  auto state = std::make_unique<State>();
  state->spec = spec;
  state->world = random_id();
  state->pids.assign(static_cast<std::size_t>(spec.ranks), 0);
  state->launched_at = file_time_now();

  const std::string log_path = (spec.log_directory / "launcher.log").string();
  const UniqueFd log =
      moved_up(UniqueFd(open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)));
  struct stat log_file {};
  if (!log || fstat(log.get(), &log_file) != 0) return system_error(log_path);
  state->log_start = std::min(log_file.st_size, kLogBytesMax);
  if (spec.sandbox == Sandbox::none) {
    const fs::path shared_memory = shared_memory_of(spec, state->world);
    mkdir(shared_memory.parent_path().c_str(), 0700);  // there already for the second world
    if (mkdir(shared_memory.c_str(), 0700) != 0) return system_error(shared_memory.string());
  }
  const auto plan = plan_file(plan_of(spec, state->world));
  if (!plan) return tl::unexpected(plan.error());
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error("socketpair");
  }
  state->socket.reset(ends[0]);
  const UniqueFd theirs = moved_up(UniqueFd(ends[1]));

  const bool pmix = spec.protocol == SpawnProtocol::pmix;
  const auto program = spec.programs / (pmix ? "allprove-spawner-pmix" : "allprove-spawner");
  const auto pid = spawn(program.string(), theirs.get(), plan->get(), log.get(),
                         base_environment(spec, state->world));
  if (!pid) {
    state->clean_up(true, Deadline::after(Milliseconds(0)));
    return tl::unexpected(pid.error());
  }
  state->spawner = *pid;
  state->spawner_process.reset(static_cast<int>(syscall(SYS_pidfd_open, *pid, 0)));
  return WorldProcesses(std::move(state));
}

WorldProcesses::WorldProcesses(std::unique_ptr<State> state) : state_(std::move(state)) {}
WorldProcesses::WorldProcesses(WorldProcesses&&) noexcept = default;

WorldProcesses& WorldProcesses::operator=(WorldProcesses&& other) noexcept {
  std::swap(state_, other.state_);  // the other's destructor ends what was here
  return *this;
}

WorldProcesses::~WorldProcesses() {
  if (state_ == nullptr || state_->ended) return;
  const Deadline deadline = Deadline::after(Milliseconds(2000));
  state_->clean_up(state_->end_spawner(deadline), deadline);
}

int WorldProcesses::report_fd() const { return state_->socket.get(); }

Result<std::vector<RankExit>> WorldProcesses::take_exits() {
  if (!state_->ended) state_->take_reports();
  // What was seen before a failure comes first; the failure stays.
  if (state_->exits.empty() && state_->failure) return tl::unexpected(*state_->failure);
  return std::exchange(state_->exits, {});
}

std::vector<RankAbort> WorldProcesses::take_aborts() { return std::exchange(state_->aborts, {}); }

pid_t WorldProcesses::pid(int rank) const {
  return state_->pids.at(static_cast<std::size_t>(rank));
}

Result<Leftovers> WorldProcesses::end(Deadline deadline) {
  const bool spawner_ended_all = state_->end_spawner(deadline);
  Leftovers left = state_->clean_up(spawner_ended_all, deadline);
  state_->ended = true;
  if (state_->spawner != 0) {
    left.processes.push_back("the world's spawner, " + describe_process(state_->spawner));
  }
  return left;
}

}  // namespace allprove
