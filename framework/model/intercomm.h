// Who is who in a collective on an intercommunicator (MPI 4.0, 6.2.2 and 6.2.3): the group's two
// parts are the local and the remote group of each other.
#pragma once

#include "framework/model/case.h"

namespace allprove {

constexpr int remote_part(int part) { return 1 - part; }

// A rank's place in the two parts.
struct InterPlace {
  int part = 0;
  int position = 0;

  bool operator==(const InterPlace&) const = default;
};

// Places counted over both parts, those of parts[0] first; and back, modulo their number.
int inter_index_of(const Group& group, InterPlace place);
InterPlace inter_place_at(const Group& group, int index);

enum class InterRole {
  root,         // passes MPI_ROOT
  beside_root,  // of the root's own part: passes MPI_PROC_NULL, its buffers are not touched
  remote,       // of the other part: passes the root's position there
};

// `root` is an operation's: counted over both parts.
InterRole inter_role_of(const Group& group, int root, InterPlace place);

}  // namespace allprove
