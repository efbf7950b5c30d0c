// Communicators, kept from case to case: making one can cost more than the case. What is kept and
// what is freed depends on the cases alone, so that all ranks of a world do the same.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/model/case.h"
#include "framework/run/worker/backend.h"

namespace allprove {

// The communicator of one group and scope, or the place for it.
struct CachedCommunicator {
  Group group;
  int occurrence = 0;  // the how-manieth group of its case that is like this one: each has its own
  std::string scope;   // see Backend::communicator_scope()
  std::unique_ptr<Communicator> communicator;  // null: this rank is in no part of the group
  std::optional<Membership> reordered;         // where the library chose the positions
  bool open = false;
  std::uint64_t last_case = 0;  // in which it was used
};

class CommunicatorCache {
 public:
  // Kept between cases at most; a case may use more.
  static constexpr std::size_t kKeptMax = 48;

  void begin_case() { ++case_; }
  // The place for a group of the case; valid until the end of the case.
  CachedCommunicator& place_of(const Case& test_case, int group, const std::string& scope);
  // Frees those that were not used for the longest time, in the order in which they were made.
  void trim();
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<std::unique_ptr<CachedCommunicator>> entries_;  // in the order they were made
  std::uint64_t case_ = 0;
};

}  // namespace allprove
