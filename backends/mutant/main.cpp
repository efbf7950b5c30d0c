// The worker of the backend `mutant`: one rank's process. With --list it prints the table of
// mutants as JSON instead.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "backends/mutant/mutant_backend.h"
#include "framework/run/worker/worker.h"

namespace {

using allprove::mutant::all_mutants;

int list_mutants() {
  auto list = nlohmann::json::array();
  for (const auto& mutant : all_mutants()) {
    list.push_back(
        {{"name", mutant.name}, {"about", mutant.about}, {"caught_by", mutant.caught_by}});
  }
  std::printf("%s\n", list.dump(1).c_str());
  return std::fflush(stdout) == 0 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list") return list_mutants();
  const char* name = std::getenv(allprove::kMutantVariable);
  const auto* mutant = allprove::mutant::find_mutant(name != nullptr ? name : "");
  if (mutant == nullptr) {
    std::fprintf(stderr, "allprove worker: no mutant is called '%s'; see `allprove list mutants`\n",
                 name != nullptr ? name : "");
    return 2;
  }
  allprove::mutant::MutantBackend backend(*mutant);
  allprove::run_worker(backend);
}
