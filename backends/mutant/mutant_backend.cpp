#include "backends/mutant/mutant_backend.h"

#include <algorithm>
#include <utility>

namespace allprove::mutant {

Result<Ready> MutantBackend::start(WorldPlace place) {
  auto ready = ReferenceBackend::start(std::move(place));
  if (!ready) return ready;
  rank_ = ready->rank;
  ready->library = "allprove mutant " + std::string(mutant_.name);
  return ready;
}

LibraryStatus MutantBackend::open(const Case& test_case, int group, const Operation& first_use,
                                  std::unique_ptr<Communicator>& made) {
  auto status = ReferenceBackend::open(test_case, group, first_use, made);
  if (made == nullptr) return status;
  const auto& state = static_cast<reference::ReferenceCommunicator&>(*made).state;
  const auto membership = membership_of(test_case, group, rank_);
  CommunicatorLife life{state, membership.members, membership.part, false, 0, {}};
  life.made_anew = std::ranges::any_of(lives_, [&](const auto& entry) {
    return entry.second.state.expired() && entry.second.ranks == life.ranks;
  });
  lives_[state.get()] = std::move(life);
  return status;
}

LibraryStatus MutantBackend::init(const CollectiveArguments& arguments,
                                  const std::string& algorithm, std::unique_ptr<Request>& request) {
  auto status = ReferenceBackend::init(arguments, algorithm, request);
  const auto& members = static_cast<reference::StartedCall&>(*request).communicator->members;
  auto packed = reference::pack(arguments, members.size(), members.position());
  request_lives_[request.get()] = {std::move(packed.input), {}};
  return status;
}

LibraryStatus MutantBackend::wait_as(const Asking& asking, Request& request) {
  asking_ = asking;
  asking_.for_request = &static_cast<reference::StartedCall&>(request);
  auto status = ReferenceBackend::wait(request);
  asking_ = {};
  return status;
}

LibraryStatus MutantBackend::wait(Request& request) {
  return wait_as({.by = OperationKind::wait}, request);
}

LibraryStatus MutantBackend::test(Request& request, bool& done) {
  done = true;
  return wait_as({.by = OperationKind::test}, request);
}

LibraryStatus MutantBackend::wait_all(std::span<Request* const> requests, bool some) {
  Asking asking{.by = some ? OperationKind::wait_some : OperationKind::wait_all};
  asking.of = requests.size();
  for (auto* request : requests) {
    if (auto status = wait_as(asking, *request); status.code != 0) return status;
    ++asking.index;
  }
  return {};
}

void MutantBackend::strike(Moment moment, MutantCall& call) const {
  const bool now = mutant_.moment == moment && mutant_.on.contains(call.arguments.collective);
  if (now) mutant_.bug(call);
}

LibraryStatus MutantBackend::run(reference::CommunicatorState& communicator,
                                 const CollectiveArguments& arguments,
                                 reference::AllReduceAlgorithm algorithm,
                                 const reference::StartedCall* request) {
  auto& life = lives_[&communicator];
  auto& members = communicator.members;
  MutantCall call(communicator, arguments, algorithm, request);
  call.asking = asking_;
  call.life = &life;
  call.after_other_call = last_used_ != nullptr && last_used_ != &communicator;
  last_used_ = &communicator;
  strike(Moment::arguments, call);
  call.packed = reference::pack(call.arguments, members.size(), members.position());
  call.output_before = call.packed.output;
  if (request != nullptr) {
    auto& request_life = request_lives_[request];
    if (request->starts == 1) request_life.first_input = call.packed.input;
    call.request_life = &request_life;
  }
  strike(Moment::input, call);
  const bool is_all_reduce = arguments.collective == Collective::all_reduce;
  if (is_all_reduce) call.now = describe_call(call.arguments, call.packed, members);
  if (mutant_.moment == Moment::exchange && mutant_.on.contains(arguments.collective)) {
    mutant_.bug(call);
  } else {
    call.perform();
  }
  strike(Moment::result, call);
  reference::unpack(call.packed, call.arguments, members.size());
  strike(Moment::memory, call);
  if (is_all_reduce) life.reductions.add(std::move(call.now));
  ++life.calls;
  return call.status;
}

}  // namespace allprove::mutant
