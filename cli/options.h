// The options that mean the same in every command, and their texts as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/base/result.h"
#include "framework/model/case.h"
#include "framework/run/target.h"

namespace CLI {
class App;
}

namespace allprove {

inline constexpr const char* kDeadlineDefault = "10s";

// As typed; the functions below turn them into values, with usage errors that name the option.
struct Options {
  std::vector<std::string> backends;
  std::string ranks = "1-8";
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> cases;
  std::string time;
  std::vector<std::string> collectives;
  std::vector<std::string> dtypes;
  std::vector<std::string> ops;
  std::vector<std::string> properties;
  std::vector<std::string> faults;
  int threads = 1;
  bool large = false;
  std::string deadline;  // empty: the finding's own, or kDeadlineDefault
  std::string out;
  std::vector<std::string> env;
  std::string launcher = "direct";
  std::string sandbox = "auto";
  bool no_known = false;
  std::optional<std::uint64_t> findings_max;
  std::string history = "lean";
};

// Adds to a command: where and how worlds run (backend, deadline, env, ...); what is drawn (ranks,
// seed, cases, collective, ...); and what counts and where it goes (out, history, no-known).
void add_world_options(CLI::App& command, Options& options);
void add_search_options(CLI::App& command, Options& options);
void add_results_options(CLI::App& command, Options& options);

// --fault and --max-findings. A command for which one means nothing takes it unseen, to say so.
enum class Offer { shown, refused };
void add_fault_option(CLI::App& command, Options& options, Offer offer);
void add_large_option(CLI::App& command, Options& options);
void add_findings_option(CLI::App& command, Options& options, Offer offer);

// "1-8", "2,3,5", "1-3,8": ascending, without repeats.
Result<std::vector<int>> parse_ranks(const std::string& text);

// "60s", "2m", "1h", "500ms"; a bare number is seconds.
Result<std::chrono::milliseconds> parse_duration(const std::string& option,
                                                 const std::string& text);

// How long a command that draws cases goes on. Neither is set when the user named none.
struct Extent {
  std::optional<std::uint64_t> cases;
  std::optional<std::chrono::milliseconds> time;
};
Result<Extent> parse_extent(const Options& options);

// Whether lines of passing cases tell all: `--history full`.
Result<bool> parse_history(const std::string& text);

// NAME=VALUE each.
Result<Environment> parse_environment(const std::vector<std::string>& settings);

// Names of an enum, each repeatable or separated by commas.
template <class E>
Result<std::vector<E>> parse_names(const std::string& option,
                                   const std::vector<std::string>& names);

}  // namespace allprove

#include <fmt/format.h>

#include <algorithm>

#include "framework/base/enum_table.h"

template <class E>
allprove::Result<std::vector<E>> allprove::parse_names(const std::string& option,
                                                       const std::vector<std::string>& names) {
  std::vector<E> values;
  for (const auto& name : names) {
    const auto value = from_name<E>(name);
    if (!value) {
      return usage_error(fmt::format("{}: '{}' is not known", option, name),
                         "one of: " + joined_names<E>());
    }
    if (std::find(values.begin(), values.end(), *value) == values.end()) values.push_back(*value);
  }
  return values;
}
