#include "backends/reference/reference_backend.h"

#include <algorithm>
#include <utility>

#include "backends/reference/collectives.h"
#include "backends/reference/reduce.h"
#include "framework/base/check.h"
#include "framework/base/enum_table.h"
#include "framework/base/version.h"

namespace allprove::reference {
namespace {

constexpr int kNoCommunicatorLeft = 1;  // the one error of this library

const std::shared_ptr<CommunicatorState>& state_of(const CollectiveArguments& arguments) {
  return static_cast<ReferenceCommunicator&>(*arguments.communicator).state;
}

AllReduceAlgorithm algorithm_named(const std::string& name) {
  if (name.empty()) return AllReduceAlgorithm::everyone_reduces;
  const auto algorithm = from_name<AllReduceAlgorithm>(name);
  ALLPROVE_CHECK(algorithm);
  return *algorithm;
}

}  // namespace

LibraryStatus ReferenceBackend::run(CommunicatorState& communicator,
                                    const CollectiveArguments& arguments,
                                    AllReduceAlgorithm algorithm, const StartedCall*) {
  auto& members = communicator.members;
  auto call = pack(arguments, members);
  perform(members, call, algorithm);
  unpack(call, arguments, members);
  return {};
}

void ReferenceBackend::run_oldest(CommunicatorState& communicator) {
  auto& oldest = *communicator.started.front();
  communicator.started.pop_front();
  oldest.status = run(communicator, oldest.arguments, oldest.algorithm, &oldest);
  oldest.done = true;
}

Result<Ready> ReferenceBackend::start(WorldPlace place) {
  auto arena = Arena::join(place.arena, place.slot, place.size);
  if (!arena) return tl::unexpected(arena.error());
  arena_ = std::make_unique<Arena>(*arena);
  arena_->meet();
  Ready ready;
  ready.rank = arena_->rank();
  ready.size = arena_->size();
  ready.library = "allprove reference";
  ready.version = std::string(version_info().version);
  ready.thread_level = "single";
  std::vector<std::string> names(names_of<AllReduceAlgorithm>().begin(),
                                 names_of<AllReduceAlgorithm>().end());
  names.erase(names.begin());  // the first one is its own choice
  for (const auto mode : {Mode::blocking, Mode::nonblocking, Mode::persistent}) {
    ready.algorithms.push_back({Collective::all_reduce, mode, names});
  }
  return ready;
}

std::optional<std::string> ReferenceBackend::unsupported(const Case&,
                                                         const Operation& operation) const {
  if (operation.thread != 0) return "the reference has one thread";
  if (operation.stream != 0) return "the reference has no streams";
  if (operation.kind == OperationKind::group_begin || operation.kind == OperationKind::group_end) {
    return "the reference has no groups of calls";
  }
  if (!enters_collective(operation.kind)) return std::nullopt;
  const auto traits = traits_of(operation.collective);
  if (!traits.moves_data) return std::nullopt;
  if (!traits_of(operation.dtype).runs) {
    return "dtype " + std::string(name_of(operation.dtype)) + " is not in the reference";
  }
  if (traits.reduces && !can_combine(operation.op, operation.dtype)) {
    return "op " + std::string(name_of(operation.op)) + " of " +
           std::string(name_of(operation.dtype)) + " is not in the reference";
  }
  if (!operation.algorithm.name.empty() &&
      (operation.collective != Collective::all_reduce ||
       !from_name<AllReduceAlgorithm>(operation.algorithm.name))) {
    return "the reference has no algorithm '" + operation.algorithm.name + "' for it";
  }
  return std::nullopt;
}

// The members whose lanes a rank needs: both sides of an intercommunicator.
std::vector<int> all_members(const Group& group, const Membership& membership) {
  if (group.kind != GroupKind::inter || membership.part < 0) return membership.members;
  auto members = group.parts[0];
  members.insert(members.end(), group.parts[1].begin(), group.parts[1].end());
  return members;
}

// The order is the library's own where the case lets it be: the other way round.
void put_in_own_order(Membership& membership) {
  if (membership.part < 0) return;
  std::ranges::reverse(membership.members);
  membership.position = static_cast<int>(membership.members.size()) - 1 - membership.position;
}

LibraryStatus ReferenceBackend::open(const Case& test_case, int group, const Operation&,
                                     std::unique_ptr<Communicator>& made) {
  const int block = arena_->take_block();
  if (block < 0) return {kNoCommunicatorLeft, "no memory is left for another communicator"};
  const auto& described = test_case.groups[static_cast<std::size_t>(group)];
  auto membership = membership_of(test_case, group, arena_->rank());
  auto communicator = std::make_unique<ReferenceCommunicator>();
  if (described.topology.reorder) {
    put_in_own_order(membership);
    communicator->members = membership.members;
  }
  std::vector<Lane*> lanes;
  for (const int member : all_members(described, membership)) {
    lanes.push_back(&arena_->lane(block, member));
  }
  auto relations = relations_of(described, membership);
  const int position = relations.own.begin + membership.position;
  communicator->state = std::make_shared<CommunicatorState>(
      *arena_, block, described, Members(std::move(lanes), position, std::move(relations)));
  made = std::move(communicator);
  return {};
}

LibraryStatus ReferenceBackend::call(const CollectiveArguments& arguments,
                                     const std::string& algorithm) {
  auto& communicator = *state_of(arguments);
  while (!communicator.started.empty()) run_oldest(communicator);
  return run(communicator, arguments, algorithm_named(algorithm), nullptr);
}

LibraryStatus ReferenceBackend::start(const CollectiveArguments& arguments,
                                      const std::string& algorithm,
                                      std::unique_ptr<Request>& request) {
  init(arguments, algorithm, request);
  return start_request(*request);
}

LibraryStatus ReferenceBackend::init(const CollectiveArguments& arguments,
                                     const std::string& algorithm,
                                     std::unique_ptr<Request>& request) {
  auto started = std::make_unique<StartedCall>();
  started->arguments = arguments;
  started->algorithm = algorithm_named(algorithm);
  started->communicator = state_of(arguments);
  request = std::move(started);
  return {};
}

LibraryStatus ReferenceBackend::start_request(Request& request) {
  auto& call = static_cast<StartedCall&>(request);
  ++call.starts;
  call.done = false;
  call.communicator->started.push_back(&call);
  return {};
}

LibraryStatus ReferenceBackend::wait_all(std::span<Request* const> requests, bool) {
  for (auto* request : requests) {
    if (auto status = wait(*request); status.code != 0) return status;
  }
  return {};
}

LibraryStatus ReferenceBackend::wait(Request& request) {
  auto& started = static_cast<StartedCall&>(request);
  while (!started.done) run_oldest(*started.communicator);
  return started.status;
}

LibraryStatus ReferenceBackend::test(Request& request, bool& done) {
  done = true;
  return wait(request);
}

void ReferenceBackend::finish() { arena_->meet(); }

}  // namespace allprove::reference
