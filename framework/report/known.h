// Known failures of released libraries: which findings they explain. One file per library,
// known/<library>.json, a list; docs/found tells each to a person.
//
//   {"id": "openmpi-allreduce-sum-saturates",
//    "title": one line, "library": "openmpi",
//    "versions": {"from": "4.1.4", "to": "4.1.4"},      both included; "to" may be null
//    "signature": {                                     every list: one must match; ["*"]: any
//      "collective": ["all_reduce"], "mode": ["blocking", "nonblocking"],
//      "algorithm": ["*"],                              names as targets offer them; "auto": the
//                                                       library's own choice
//      "property": ["*"],
//      "symptom": ["wrong"]},                           see kKnownSymptoms
//    "when": {                                          of the failing operation; all must hold
//      "op": ["sum"], "dtype": ["int8"], "family": ["free"],
//      "group": ["graph"],                              kind of its communicator
//      "short_ring": true,                              some ring of one or two ranks on its grid
//      "repeated_edge": true,                           some edge stands in its graph twice
//      "ranks_min": 2, "ranks_max": 8,                  of its part of the group
//      "ranks_power_of_two": true,                      false: a number that is none
//      "root_min": 1, "root_max": 1,                    position in the part
//      "count_min": 1, "count_max": 8, "bytes_min": 16, "bytes_max": 64,
//      "total_bytes_min": 512, "total_bytes_max": 999,  of the larger buffer at the root
//      "block_beyond_first": true,                      a later block is longer than all before it
//      "empty_block": true,                             some member gives another nothing
//      "empty_rank": true,                              some member gives nothing at all
//      "item_sizes_differ": true,                       between the members' send types,
//                                                       or between their receive types
//      "stride_minus_one": true,                        of the runs of an item, in elements
//      "send_layout": ["vector"], "receive_layout": ["dense"],
//      "in_place": false,
//      "layout": ["vector", "resized"],                 of either side; "dense": of both sides
//      "restart_min": 1, "restart_max": 1,              earlier starts of its persistent request
//      "communicator_freed": "pending",                 between its start and its completion
//      "completed_by": ["wait_some"],                   the kind of operation that completes it
//      "completed_with": ["persistent"],                and another call, of one of these modes
//      "message": "text",                               in the library's text of the error
//      "environment": {"NAME": ">=3"}},                 of the ranks; also "=value"
//    "witness": "known/witness/x.c", "run": {"ranks": 3, "environment": {}},
//    "damages_memory": true,                            may be left out: false; explains what
//                                                       fails later in the case, too, and a world
//                                                       that made such a call is of no more use
//    "upstream": a reference or null, "page": "docs/found/x.md"}
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/result.h"
#include "framework/model/case.h"
#include "framework/model/history.h"

namespace allprove {

// Names, of which one must match; "*" among them matches any.
struct NameSet {
  std::vector<std::string> names;

  bool has(std::string_view name) const;
};

// A range with both ends included.
struct Range {
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  bool has(std::int64_t value) const { return min <= value && value <= max; }
};

struct KnownFailure {
  std::string id;
  std::string title;
  std::string library;
  std::string version_from;
  std::optional<std::string> version_to;

  NameSet collective;
  NameSet mode;
  NameSet algorithm;
  NameSet property;
  NameSet symptom;

  NameSet op = {{"*"}};
  NameSet dtype = {{"*"}};
  NameSet family = {{"*"}};
  NameSet send_layout = {{"*"}};
  NameSet receive_layout = {{"*"}};
  NameSet group = {{"*"}};
  bool short_ring = false;
  bool repeated_edge = false;
  Range ranks;  // of the part
  std::optional<bool> ranks_power_of_two;
  Range root;  // its position in the part
  Range count;
  Range bytes;
  Range total_bytes;
  std::optional<bool> block_beyond_first;
  std::optional<bool> empty_block;
  std::optional<bool> empty_rank;
  std::optional<bool> item_sizes_differ;
  std::optional<bool> stride_minus_one;
  std::optional<bool> in_place;
  NameSet layout = {{"*"}};
  Range restart;  // earlier starts of its persistent request
  bool freed_while_pending = false;
  NameSet completed_by = {{"*"}};
  std::optional<NameSet> completed_with;
  std::string message;
  std::map<std::string, std::string> environment;  // name -> ">=3" or "=value"

  std::string witness;  // paths from the root of the source tree
  std::string page;
  std::optional<std::string> upstream;
  bool damages_memory = false;
  int run_ranks = 1;
  std::map<std::string, std::string> run_environment;
};

// Does `version` lie in the failure's range? Numbers are compared part by part ("4.10" > "4.9").
bool applies_to_version(const KnownFailure& known, std::string_view version);

// What a symptom of a signature may be: what the failing operation's evidence shows on every rank
// on which it is wrong (`wrong`: outside of what the oracle allows, or one of the names of Symptom;
// `disagree`: allowed on each rank, but not the same), or how the case ended.
inline constexpr std::string_view kKnownSymptoms[] = {
    "wrong",        "disagree",       "crash",     "hang",
    "error",        "value",          "averaged",  "saturated",
    "signed_order", "unsigned_order", "unchanged", "own_input",
    "missing_rank", "doubled_rank",   "shifted",   "*"};

// Reads a file's text. Usage errors name the file and the field.
Result<std::vector<KnownFailure>> known_from_text(std::string_view text, const std::string& file);

// The known failures of one version of a library. A default one knows nothing.
class KnownFailures {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // Keeps those that apply to the version and environment of the ranks (where a variable is not
  // given, the driver's own). A library without a file has none.
  static Result<KnownFailures> load(const std::filesystem::path& folder, const std::string& library,
                                    std::string_view version, const Variables& environment = {});

  const std::vector<KnownFailure>& all() const { return known_; }
  // Whether the case makes a call that damages memory, be that seen or not.
  bool may_damage_memory(const Case& test_case) const;
  // Whether the case makes a call that may never come back.
  bool may_hang(const Case& test_case) const;

  // The id of the first that explains that the property fails in the operation; nothing when none
  // does. Where no operation is named, only what damages memory or frees too early explains it.
  // Algorithms must have been resolved to names.
  std::optional<std::string> match(const Case& test_case, const History& history,
                                   std::string_view property, int operation) const;

 private:
  std::vector<KnownFailure> known_;
};

}  // namespace allprove
