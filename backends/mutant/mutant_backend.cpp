#include "backends/mutant/mutant_backend.h"

#include <utility>

namespace allprove::mutant {

Result<Ready> MutantBackend::start(WorldPlace place) {
  auto ready = ReferenceBackend::start(std::move(place));
  if (ready) ready->library = "allprove mutant " + std::string(mutant_.name);
  return ready;
}

LibraryStatus MutantBackend::open(const Case& test_case, int group, const Operation& first_use,
                                  std::unique_ptr<Communicator>& made) {
  const auto status = ReferenceBackend::open(test_case, group, first_use, made);
  if (made == nullptr) return status;
  // An earlier communicator may have had the same address.
  recent_[static_cast<reference::ReferenceCommunicator&>(*made).state.get()] = RecentCalls();
  return status;
}

LibraryStatus MutantBackend::run(reference::CommunicatorState& communicator,
                                 const CollectiveArguments& arguments,
                                 reference::AllReduceAlgorithm algorithm) {
  if (arguments.collective != Collective::all_reduce) {
    return ReferenceBackend::run(communicator, arguments, algorithm);
  }
  auto& recent = recent_[&communicator];
  auto now = describe_call(arguments, communicator.members);
  const MutantCall call{arguments, communicator, recent, now};
  LibraryStatus status;
  if (mutant_.instead != nullptr) {
    status = mutant_.instead(call);
  } else {
    status = ReferenceBackend::run(communicator, arguments, algorithm);
    mutant_.after(call);
  }
  recent.add(std::move(now));
  return status;
}

}  // namespace allprove::mutant
