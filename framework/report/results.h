// The folder of one run's results: allprove-results/<UTC time>-<command>/, or the one given by the
// user. Files appear whole or not at all; history.jsonl grows line by line.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "framework/base/result.h"
#include "framework/base/unique_fd.h"

namespace allprove {

class ResultsFolder {
 public:
  // `out`: the folder itself; without it a new one below allprove-results/, with a link `latest`.
  // Usage error when it can't be written, or holds the results of another run.
  static Result<ResultsFolder> create(const std::optional<std::filesystem::path>& out,
                                      std::string_view command);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path log_folder() const { return folder_ / "ranks"; }

  // Appends one line to history.jsonl: all of it, or (disk full) nothing of it and an error.
  Status append(const nlohmann::ordered_json& line);

  // Writes a file of the folder, by way of a temporary one beside it.
  Status write(const std::filesystem::path& name, std::string_view text);

 private:
  ResultsFolder(std::filesystem::path folder, UniqueFd history)
      : folder_(std::move(folder)), history_(std::move(history)) {}

  std::filesystem::path folder_;
  UniqueFd history_;
};

// "2026-02-28T13:45:06Z".
std::string utc_now();

}  // namespace allprove
