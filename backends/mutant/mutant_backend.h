// The backend `mutant`: the reference with one planted bug in its all-reduce.
#pragma once

#include <memory>
#include <unordered_map>

#include "backends/mutant/mutants.h"
#include "backends/reference/reference_backend.h"

namespace allprove::mutant {

class MutantBackend final : public reference::ReferenceBackend {
 public:
  explicit MutantBackend(const Mutant& mutant) : mutant_(mutant) {}

  Result<Ready> start(WorldPlace place) override;
  LibraryStatus open(const Case& test_case, int group, const Operation& first_use,
                     std::unique_ptr<Communicator>& made) override;

 protected:
  LibraryStatus run(reference::CommunicatorState& communicator,
                    const CollectiveArguments& arguments,
                    reference::AllReduceAlgorithm algorithm) override;

 private:
  const Mutant& mutant_;
  std::unordered_map<const reference::CommunicatorState*, RecentCalls> recent_;
};

}  // namespace allprove::mutant
