#include "cli/session.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>

#include "cli/mutants.h"
#include "faults/classify.h"
#include "framework/run/launch/sandbox.h"

namespace allprove {
namespace {

// The one piece of state that a signal handler can reach.
std::atomic<bool> g_interrupted = false;

void note_interrupt(int) { g_interrupted = true; }

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;  // without SA_RESTART: a wait ends and sees the flag
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Result<Sandbox> choose_sandbox(const std::string& name) {
  if (name == "none") return Sandbox::none;
  if (name != "ns" && name != "auto") {
    return usage_error(fmt::format("--sandbox {}: not known", name), "one of: auto, ns, none");
  }
  std::string why_not;
  if (sandbox_ns_available(&why_not)) return Sandbox::ns;
  if (name == "auto") return Sandbox::none;
  return usage_error("--sandbox ns: this machine does not allow it: " + why_not,
                     "use --sandbox none");
}

}  // namespace

Result<std::unique_ptr<Session>> Session::begin(const Options& options) {
  const auto ranks = parse_ranks(options.ranks);
  if (!ranks) return tl::unexpected(ranks.error());
  const auto deadline =
      parse_duration("--deadline", options.deadline.empty() ? kDeadlineDefault : options.deadline);
  if (!deadline) return tl::unexpected(deadline.error());
  if (deadline->count() > kDeadlineMaxMs) {
    return usage_error(fmt::format("--deadline {}: more than 24 hours", options.deadline));
  }
  const auto environment = parse_environment(options.env);
  if (!environment) return tl::unexpected(environment.error());
  if (options.launcher != "direct" && options.launcher != "mpirun") {
    return usage_error(fmt::format("--launcher {}: not known", options.launcher),
                       "one of: direct, mpirun");
  }
  const auto sandbox = choose_sandbox(options.sandbox);
  if (!sandbox) return tl::unexpected(sandbox.error());

  const auto directory = choose_run_directory();
  const auto run_id = make_run_id();
  auto janitor = Janitor::start(directory, run_id);
  if (!janitor) return tl::unexpected(janitor.error());

  std::unique_ptr<Session> session(new Session(std::move(*janitor)));
  session->ranks_ = *ranks;
  session->environment_ = *environment;
  if (options.threads > 1) {  // first, so that the user's own word counts
    session->environment_.emplace(session->environment_.begin(), kThreadLevelVariable, "multiple");
  }
  auto& settings = session->settings_;
  settings.sandbox = *sandbox;
  settings.use_mpirun = options.launcher == "mpirun";
  settings.deadline = *deadline;
  settings.run_id = run_id;
  settings.directory = directory;
  settings.log_directory = directory / "ranks";
  settings.judge = classify;
  settings.interrupted = &g_interrupted;
  catch_interrupts();
  return session;
}

Session::~Session() { static_cast<void>(finish()); }

Result<std::vector<Target>> Session::targets(const std::vector<std::string>& names,
                                             std::string& why) const {
  const auto lacks_mpirun = [this](const Target& target) {
    return settings_.use_mpirun && target.backend->mpirun.empty();
  };
  std::vector<Target> targets;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) continue;  // named twice
    auto target = make_target(*name, environment_);
    if (!target) return tl::unexpected(target.error());
    if (auto status = check_mutant(*name); !status) return tl::unexpected(status.error());
    if (lacks_mpirun(*target)) {
      return usage_error(fmt::format("--launcher mpirun: backend '{}' has none", *name),
                         "leave --launcher out for it");
    }
    targets.push_back(std::move(*target));
  }
  if (!names.empty()) return targets;
  std::string missing;
  for (const auto* name : {"openmpi", "mpich", "reference"}) {
    auto target = make_target(name, environment_);
    if (!target) {
      missing += fmt::format("{} is not built in; ", name);
      continue;
    }
    if (lacks_mpirun(*target)) {
      missing += fmt::format("{} has no mpirun; ", name);
      continue;
    }
    why = fmt::format("backend {}: {}", name,
                      missing.empty() ? "the first choice" : missing + "the next choice");
    targets.push_back(std::move(*target));
    return targets;
  }
  return fail(ErrorKind::unavailable,
              "no backend can be used: " + missing.substr(0, missing.size() - 2),
              "see `./allprove doctor`");
}

Status Session::finish() {
  if (finished_) return {};
  finished_ = true;
  return janitor_.finish(Deadline::after(Milliseconds(5000)));
}

}  // namespace allprove
