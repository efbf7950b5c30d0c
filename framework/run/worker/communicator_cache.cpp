#include "framework/run/worker/communicator_cache.h"

#include <algorithm>

namespace allprove {

CachedCommunicator& CommunicatorCache::place_of(const Case& test_case, int group,
                                                const std::string& scope) {
  const auto& groups = test_case.groups;
  const auto wanted = groups.begin() + group;
  const auto occurrence = static_cast<int>(std::count(groups.begin(), wanted, *wanted));
  for (const auto& entry : entries_) {
    if (entry->occurrence == occurrence && entry->scope == scope && entry->group == *wanted) {
      entry->last_case = case_;
      return *entry;
    }
  }
  auto& made = entries_.emplace_back(std::make_unique<CachedCommunicator>());
  made->group = *wanted;
  made->occurrence = occurrence;
  made->scope = scope;
  made->last_case = case_;
  return *made;
}

void CommunicatorCache::trim() {
  while (entries_.size() > kKeptMax) {
    const auto oldest =
        std::min_element(entries_.begin(), entries_.end(),
                         [](const auto& a, const auto& b) { return a->last_case < b->last_case; });
    entries_.erase(oldest);
  }
}

}  // namespace allprove
