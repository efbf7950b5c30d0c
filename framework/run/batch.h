// Runs cases on a world: many in one message, watched by their positions, under hard deadlines.
#pragma once

#include <span>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"
#include "framework/run/world.h"

namespace allprove {

struct BatchReport {
  // One per case, in order, while all went well. When the world broke (a crash, a hang, or a
  // failure of ours) the last one tells of it, `broken` is true, and it stands for the case at
  // index `broken_at`: cases before that one were run too, but their evidence is lost with the
  // ranks; they are to be run again.
  std::vector<History> histories;
  bool broken = false;
  std::size_t broken_at = 0;
  bool interrupted = false;  // the user asked to stop; histories is empty, the world is not usable
  std::int64_t elapsed_ns = 0;         // from sending to the last result, as the driver saw it
  std::int64_t worker_elapsed_ns = 0;  // of the slowest rank, without the messages
};

struct BatchOptions {
  bool bare = false;     // see Batch in protocol.h
  bool samples = false;  // likewise
  int repeat = 1;        // likewise
  // How long no rank may move (enter or leave a call); a case as a whole may take as many times
  // that as it has operations. A case's own deadline takes its place.
  Milliseconds deadline{10'000};
};

BatchReport run_batch(World& world, std::span<const Case> cases, const RunSettings& settings,
                      const BatchOptions& options);

}  // namespace allprove
