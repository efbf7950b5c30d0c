// What the worker needs of a communication library. A backend is one executable: its main() makes
// a Backend and hands it to run_worker() (worker.h). One thread calls it, unless a case has
// several: then each calls for communicators and requests of its own, all else is the first one's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/base/result.h"
#include "framework/base/unique_fd.h"
#include "framework/model/case.h"
#include "framework/model/intercomm.h"
#include "framework/model/layout.h"
#include "framework/run/protocol.h"

namespace allprove {

// A library's communicator; owned by the worker, freed before the library ends.
class Communicator {
 public:
  virtual ~Communicator() = default;

  // World ranks by position, where the library chose the order itself (Topology::reorder); empty:
  // those of the group's part, in its order.
  std::vector<int> members;
};

// A started collective.
class Request {
 public:
  virtual ~Request() = default;
};

// What the library answered. `code` is its error class; 0 is success.
struct LibraryStatus {
  int code = 0;
  std::string message;
};

// Where the blocks of one of a call's buffers are, in items of its data type. What is called an
// element here is an operand (user_operator.h) where the call combines such.
struct BufferSide {
  std::byte* data = nullptr;           // null where there is no such buffer
  Layout layout;                       // dense: an item is an element
  std::int64_t elements_per_item = 1;  // see layout.h
  std::int64_t count = 0;              // of a block of a collective whose blocks are alike
  // Of each block of a collective whose blocks may differ in size; displacements in extents.
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> displacements;
};

// The arguments of one collective call. A broadcast has one buffer: `receive`.
struct CollectiveArguments {
  Collective collective = Collective::all_reduce;
  Mode mode = Mode::blocking;
  Dtype dtype = Dtype::int32;
  Op op = Op::sum;
  int root = 0;                        // position; on an intercommunicator, in the root's own part
  InterRole role = InterRole::remote;  // on an intercommunicator
  int thread = 0;                      // that calls: see Operation
  bool in_place = false;               // this rank passes "in place" for the buffer that it lacks
  BufferSide send;
  BufferSide receive;
  Communicator* communicator = nullptr;
};

// Where a world of workers gets started, as the worker learns it from the driver.
struct WorldPlace {
  int slot = -1;  // rank, where the launcher knows it
  int size = 0;
  UniqueFd arena;  // memory shared by the ranks of the world, for backends without a library
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Initialises the library; fills in rank, size, library, version, thread level, algorithms.
  virtual Result<Ready> start(WorldPlace place) = 0;

  // Why this backend cannot run the operation; nothing when it can. The same answer on every rank.
  virtual std::optional<std::string> unsupported(const Case& test_case,
                                                 const Operation& operation) const = 0;

  // What of the operation its communicator must be made for: an algorithm that belongs to the
  // communicator, say. Operations of a group share a communicator when this is equal; empty: any.
  virtual std::string communicator_scope(const Operation& operation) const = 0;

  // The communicator of this rank's part of the group; `made` may stay null when it is in none.
  // Called by all ranks of the world, for the same groups in the same order. `first_use` is an
  // operation of the scope that the communicator is for.
  virtual LibraryStatus open(const Case& test_case, int group, const Operation& first_use,
                             std::unique_ptr<Communicator>& made) = 0;

  // Calls that reach the library. `algorithm` is a name from Ready::algorithms for that collective
  // and mode, or empty: the library's own choice. One function for each mode: blocking calls,
  // nonblocking ones, and persistent ones, whose request is made inactive: start_request() starts
  // it, and again whenever it has been completed, with the data that is in the buffers by then.
  virtual LibraryStatus call(const CollectiveArguments& arguments,
                             const std::string& algorithm) = 0;
  virtual LibraryStatus start(const CollectiveArguments& arguments, const std::string& algorithm,
                              std::unique_ptr<Request>& request) = 0;
  virtual LibraryStatus init(const CollectiveArguments& arguments, const std::string& algorithm,
                             std::unique_ptr<Request>& request) = 0;
  virtual LibraryStatus start_request(Request& request) = 0;
  virtual LibraryStatus wait(Request& request) = 0;
  virtual LibraryStatus test(Request& request, bool& done) = 0;
  // Completes all of them: together, or, with `some`, as many at a time as are done.
  virtual LibraryStatus wait_all(std::span<Request* const> requests, bool some) = 0;

  // Before the process ends, when all has gone well: a barrier, so that no rank leaves early.
  virtual void finish() = 0;
};

}  // namespace allprove
