// The backend `mutant`: the reference with one planted bug.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "backends/mutant/mutants.h"
#include "backends/reference/reference_backend.h"

namespace allprove::mutant {

class MutantBackend final : public reference::ReferenceBackend {
 public:
  explicit MutantBackend(const Mutant& mutant) : mutant_(mutant) {}

  using ReferenceBackend::start;
  Result<Ready> start(WorldPlace place) override;
  LibraryStatus open(const Case& test_case, int group, const Operation& first_use,
                     std::unique_ptr<Communicator>& made) override;
  LibraryStatus init(const CollectiveArguments& arguments, const std::string& algorithm,
                     std::unique_ptr<Request>& request) override;
  LibraryStatus wait(Request& request) override;
  LibraryStatus test(Request& request, bool& done) override;
  LibraryStatus wait_all(std::span<Request* const> requests, bool some) override;

 protected:
  LibraryStatus run(reference::CommunicatorState& communicator,
                    const CollectiveArguments& arguments, reference::AllReduceAlgorithm algorithm,
                    const reference::StartedCall* request) override;

 private:
  LibraryStatus wait_as(const Asking& asking, Request& request);
  void strike(Moment moment, MutantCall& call) const;

  const Mutant& mutant_;
  int rank_ = 0;
  // By address; an entry is begun anew where an address is used again.
  std::map<const reference::CommunicatorState*, CommunicatorLife> lives_;
  std::map<const Request*, RequestLife> request_lives_;
  const reference::CommunicatorState* last_used_ = nullptr;
  Asking asking_;
};

}  // namespace allprove::mutant
