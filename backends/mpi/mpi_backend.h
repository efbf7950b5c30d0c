// The backend of every MPI: collectives through the standard's own names (so that a preloaded
// profiling shim sees them), communicators, and the library's algorithms.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "backends/mpi/algorithms.h"
#include "backends/mpi/collectives.h"
#include "backends/mpi/derived_type.h"
#include "backends/mpi/user_ops.h"
#include "framework/run/worker/backend.h"

namespace allprove {

class MpiBackend final : public Backend {
 public:
  Result<Ready> start(WorldPlace place) override;
  std::optional<std::string> unsupported(const Case& test_case,
                                         const Operation& operation) const override;
  std::string communicator_scope(const Operation& operation) const override;
  LibraryStatus open(const Case& test_case, int group, const Operation& first_use,
                     std::unique_ptr<Communicator>& made) override;
  LibraryStatus call(const CollectiveArguments& arguments, const std::string& algorithm) override;
  LibraryStatus start(const CollectiveArguments& arguments, const std::string& algorithm,
                      std::unique_ptr<Request>& request) override;
  LibraryStatus init(const CollectiveArguments& arguments, const std::string& algorithm,
                     std::unique_ptr<Request>& request) override;
  LibraryStatus start_request(Request& request) override;
  LibraryStatus wait(Request& request) override;
  LibraryStatus test(Request& request, bool& done) override;
  LibraryStatus wait_all(std::span<Request* const> requests, bool some) override;
  void finish() override;

 private:
  // By MPI's own function, the nonblocking or the persistent one.
  LibraryStatus make_request(const CollectiveArguments& arguments, const std::string& algorithm,
                             int (*function)(const MpiArguments&, MPI_Request*),
                             std::unique_ptr<Request>& request);
  // A code of MPI.
  int translate(const CollectiveArguments& arguments, MpiArguments& to);
  int translate(const CollectiveArguments& arguments, const BufferSide& side,
                MpiArguments::Side& to);

  int rank_ = -1;
  Algorithms algorithms_;
  bool several_threads_ = false;                           // may call
  std::array<DerivedTypes, kThreadsMax> types_;            // by thread
  std::array<UserOperators, kThreadsMax> user_operators_;  // by thread
};

}  // namespace allprove
