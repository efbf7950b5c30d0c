// A failure for which tests ask whether an entry explains it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "framework/report/known.h"
#include "tests/unit/report/known_entry.h"

namespace allprove {

// A folder with one file, gone at the end.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/allprove-known-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline KnownFailures loaded(const Json& entries, std::string_view version = "4.1.4",
                            const KnownFailures::Variables& environment = {}) {
  const Folder folder;
  folder.write("openmpi.json", entries.dump());
  auto known = KnownFailures::load(folder.path(), "openmpi", version, environment);
  EXPECT_TRUE(known) << known.error().message;
  return known.value_or(KnownFailures{});
}

// One failing operation: a sum of 32 int8 on three ranks, wrong on rank 1.
struct Failing {
  Failing() {
    test_case.ranks = 3;
    Operation operation;
    operation.dtype = Dtype::int8;
    operation.shape = {32};
    test_case.program = {operation};
    history.ranks.resize(3);
    for (auto& rank : history.ranks) {
      rank.operations.resize(2);
      rank.operations[0].evidence.checked = true;
    }
    history.ranks[1].operations[0].evidence.wrong = 4;
    history.ranks[1].operations[0].evidence.symptom = Symptom::saturated;
  }
  Operation& operation() { return test_case.program[0]; }
  void on(Group group) {
    test_case.groups.push_back(std::move(group));
    operation().group = 1;
  }
  std::optional<std::string> match(const Json& known,
                                   std::string_view property = "matches_reference",
                                   int index = 0) const {
    return loaded(Json::array({known})).match(test_case, history, property, index);
  }

  Case test_case;
  History history;
};

// Two calls under way, completed together.
struct FailingTogether : Failing {
  FailingTogether() {
    operation().kind = OperationKind::start;
    operation().mode = Mode::persistent;
    operation().request = 0;
    auto other = operation();
    other.mode = Mode::nonblocking;
    other.request = 1;
    Operation all;
    all.kind = OperationKind::wait_some;
    test_case.program = {operation(), other, all};
    history.outcome = Outcome::error;
  }
};

}  // namespace allprove
