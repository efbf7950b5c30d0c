// Warm worlds of one target, by size, so that a case does not pay for a launch.
#pragma once

#include <list>
#include <memory>

#include "framework/run/batch.h"
#include "framework/run/world.h"

namespace allprove {

// Runs cases of one target. Not thread-safe. A world in which something went wrong is ended by
// discard(); the caller decides, since it judges the histories.
class WorldPool {
 public:
  WorldPool(Target target, const RunSettings& settings);
  ~WorldPool();

  const RunSettings& settings() const { return settings_; }

  // A world of that size: a warm one, or a new one. The pointer is good until the next call of any
  // function of the pool. After an error the pool can still be used.
  Result<World*> warm(int ranks);
  Result<World*> fresh(int ranks);  // ends the warm one of that size first

  // Ends the world of that size. An error when it left something behind.
  Status discard(int ranks);
  Status discard_all();  // asks the workers to end by themselves first

  std::uint64_t launches() const { return launches_; }

 private:
  Target target_;
  const RunSettings& settings_;
  std::list<std::unique_ptr<World>> worlds_;  // most recently used first
  std::uint64_t launches_ = 0;
};

}  // namespace allprove
