// `allprove lab`: runs the lab and shows it, as text for a student or as JSON for a machine.
#include "cli/lab.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/session.h"
#include "framework/report/console.h"

namespace allprove {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 88;

// The paragraph in lines of at most kWidth characters, indented.
void print_paragraph(Console& console, std::string_view text, std::string_view indent) {
  while (text.size() > kWidth) {
    auto at = text.rfind(' ', kWidth);
    if (at == std::string_view::npos) at = kWidth;
    console.line(fmt::format("{}{}", indent, text.substr(0, at)));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  console.line(fmt::format("{}{}", indent, text));
}

void print_step(Console& console, const LabStep& step) {
  console.line("");
  console.line(step.title);
  for (const auto& paragraph : step.text) print_paragraph(console, paragraph, "  ");
  for (const auto& row : step.table) {
    console.line(fmt::format("    {:>10} {:>12} {:>12}  {}", row[0], row[1], row[2], row[3]));
  }
  for (const auto& prediction : step.predictions) {
    console.line(
        fmt::format("  {}: {}", prediction.held ? "held" : "DID NOT HOLD", prediction.what));
    console.line(fmt::format("      predicted {}, saw {}", prediction.expected, prediction.got));
  }
  for (const auto& paragraph : step.after) print_paragraph(console, paragraph, "  ");
}

Json to_json(const LabStep& step) {
  Json predictions = Json::array();
  for (const auto& prediction : step.predictions) {
    predictions.push_back({{"what", prediction.what},
                           {"expected", prediction.expected},
                           {"got", prediction.got},
                           {"held", prediction.held}});
  }
  return Json{{"title", step.title}, {"text", step.text},   {"predictions", predictions},
              {"table", step.table}, {"after", step.after}, {"held", step.held()}};
}

}  // namespace

Result<int> run_lab(const Options& options, bool json) {
  auto session = Session::begin(options);
  if (!session) return tl::unexpected(session.error());
  std::string why;
  const auto targets = (*session)->targets(options.backends, why);
  if (!targets) return tl::unexpected(targets.error());
  if (targets->size() != 1) return usage_error("lab takes one --backend");
  Console console;
  bool held = true;
  Json json_steps = Json::array();
  if (!json) console.line(fmt::format("The all-reduce lab on {}", targets->front().name));
  {
    WorldPool pool(targets->front(), (*session)->settings());
    const auto status = run_lab_steps(pool, [&](const LabStep& step) {
      held = held && step.held();
      json_steps.push_back(to_json(step));
      if (!json) print_step(console, step);
    });
    if (!status) return tl::unexpected(status.error());
  }
  if (auto finished = (*session)->finish(); !finished) return tl::unexpected(finished.error());
  if (json) {
    console.line(
        Json{{"backend", targets->front().name}, {"held", held}, {"steps", json_steps}}.dump(2));
  } else {
    console.line("");
    console.line(held ? "Every prediction held." : "Some predictions DID NOT HOLD.");
  }
  return held ? kExitPass : kExitFinding;
}

}  // namespace allprove
