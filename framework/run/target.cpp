#include "framework/run/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "framework/run/extra_backends.h"
#include "framework/run/protocol.h"

namespace allprove {
namespace {

using Setting = std::pair<std::string_view, std::string_view>;

// Measured on Debian 12: these take the launch of two ranks from 508 ms to 63 ms, and make waiting
// ranks give up their core. Transports are not what is tested here; --env overrides any of them.
constexpr std::array<Setting, 8> kOpenMpiSettings = {{
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_btl", "vader,self"},
    {"OMPI_MCA_mtl", "^ofi,psm,psm2"},
    {"OMPI_MCA_osc", "sm"},
    {"OMPI_MCA_mpi_yield_when_idle", "1"},
    {"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
    {"OMPI_MCA_btl_vader_single_copy_mechanism", "cma"},
    {"OMPI_MCA_mpi_warn_on_fork", "0"},
}};

constexpr std::array<BackendInfo, 4> kBackends = {{
    {"reference",
     "reference",
     "allprove-worker-reference",
     SpawnProtocol::plain,
     "",
     "build allprove",
     {}},
    {"mutant", "mutant", "allprove-worker-mutant", SpawnProtocol::plain, "", "build allprove", {}},
    {"openmpi", "openmpi", "allprove-worker-openmpi", SpawnProtocol::pmix, "mpirun.openmpi",
     "apt-get install openmpi-bin libopenmpi-dev libpmix-dev, then build again", kOpenMpiSettings},
    {"mpich",
     "mpich",
     "allprove-worker-mpich",
     SpawnProtocol::pmi1,
     "mpirun.mpich",
     "apt-get install mpich libmpich-dev, then build again",
     {}},
}};

// An extra backend is as its family but for what is its own.
std::vector<BackendInfo> usual_and_extra(const std::vector<ExtraBackend>& extras) {
  std::vector<BackendInfo> all(kBackends.begin(), kBackends.end());
  for (const auto& extra : extras) {
    const auto family = std::find_if(kBackends.begin(), kBackends.end(),
                                     [&](const auto& row) { return row.name == extra.family; });
    BackendInfo row = family == kBackends.end() ? BackendInfo{} : *family;
    row.name = extra.name;
    row.worker = extra.worker;
    row.mpirun = extra.mpirun;
    row.how_to_get = extra.how_to_get;
    all.push_back(row);
  }
  return all;
}

}  // namespace

std::span<const BackendInfo> all_backends() {
  static const auto extras = read_extra_backends(programs_folder() / "backends.json");
  static const auto all = usual_and_extra(extras);
  return all;
}

const BackendInfo* find_backend(std::string_view name) {
  for (const auto& backend : all_backends()) {
    if (backend.name == name) return &backend;
  }
  return nullptr;
}

std::filesystem::path programs_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

Result<Target> make_target(std::string_view name, const Environment& extra) {
  const auto colon = name.find(':');
  const auto* backend = find_backend(name.substr(0, colon));
  if (backend == nullptr) {
    std::string known;
    for (const auto& row : all_backends()) known += fmt::format(" {}", row.name);
    return usage_error(fmt::format("there is no backend '{}'", name), "one of:" + known);
  }
  Target target;
  target.name = std::string(name);
  target.backend = backend;
  target.worker = programs_folder() / backend->worker;
  for (const auto& [key, value] : backend->environment) target.environment.emplace_back(key, value);
  if (colon == std::string_view::npos && backend->name == "mutant") {
    return usage_error("backend 'mutant': which one?",
                       "write mutant:NAME; `./allprove list mutants` has the names");
  }
  if (colon != std::string_view::npos) {
    if (backend->name != "mutant") {
      return usage_error(fmt::format("backend '{}' takes no ':'", backend->name));
    }
    target.environment.emplace_back(kMutantVariable, name.substr(colon + 1));
  }
  target.environment.insert(target.environment.end(), extra.begin(), extra.end());
  if (!std::filesystem::is_regular_file(target.worker)) {
    return fail(ErrorKind::unavailable,
                fmt::format("backend '{}' was not built: {} is not there", backend->name,
                            backend->worker.empty() ? "its worker" : target.worker.string()),
                std::string(backend->how_to_get));
  }
  return target;
}

std::vector<std::string> mpirun_command(const BackendInfo& backend, int ranks) {
  std::vector<std::string> command = {std::string(backend.mpirun), "-n", std::to_string(ranks)};
  if (backend.family == "openmpi") command.emplace_back("--oversubscribe");
  return command;
}

}  // namespace allprove
