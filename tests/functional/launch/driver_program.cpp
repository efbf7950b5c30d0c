// A driver for tests: launches one world, prints its ranks' pids and exits as they come, ends the
// world when its standard input ends, and prints what is left. To be killed at any moment.
//   driver_program PROTOCOL SANDBOX RANKS PROGRAMS [--mpirun WORD]... [--env NAME=VALUE]... --
//   worker...
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "framework/base/enum_table.h"
#include "framework/run/launch/janitor.h"
#include "framework/run/launch/launcher.h"

using namespace allprove;

namespace {

int give_up(const Error& error) {
  std::printf("error: %s\n", to_line(error).c_str());
  return 2;
}

LaunchSpec parse(int argc, char** argv) {
  LaunchSpec spec;
  spec.protocol = *from_name<SpawnProtocol>(argv[1]);
  spec.sandbox = *from_name<Sandbox>(argv[2]);
  spec.ranks = std::atoi(argv[3]);
  spec.programs = argv[4];
  int i = 5;
  for (; i + 1 < argc && std::string(argv[i]) != "--"; i += 2) {
    const std::string value = argv[i + 1];
    if (std::string(argv[i]) == "--mpirun") {
      spec.mpirun.push_back(value);
    } else {
      const auto equals = value.find('=');
      spec.environment.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    }
  }
  spec.worker.assign(argv + i + 1, argv + argc);
  return spec;
}

void print_exits(const std::vector<RankExit>& exits) {
  for (const auto& exit : exits) std::printf("exit %d %d\n", exit.rank, exit.wait_status);
}

// Until standard input ends or the spawner fails.
void watch(WorldProcesses& world) {
  pollfd waits[] = {{world.report_fd(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  while (poll(waits, 2, 60'000) > 0) {
    auto exits = world.take_exits();
    if (!exits) {
      give_up(exits.error());
      return;
    }
    print_exits(*exits);
    for (const auto& abort : world.take_aborts()) {
      std::printf("abort %d %d\n", abort.rank, abort.code);
    }
    std::fflush(stdout);
    char byte = 0;
    if (waits[1].revents != 0 && read(STDIN_FILENO, &byte, 1) <= 0) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 64;
  const auto directory = choose_run_directory();
  const std::string run_id = make_run_id();
  auto janitor = Janitor::start(directory, run_id);
  if (!janitor) return give_up(janitor.error());
  std::printf("run %s %s\n", run_id.c_str(), directory.c_str());
  std::fflush(stdout);

  LaunchSpec spec = parse(argc, argv);
  spec.run_id = run_id;
  spec.directory = directory / "world";
  spec.log_directory = directory / "logs";
  std::filesystem::create_directories(spec.directory);
  std::filesystem::create_directories(spec.log_directory);
  auto world = WorldProcesses::launch(spec);
  if (!world) return give_up(world.error());
  watch(*world);
  for (int rank = 0; rank < spec.ranks; ++rank) std::printf("pid %d %d\n", rank, world->pid(rank));
  const auto left = world->end(Deadline::after(Milliseconds(5000)));
  if (!left) return give_up(left.error());
  for (const auto& line : left->processes) std::printf("left process %s\n", line.c_str());
  for (const auto& line : left->files) std::printf("left file %s\n", line.c_str());
  if (std::getenv("SHOW_LOGS") != nullptr) {
    std::fflush(stdout);
    if (std::system(("tail -n +1 " + spec.log_directory.string() + "/*").c_str()) != 0) return 2;
  }
  if (const auto finished = janitor->finish(Deadline::after(Milliseconds(5000))); !finished) {
    return give_up(finished.error());
  }
  std::printf("ended\n");
  return 0;
}
