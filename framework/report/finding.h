// A finding: all that another person needs to see the failure again, and its JSON text.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"

namespace allprove {

inline constexpr int kSchema = 1;  // of history.jsonl and of finding files

// The script that the user called, where the program was started by one.
inline constexpr char kCommandVariable[] = "ALLPROVE_COMMAND";

// The target as it was, so that a reader knows what was tested.
struct TargetRecord {
  std::string name;     // what --backend was given: "openmpi", "mutant:averages"
  std::string library;  // "Open MPI"
  std::string version;
  std::string launcher;  // "direct", "mpirun"
  std::string sandbox;
  std::string worker;
  std::vector<std::pair<std::string, std::string>> environment;  // the user's --env

  bool operator==(const TargetRecord&) const = default;
};

struct Reproduced {
  int hits = 0;
  int tries = 0;

  bool operator==(const Reproduced&) const = default;
};

struct Finding {
  std::uint64_t id = 0;  // number of the case that failed first
  TargetRecord target;
  std::string property;
  Outcome outcome = Outcome::wrong;
  std::string summary;  // one line: what, where, expected and got
  std::vector<int> blame;
  std::optional<std::string> known;  // id of the known failure that it matches
  Reproduced reproduced;             // in fresh worlds, as replay does it
  // The history before the case that it needs: cases that run first in the same world, then so
  // many copies of the case itself, of which any may fail.
  std::vector<Case> before;
  int repeats = 1;
  Case test_case;  // shrunk
  Case original;   // as drawn
  int shrink_tries = 0;
  bool shrink_complete = true;  // no budget ended the shrinking
  std::string trouble;          // our own failure while it was run again; empty: none
  History history;              // of the shrunk case, when it last failed
  std::int64_t deadline_ms = 0;
};

nlohmann::ordered_json to_json(const TargetRecord& target);

// The finding's file. `finding_from_text` reads what is needed to run it again (target, cases,
// repeats, property, outcome); usage errors name what is malformed.
nlohmann::ordered_json finding_file(const Finding& finding);
Result<Finding> finding_from_text(const std::string& text);

// The line of history.jsonl.
nlohmann::ordered_json finding_line(const Finding& finding, const std::string& file);

// What the user types, where the run was started, to see it again.
std::string reproduce_line(const std::string& file);

}  // namespace allprove
