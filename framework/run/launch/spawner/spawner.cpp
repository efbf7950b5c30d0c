#include "framework/run/launch/spawner/spawner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "framework/base/errno_text.h"
#include "framework/run/launch/environment.h"
#include "framework/run/launch/processes.h"
#include "framework/run/launch/sandbox.h"
#include "framework/run/launch/spawner/mpirun_ranks.h"

namespace allprove {
namespace {

auto system_error(const std::string& what) {
  return internal_error(what + ": " + errno_text(errno));
}

std::string log_path(const Plan& plan, int rank) {
  return rank < 0 ? plan.log_directory + "/launcher.log"
                  : fmt::format("{}/rank-{}.log", plan.log_directory, rank);
}

// Everything that a child needs, made ready before fork(): libpmix has threads, so that the child
// may only call what is async-signal-safe.
struct ChildStart {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int output;
  int inherited;
  int exec_error;
  pid_t parent;  // 0: not visible from the child's PID namespace
};

[[noreturn]] void run_child(const ChildStart& start) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (start.parent != 0 && getppid() != start.parent) _exit(127);
  const rlimit no_core = {0, 0};  // crashes are wanted here; their core files are not
  setrlimit(RLIMIT_CORE, &no_core);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(start.output, STDOUT_FILENO);
  dup2(start.output, STDERR_FILENO);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (start.inherited >= 0) fcntl(start.inherited, F_SETFD, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(start.program, start.arguments, start.environment);
  const int error = errno;
  _exit(write(start.exec_error, &error, sizeof error) < 0 ? 126 : 127);
}

}  // namespace

Spawner::Spawner(Plan plan, std::unique_ptr<RankServer> server)
    : plan_(std::move(plan)), server_(std::move(server)) {}

int Spawner::run() {
  auto status = start_world();
  if (status) status = serve();
  if (!status) {
    const std::string why = to_line(status.error());
    fmt::print(stderr, "allprove-spawner: {}\n", why);
    send_report(kSpawnerSocket, {ReportKind::failed, -1, 0, why});
  }
  const auto ended = end_world();
  if (!ended) fmt::print(stderr, "allprove-spawner: {}\n", to_line(ended.error()));
  return ended ? 0 : 1;
}

Status Spawner::start_world() {
  if (server_ == nullptr) {
    return internal_error(fmt::format("this spawner does not serve {}", name_of(plan_.protocol)));
  }
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  child_signals_.reset(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!child_signals_) return system_error("signalfd");
  // Orphans of the world become children of this process, so none of them can get lost.
  prctl(PR_SET_CHILD_SUBREAPER, 1);

  if (plan_.sandbox == Sandbox::ns) {
    if (auto entered = enter_mount_namespace(); !entered) return entered;
  }
  if (auto started = server_->start(); !started) return started;
  if (plan_.sandbox == Sandbox::ns) {
    auto init = start_pid_namespace();
    if (!init) return tl::unexpected(init.error());
    init_ = *init;
  }
  return start_processes();
}

Status Spawner::start_processes() {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return system_error("pipe");
  exec_errors_.reset(pipe[0]);
  const UniqueFd theirs(pipe[1]);
  if (plan_.protocol == SpawnProtocol::mpirun) return start_process(-1, theirs.get());
  for (int rank = 0; rank < plan_.ranks; ++rank) {
    if (auto started = start_process(rank, theirs.get()); !started) return started;
  }
  return {};
}

Status Spawner::start_process(int rank, int exec_errors) {
  auto pipe = RankPipe::make();
  if (!pipe) return tl::unexpected(pipe.error());
  if (auto kept = keep_log(rank, std::move(pipe->reads)); !kept) return kept;
  auto served = server_->prepare(rank);
  if (!served) return tl::unexpected(served.error());

  Environment environment = Environment::own();
  for (const auto& entry : plan_.environment) environment.set_entry(entry);
  for (const auto& entry : served->environment) environment.set_entry(entry);
  if (rank >= 0) environment.set("ALLPROVE_SLOT", std::to_string(rank));
  const std::string program = find_program(plan_.command[0]);
  auto arguments = pointers_to(plan_.command);
  auto variables = environment.pointers();

  const ChildStart start = {program.c_str(),
                            arguments.data(),
                            variables.data(),
                            pipe->writes.get(),
                            served->inherited.get(),
                            exec_errors,
                            plan_.sandbox == Sandbox::ns ? 0 : getpid()};
  const pid_t pid = fork();
  if (pid < 0) return system_error("fork");
  if (pid == 0) run_child(start);
  processes_.push_back({rank, pid, true});
  send_report(kSpawnerSocket, {ReportKind::started, rank, pid, {}});
  return {};
}

Status Spawner::keep_log(int rank, UniqueFd output) {
  auto log = RankLog::open(log_path(plan_, rank), std::move(output));
  if (!log) return tl::unexpected(log.error());
  logs_.push_back(std::move(*log));
  return {};
}

void Spawner::take_output() {
  for (auto& log : logs_) log.take();
}

Status Spawner::check_execs() {
  int error = 0;
  if (read(exec_errors_.get(), &error, sizeof error) == sizeof error) {
    return internal_error(
        fmt::format("cannot start '{}': {}", plan_.command[0], errno_text(error)));
  }
  exec_errors_.reset();  // end of file: all have succeeded
  return {};
}

Status Spawner::serve() {
  for (;;) {
    std::vector<pollfd> waits = {{kSpawnerSocket, POLLIN, 0},
                                 {child_signals_.get(), POLLIN, 0},
                                 {server_->poll_fd(), POLLIN, 0},
                                 {exec_errors_.get(), POLLIN, 0}};
    for (const auto& log : logs_) waits.push_back({log.poll_fd(), POLLIN, 0});
    // No time-out: the driver bounds every wait, and its end closes the socket.
    if (poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return system_error("poll");
    }
    if (waits[0].revents != 0) return {};  // to end, or the driver is gone
    if (waits[3].revents != 0) {
      if (auto good = check_execs(); !good) return good;
    }
    take_output();
    if (waits[2].revents != 0) {
      if (auto served = serve_ranks(); !served) return served;
    }
    if (waits[1].revents != 0) reap();
    if (init_died_) return internal_error("the sandbox's init has died, and all ranks with it");
  }
}

Status Spawner::serve_ranks() {
  for (const auto& report : server_->serve()) send_report(kSpawnerSocket, report);
  for (auto& output : server_->take_outputs()) {
    if (auto kept = keep_log(output.rank, std::move(output.reads)); !kept) return kept;
  }
  return {};
}

void Spawner::reap() {
  signalfd_siginfo ignored[8];
  while (read(child_signals_.get(), ignored, sizeof ignored) > 0) {
  }
  int wait_status = 0;
  for (pid_t pid; (pid = waitpid(-1, &wait_status, WNOHANG)) > 0;) {
    if (pid == init_) {
      init_ = 0;
      init_died_ = true;
    }
    const auto process = std::find_if(processes_.begin(), processes_.end(),
                                      [&](const Process& p) { return p.pid == pid && p.alive; });
    if (process == processes_.end()) continue;  // an orphan
    process->alive = false;
    take_output();  // its last words are in its log when the driver hears of its end
    send_report(kSpawnerSocket, {ReportKind::exited, process->rank, wait_status, {}});
  }
}

// Until this process has no child. What cannot be killed is the driver's to see: it kills this
// process when its deadline passes, and looks itself.
Status Spawner::end_world() {
  if (init_ != 0) kill(init_, SIGKILL);  // the kernel kills all others with it
  for (const auto& process : processes_) {
    if (process.alive) kill(process.pid, SIGKILL);
  }
  for (;;) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG);
    if (pid < 0 && errno == ECHILD) break;
    if (pid < 0 && errno != EINTR) return system_error("waitpid");
    if (pid != 0) continue;
    if (init_ == 0) kill_descendants();
    pollfd wait = {child_signals_.get(), POLLIN, 0};
    poll(&wait, 1, 2);
    signalfd_siginfo ignored[8];
    while (read(child_signals_.get(), ignored, sizeof ignored) > 0) {
    }
  }
  take_output();
  return {};
}

