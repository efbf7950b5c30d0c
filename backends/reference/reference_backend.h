// The backend `reference`: ranks as processes over shared memory, with collectives of our own that
// are simple enough to be right. It stands in where no MPI is installed, and under the mutants.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/reference/arena.h"
#include "framework/run/worker/backend.h"

namespace allprove::reference {

class ReferenceBackend final : public Backend {
 public:
  Result<Ready> start(WorldPlace place) override;
  std::optional<std::string> unsupported(const Case& test_case,
                                         const Operation& operation) const override;
  std::string communicator_scope(const Operation&) const override { return {}; }
  LibraryStatus open(const Case& test_case, int group, const Operation& first_use,
                     std::unique_ptr<Communicator>& made) override;
  LibraryStatus call(const CollectiveArguments& arguments, const std::string& algorithm) override;
  // A started call runs when it is waited for, or before the next call on its communicator: each
  // member must take part in it by then. A test waits as well.
  LibraryStatus start(const CollectiveArguments& arguments, const std::string& algorithm,
                      std::unique_ptr<Request>& request) override;
  LibraryStatus wait(Request& request) override;
  LibraryStatus test(Request& request, bool& done) override;
  void finish() override;

 private:
  std::unique_ptr<Arena> arena_;
};

// Where this rank stands in the communicator, and how many there are in it.
int position_in(const Communicator& communicator);
int size_of_communicator(const Communicator& communicator);

}  // namespace allprove::reference
