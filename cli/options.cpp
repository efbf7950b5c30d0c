#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>

namespace allprove {
namespace {

// The whole text as a number in [low, high].
template <class T>
std::optional<T> parse_number(std::string_view text, T low, T high) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(value >= low && value <= high)) return std::nullopt;  // nor is a NaN
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// A whole number of 64 bits. The parser's own reading clamps what is larger, and takes "-1" for a
// very large number and "010" for eight.
CLI::Option* add_number(CLI::App& command, const std::string& name,
                        std::optional<std::uint64_t>& number, const std::string& about) {
  const auto read = [name, &number](const std::string& text) {
    constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
    number = parse_number<std::uint64_t>(text, 0, kMax);
    if (number) return;
    throw CLI::ValidationError(name,
                               fmt::format("'{}' is not a whole number from 0 to {}", text, kMax));
  };
  return command.add_option_function<std::string>(name, read, about)->type_name("UINT");
}

void hide(CLI::Option& option) { option.group(""); }

}  // namespace

void add_world_options(CLI::App& command, Options& options) {
  command.add_option("--backend", options.backends, "backend to run on (repeatable)")
      ->delimiter(',');
  command.add_option("--deadline", options.deadline,
                     fmt::format("hard limit of one case (default: {})", kDeadlineDefault));
  command.add_option("--env", options.env, "NAME=VALUE for the ranks only (repeatable)");
  command.add_option("--launcher", options.launcher, "direct or mpirun")->capture_default_str();
  command.add_option("--sandbox", options.sandbox, "auto, ns or none")->capture_default_str();
}

void add_search_options(CLI::App& command, Options& options) {
  command.add_option("--ranks", options.ranks, "world sizes, as 1-8 or 2,3,5")
      ->capture_default_str();
  add_number(command, "--seed", options.seed, "seed of all that is drawn (default: a new one)");
  add_number(command, "--cases", options.cases, "how many cases");
  command.add_option("--time", options.time, "how long, as 60s, 5m, 8h");
  command.add_option("--collective", options.collectives, "only these (repeatable)")
      ->delimiter(',');
  command.add_option("--dtype", options.dtypes, "only these (repeatable)")->delimiter(',');
  command.add_option("--op", options.ops, "only these (repeatable)")->delimiter(',');
  command.add_option("--property", options.properties, "only these (repeatable)")->delimiter(',');
  command
      .add_option("--threads", options.threads,
                  "threads of a rank that call, each on its own communicators")
      ->check(CLI::Range(1, kThreadsMax))
      ->capture_default_str();
}

void add_results_options(CLI::App& command, Options& options) {
  command.add_option("--out", options.out, "folder for the results");
  command.add_option("--history", options.history, "full or lean lines for passing cases")
      ->capture_default_str();
  command.add_flag("--no-known", options.no_known, "known failures count as findings");
}

void add_fault_option(CLI::App& command, Options& options, Offer offer) {
  auto* option = command.add_option("--fault", options.faults, "inject these (repeatable)");
  option->delimiter(',');
  if (offer == Offer::refused) hide(*option);
}

void add_large_option(CLI::App& command, Options& options) {
  command.add_flag("--large", options.large,
                   "also calls of more than 2^31 bytes, on 1 and 2 ranks (10 GiB of memory)");
}

void add_findings_option(CLI::App& command, Options& options, Offer offer) {
  auto* option = add_number(command, "--max-findings", options.findings_max,
                            "stop after so many distinct findings (default: 20)");
  if (offer == Offer::refused) hide(*option);
}

Result<std::vector<int>> parse_ranks(const std::string& text) {
  const auto bad = [&] {
    return usage_error(fmt::format("--ranks {}: not world sizes from 1 to {}", text, kRanksMax),
                       "write 1-8, or 2,3,5");
  };
  std::vector<int> ranks;
  for (const auto part : split(text, ',')) {
    const auto ends = split(part, '-');
    if (ends.size() > 2) return bad();
    const auto low = parse_number<int>(ends.front(), 1, kRanksMax);
    const auto high = parse_number<int>(ends.back(), 1, kRanksMax);
    if (!low || !high || *low > *high) return bad();
    for (int size = *low; size <= *high; ++size) ranks.push_back(size);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

Result<std::chrono::milliseconds> parse_duration(const std::string& option,
                                                 const std::string& text) {
  constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
  std::string_view number = text;
  std::int64_t unit = 1000;
  for (const auto& [suffix, scale] : kUnits) {
    if (!number.ends_with(suffix)) continue;
    number.remove_suffix(suffix.size());
    unit = scale;
    break;
  }
  const auto value = parse_number<double>(number, 0.0, 1e9);
  const double milliseconds = value ? *value * static_cast<double>(unit) : 0;
  if (milliseconds < 1) {
    return usage_error(fmt::format("{} {}: not a duration above 0", option, text),
                       "write 500ms, 60s, 5m or 8h");
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
}

Result<Extent> parse_extent(const Options& options) {
  Extent extent{.cases = options.cases, .time = std::nullopt};
  if (options.cases && *options.cases == 0) return usage_error("--cases 0: nothing to do");
  if (options.time.empty()) return extent;
  const auto time = parse_duration("--time", options.time);
  if (!time) return tl::unexpected(time.error());
  extent.time = *time;
  return extent;
}

Result<bool> parse_history(const std::string& text) {
  if (text == "full" || text == "lean") return text == "full";
  return usage_error(fmt::format("--history {}: not known", text), "one of: full, lean");
}

Result<Environment> parse_environment(const std::vector<std::string>& settings) {
  Environment environment;
  for (const auto& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return usage_error(fmt::format("--env {}: not of the form NAME=VALUE", setting));
    }
    environment.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return environment;
}

}  // namespace allprove
