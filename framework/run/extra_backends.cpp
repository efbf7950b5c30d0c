#include "framework/run/extra_backends.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "framework/base/check.h"

namespace allprove {

std::vector<ExtraBackend> read_extra_backends(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return {};
  try {
    std::vector<ExtraBackend> extras;
    const auto list = nlohmann::json::parse(stream);
    for (const auto& entry : list.at("backends")) {
      if (!entry.at("extra").get<bool>()) continue;
      ExtraBackend extra;
      entry.at("name").get_to(extra.name);
      entry.at("family").get_to(extra.family);
      entry.at("worker").get_to(extra.worker);
      entry.at("mpirun").get_to(extra.mpirun);
      if (extra.worker.empty()) {
        extra.how_to_get =
            entry.at("why_not").get<std::string>() + ": " + entry.at("get").get<std::string>();
      }
      extras.push_back(std::move(extra));
    }
    return extras;
  } catch (const nlohmann::json::exception& error) {
    throw InternalError(file.string() + " is not as the build writes it: " + error.what());
  }
}

}  // namespace allprove
