// Where a rank is in its program, as the driver can read it without the rank's help.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace allprove {

enum class Phase {
  idle,      // between operations, or before the first
  called,    // inside the library, in the call of `operation`
  finished,  // every operation of the case is done on this rank
};

constexpr auto enum_names(Phase) {
  return std::to_array<std::string_view>({"idle", "called", "finished"});
}

// Of a rank that is past the case: it entered whatever it entered.
inline constexpr int kEnteredAll = std::numeric_limits<int>::max();

struct Position {
  bool alive = true;     // false once the process has ended
  bool stopped = false;  // by a signal or a debugger; looked at only when a deadline has passed
  Phase phase = Phase::idle;
  int operation = -1;  // index into the program; -1: none yet
  int group = -1;      // of the collective that it is in, or waits for
  // The how-manieth collective call on that group's communicator (from 1); 0 while the communicator
  // is made.
  int call_number = 0;
  std::vector<int> entered;  // per group: collective calls that this rank has entered so far

  bool operator==(const Position&) const = default;
};

}  // namespace allprove
