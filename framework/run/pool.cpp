#include "framework/run/pool.h"

#include <algorithm>

namespace allprove {
namespace {

constexpr std::size_t kWarmWorldsMax = 4;

}  // namespace

WorldPool::WorldPool(Target target, const RunSettings& settings)
    : target_(std::move(target)), settings_(settings) {}

WorldPool::~WorldPool() = default;

Result<World*> WorldPool::warm(int ranks) {
  const auto found = std::find_if(worlds_.begin(), worlds_.end(),
                                  [ranks](const auto& world) { return world->ranks() == ranks; });
  if (found != worlds_.end()) {
    worlds_.splice(worlds_.begin(), worlds_, found);
    return worlds_.front().get();
  }
  while (worlds_.size() >= kWarmWorldsMax) {
    auto status = worlds_.back()->end();
    worlds_.pop_back();
    if (!status) return tl::unexpected(status.error());
  }
  auto world = World::launch(target_, ranks, settings_);
  if (!world) return tl::unexpected(world.error());
  ++launches_;
  worlds_.push_front(std::move(*world));
  return worlds_.front().get();
}

Result<World*> WorldPool::fresh(int ranks) {
  if (auto status = discard(ranks); !status) return tl::unexpected(status.error());
  return warm(ranks);
}

Status WorldPool::discard(int ranks) {
  Status status;
  std::erase_if(worlds_, [&](const auto& world) {
    if (world->ranks() != ranks) return false;
    status = world->end();
    return true;
  });
  return status;
}

Status WorldPool::discard_all() {
  Status first_error;
  for (auto& world : worlds_) {
    world->stop();
    auto status = world->end();
    if (!status && first_error) first_error = status;
  }
  worlds_.clear();
  return first_error;
}

}  // namespace allprove
