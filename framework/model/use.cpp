#include "framework/model/use.h"

namespace allprove {

bool may_run_on(const Group& group, const Operation& operation) {
  const auto collective = operation.collective;
  if (needs_neighbors(collective)) {
    return group.kind == GroupKind::cartesian || group.kind == GroupKind::graph;
  }
  if (group.kind != GroupKind::inter) return true;
  switch (collective) {
    case Collective::scan:
    case Collective::exscan:
      return false;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      if (group.parts[0].size() != group.parts[1].size()) return false;
      break;
    default:
      break;
  }
  return !operation.in_place && !operation.divide;
}

}  // namespace allprove
