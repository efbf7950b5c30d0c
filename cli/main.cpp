// The program: reads the command line, runs one command, and turns errors into exit codes.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/commands.h"
#include "framework/base/check.h"
#include "framework/base/version.h"

namespace allprove {
namespace {

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal:
      return kExitOwnFailure;
    case ErrorKind::usage:
      return kExitUsage;
    case ErrorKind::unavailable:
      return kExitNothingChecked;
    case ErrorKind::interrupted:
      return kExitInterrupted;
  }
  return kExitOwnFailure;
}

std::string version_text() {
  const auto& info = version_info();
  return fmt::format("allprove {} ({}{})", info.version, info.commit, info.dirty ? ", dirty" : "");
}

std::string joined(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) text += fmt::format("{}{}", i == 0 ? "" : " ", argv[i]);
  return text;
}

Result<int> run(CLI::App& app, int argc, char** argv) {
  Options options;
  bool json = false;
  std::string what;
  std::string file;
  int tries = 5;

  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  auto* doctor = app.add_subcommand("doctor", "what can run here, and how to mend what cannot");
  doctor->add_flag("--json", json, "for machines");
  auto* list = app.add_subcommand("list", "backends, properties, mutants and all other names");
  list->add_option("what", what, "only this: backends, properties, mutants, collectives, ...");
  list->add_flag("--json", json, "for machines");
  auto* fuzz = app.add_subcommand("fuzz", "prove collectives on random cases");
  add_world_options(*fuzz, options);
  add_search_options(*fuzz, options);
  add_results_options(*fuzz, options);
  add_findings_option(*fuzz, options, Offer::shown);
  add_large_option(*fuzz, options);
  add_fault_option(*fuzz, options, Offer::refused);
  auto* fault = app.add_subcommand("fault", "inject faults, and say what the library does");
  add_world_options(*fault, options);
  add_search_options(*fault, options);
  add_results_options(*fault, options);
  add_fault_option(*fault, options, Offer::shown);
  add_findings_option(*fault, options, Offer::refused);
  auto* replay = app.add_subcommand("replay", "run a finding again");
  add_world_options(*replay, options);
  add_results_options(*replay, options);
  replay->add_option("finding", file, "a file of findings/")->required();
  replay->add_option("--tries", tries, "fresh worlds to run it in")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  auto* lab = app.add_subcommand("lab", "what all-reduce guarantees, shown live on two ranks");
  add_world_options(*lab, options);
  lab->add_flag("--json", json, "for machines");

  const auto commands = app.get_subcommands(nullptr);
  const auto named = [&](const CLI::App* command) { return command->check_name(argv[1]); };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), named)) {
    return usage_error(fmt::format("there is no command '{}'", argv[1]), "see --help");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return usage_error(error.what(), "see --help");
  }
  if (doctor->parsed()) return run_doctor(options, json);
  if (list->parsed()) return run_list(what, json);
  if (replay->parsed()) return run_replay(options, file, tries, joined(argc, argv));
  if (lab->parsed()) return run_lab(options, json);
  if (fault->parsed()) return run_fault(options, joined(argc, argv));
  return run_fuzz(options, joined(argc, argv));
}

// A caller may have closed some of 0, 1 and 2: the next file or socket opened would take its place.
void fill_standard_descriptors() {
  while (true) {
    const int fd = open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO) close(fd);
    if (fd < 0 || fd > STDERR_FILENO) return;
  }
}

// What was printed is worth nothing to a reader who did not get all of it.
int after_printing(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "allprove: the output could not be written to stdout%s%s\n",
               errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
  return kExitOwnFailure;
}

int run_main(int argc, char** argv) {
  CLI::App app("Proves collective communication right, or shows exactly how it is wrong.",
               "allprove");
  try {
    const auto code = run(app, argc, argv);
    if (code) return after_printing(*code);
    std::fprintf(stderr, "allprove: %s\n", to_line(code.error()).c_str());
    return exit_code_of(code.error().kind);
  } catch (const std::exception& error) {  // CHECK, out of memory: our own failure, and loud
    std::fprintf(stderr, "allprove: %s\n", error.what());
    return kExitOwnFailure;
  }
}

}  // namespace
}  // namespace allprove

int main(int argc, char** argv) {
  allprove::fill_standard_descriptors();
  return allprove::run_main(argc, argv);
}
