// A case: everything that a run needs, as a plain value. Its JSON text (case_json.h) round-trips
// exactly. The vocabulary is wider than what every backend can run: a backend says what it can.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/result.h"
#include "framework/model/collective.h"
#include "framework/model/data.h"
#include "framework/model/dtype.h"
#include "framework/model/fault.h"
#include "framework/model/layout.h"
#include "framework/model/topology.h"

namespace allprove {

// How a group's communicator comes to be.
enum class GroupKind {
  world,      // all ranks, in order: what the library starts with; always group 0
  duplicate,  // all ranks, in order, in a communicator of their own (MPI_Comm_dup)
  split,      // parts of the ranks, in any order (MPI_Comm_split)
  create,     // one part, made by its members alone (MPI_Comm_create_group)
  cartesian,  // one part, or all ranks in order, with a topology
  graph,      // the same
  inter,      // two parts: an intercommunicator
};

constexpr auto enum_names(GroupKind) {
  return std::to_array<std::string_view>(
      {"world", "duplicate", "split", "create", "cartesian", "graph", "inter"});
}

// Disjoint parts of the world, each with its own communicator. An operation on the group is run
// by every part on its own (`inter`: by both together); ranks in no part take no part in it.
struct Group {
  GroupKind kind = GroupKind::world;
  // World ranks (0 to ranks-1) of each part, in the order of their positions in it. Empty for
  // `world` and `duplicate`, which mean all ranks in order; so may `cartesian` and `graph` be.
  std::vector<std::vector<int>> parts;
  Topology topology = {};

  bool operator==(const Group&) const = default;
};

// The library's algorithm for one call. `pick` is drawn without knowing the library; a target
// resolves it to a name (pick modulo the number of algorithms it offers), which is kept beside it.
struct Algorithm {
  std::uint32_t pick = 0;  // 0: the library's own choice
  std::string name;        // empty: the library's own choice, or not yet resolved

  bool operator==(const Algorithm&) const = default;
};

inline constexpr std::int64_t kNoCut = -1;

// One operation of a program. Fields that its kind or collective has no use for keep their default.
struct Operation {
  OperationKind kind = OperationKind::call;
  Collective collective = Collective::all_reduce;
  Mode mode = Mode::blocking;
  int group = 0;  // index into the case's groups
  Dtype dtype = Dtype::int32;
  Op op = Op::sum;
  std::vector<std::int64_t> shape;  // of one block; 0 to 5 dimensions; empty: one element
  // Elements of each block of a collective whose blocks may differ in size (blocks.h), taken modulo
  // the list's length: by the position that gives or gets the block; from a position f to a
  // position t, element f * (members of t's side) + t. Empty: all have the shape's count.
  std::vector<std::int64_t> counts;
  int holes = 0;            // elements left free between the blocks of such a collective (0..63)
  std::uint64_t order = 0;  // seed of the order in which its blocks lie; 0: by position
  // Of moved data and of user-defined operators: the derived data type of each side.
  Layout send_layout;
  Layout receive_layout;
  int root = 0;  // position in the part, modulo its size
  bool in_place = false;
  int skew = 0;         // elements by which the buffers start after a 64-byte boundary (0..63)
  bool divide = false;  // the caller divides the result by the size of the group: the mean
  std::int64_t cut = kNoCut;  // element at which evidence is also given for the parts beside it
  Data data;
  Algorithm algorithm;
  int request = -1;  // start, wait, test: the label that ties them
  std::int64_t delay_us = 0;
  int thread = 0;  // of the rank; each calls on communicators of its own, and 0 makes them all
  int stream = 0;

  bool operator==(const Operation&) const = default;
};

// Product of the shape: elements of one block.
std::int64_t count_of(const Operation& operation);
// Elements of the largest block, where blocks may differ in size.
std::int64_t largest_block(const Operation& operation);

struct Case {
  int ranks = 1;
  // Logical id of each world rank, from which its inputs are made; empty: rank r has id r. Removing
  // a rank while shrinking leaves the ids, and so the inputs, of the others as they were.
  std::vector<int> logical;
  std::vector<Group> groups = {Group{}};
  std::vector<Operation> program;
  std::vector<Fault> faults;
  std::int64_t deadline_ms = 0;  // 0: the run's own

  bool operator==(const Case&) const = default;
};

int logical_of(const Case& test_case, int rank);

// The part of a group that a rank is in.
struct Membership {
  int part = -1;             // -1: in none
  int position = -1;         // the rank's position in it
  std::vector<int> members;  // world ranks by position
};
Membership membership_of(const Case& test_case, int group, int rank);

// The operation that completes the call that this one makes: itself, unless it is a start; -1 where
// none does.
int completion_of(const Case& test_case, int index);

// Threads of a rank that the program has: 1 more than the highest.
int threads_of(const Case& test_case);

inline constexpr int kRanksMax = 4096;
inline constexpr int kThreadsMax = 4;
inline constexpr int kOperationsMax = 4096;
inline constexpr std::int64_t kFirstMax = std::int64_t{1} << 60;  // see Data
inline constexpr std::int64_t kDeadlineMaxMs = 24 * 3600 * 1000;
inline constexpr std::int64_t kElementsMax = std::int64_t{1} << 33;

// Whether the case makes sense at all (indices in range, waits that match starts, ...), whatever
// the backend. A usage error that names the field otherwise.
Status validate(const Case& test_case);

// "all_reduce(float32[3], sum)", with what differs from the plain call: ", in place on group 1".
std::string describe(const Case& test_case, const Operation& operation);
// One line: "3 ranks: all_reduce(...); broadcast(...)".
std::string describe(const Case& test_case);

}  // namespace allprove