namespace {

Result<Plan> read_plan() {
  struct stat file {};
  if (fstat(kSpawnerPlan, &file) != 0) return system_error("plan");
  std::string text(static_cast<std::size_t>(file.st_size), '\0');
  if (pread(kSpawnerPlan, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return system_error("plan");
  }
  close(kSpawnerPlan);
  return decode_plan(text);
}

}  // namespace

int spawner_main(int argc, char** argv, std::unique_ptr<RankServer> (*make_server)(const Plan&)) {
  if (argc > 2 && std::string_view(argv[1]) == kRankMode) return become_rank(argc, argv);
  if (argc != 2) {
    fmt::print(stderr, "{}: started by allprove, not by hand\n", argv[0]);
    return 64;
  }
  auto plan = read_plan();
  if (!plan) {
    fmt::print(stderr, "allprove-spawner: {}\n", to_line(plan.error()));
    return 2;
  }
  // In a sandbox this process's death ends the world at once. Without one it must survive the
  // driver for as long as it takes to end the world itself, on the end-of-file of its socket.
  if (plan->sandbox == Sandbox::ns) prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != std::atoi(argv[1])) return 0;  // the driver is gone already
  fcntl(kSpawnerSocket, F_SETFD, FD_CLOEXEC);
  auto server = make_server(*plan);
  const int exit_code = Spawner(std::move(*plan), std::move(server)).run();
  _exit(exit_code);  // libpmix's thread must not see destructors run
}

}  // namespace allprove
