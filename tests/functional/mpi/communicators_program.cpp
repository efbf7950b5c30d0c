// A rank of 5 that makes communicators of every kind and compares what the library says of them
// with the model. Prints "NAME: what differs" for each difference, then "done", and exits with 0.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "backends/mpi/communicators.h"
#include "framework/model/intercomm.h"

namespace allprove {
namespace {

struct Named {
  const char* name;
  Group group;
};

const Named kGroups[] = {
    {"line", {GroupKind::cartesian, {}, {{5}, {0}, {}}}},
    {"ring", {GroupKind::cartesian, {}, {{5}, {1}, {}}}},
    {"ring, library's order", {GroupKind::cartesian, {}, {{5}, {1}, {}, true}}},
    {"ring of 2", {GroupKind::cartesian, {{3, 1}}, {{2}, {1}, {}}}},
    {"ring of 1", {GroupKind::cartesian, {{4}}, {{1}, {1}, {}}}},
    {"line of 1", {GroupKind::cartesian, {{0}}, {{1}, {0}, {}}}},
    {"grid", {GroupKind::cartesian, {{4, 2, 1, 0}}, {{2, 2}, {1, 0}, {}}}},
    {"cube", {GroupKind::cartesian, {{0, 1, 2, 3}}, {{2, 1, 2}, {1, 1, 1}, {}}}},
    {"graph ring", {GroupKind::graph, {}, {{}, {}, {{1}, {2}, {3}, {4}, {0}}}}},
    {"star", {GroupKind::graph, {}, {{}, {}, {{1, 2, 3, 4}, {0}, {0}, {0}, {0}}}}},
    {"loops", {GroupKind::graph, {}, {{}, {}, {{0, 1}, {1}, {2, 4}, {}, {2, 0}}}}},
    {"no edges", {GroupKind::graph, {{1, 3}}, {{}, {}, {{}, {}}}}},
    {"graph, library's order", {GroupKind::graph, {}, {{}, {}, {{1}, {2}, {3}, {4}, {0}}, true}}},
    {"repeated edges", {GroupKind::graph, {{2, 0}}, {{}, {}, {{1, 0, 1, 0}, {0, 1, 0, 1}}}}},
    {"halves", {GroupKind::inter, {{0, 1}, {2, 3, 4}}}},
    {"one and some", {GroupKind::inter, {{3}, {4, 1}}}},
};

void differs(const char* name, const std::string& what) {
  std::printf("%s: %s\n", name, what.c_str());
}

bool says_the_same_shifts(const Topology& topology, MPI_Comm comm, const Neighbors& neighbors) {
  for (std::size_t d = 0; d < topology.dims.size(); ++d) {
    int negative = 0;
    int positive = 0;
    MPI_Cart_shift(comm, static_cast<int>(d), 1, &negative, &positive);
    const auto is = [&](std::size_t block, int rank) {
      const int modelled = neighbors.outgoing[block];
      return rank == (modelled < 0 ? MPI_PROC_NULL : modelled);
    };
    if (!is(2 * d, negative) || !is(2 * d + 1, positive)) return false;
  }
  return true;
}

bool says_the_same_neighbors(MPI_Comm comm, const Neighbors& neighbors) {
  int incoming = 0;
  int outgoing = 0;
  int weighted = 0;
  MPI_Dist_graph_neighbors_count(comm, &incoming, &outgoing, &weighted);
  std::vector<int> sources(static_cast<std::size_t>(incoming));
  std::vector<int> destinations(static_cast<std::size_t>(outgoing));
  MPI_Dist_graph_neighbors(comm, incoming, sources.data(), MPI_UNWEIGHTED, outgoing,
                           destinations.data(), MPI_UNWEIGHTED);
  return destinations == neighbors.outgoing &&
         std::ranges::equal(sources, neighbors.incoming, {}, {}, &Incoming::position);
}

// Blocks that say whose they are and which, and what each must hold after the exchange.
bool blocks_match(MPI_Comm comm, int position, const Neighbors& neighbors) {
  constexpr int kBlocks = 100;
  std::vector<int> send;
  std::vector<int> expected;
  for (std::size_t i = 0; i < neighbors.outgoing.size(); ++i) {
    send.push_back(position * kBlocks + static_cast<int>(i));
  }
  for (const auto& from : neighbors.incoming) {
    expected.push_back(from.position < 0 ? -1 : from.position * kBlocks + from.block);
  }
  std::vector<int> received(expected.size(), -1);
  send.reserve(1);  // MPICH refuses null for a buffer of no blocks
  received.reserve(1);
  const int code =
      MPI_Neighbor_alltoall(send.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm);
  return code == MPI_SUCCESS && received == expected;
}

void compare_topology(const Named& tried, MPI_Comm comm, int position) {
  const auto& topology = tried.group.topology;
  const auto neighbors = neighbors_of(topology, position);
  const bool same = tried.group.kind == GroupKind::cartesian
                        ? says_the_same_shifts(topology, comm, neighbors)
                        : says_the_same_neighbors(comm, neighbors);
  if (!same) differs(tried.name, "neighbours");
  if (!blocks_match(comm, position, neighbors)) differs(tried.name, "blocks");
}

void compare_inter(const Named& tried, MPI_Comm comm, const Membership& member) {
  const auto& remote = tried.group.parts[static_cast<std::size_t>(remote_part(member.part))];
  int is_inter = 0;
  int size = 0;
  MPI_Comm_test_inter(comm, &is_inter);
  if (is_inter == 0) return differs(tried.name, "no intercommunicator");
  MPI_Comm_remote_size(comm, &size);
  if (size != static_cast<int>(remote.size())) differs(tried.name, "remote size");
  int world_rank = member.members[static_cast<std::size_t>(member.position)];
  std::vector<int> received(remote.size(), -1);
  MPI_Allgather(&world_rank, 1, MPI_INT, received.data(), 1, MPI_INT, comm);
  if (received != remote) differs(tried.name, "remote ranks");
  // Every rank is the root once.
  for (int root = 0; root < size + static_cast<int>(member.members.size()); ++root) {
    const auto role = inter_role_of(tried.group, root, {member.part, member.position});
    const int argument = role == InterRole::root ? MPI_ROOT
                         : role == InterRole::beside_root
                             ? MPI_PROC_NULL
                             : inter_place_at(tried.group, root).position;
    int value = role == InterRole::root ? root : -1;
    MPI_Bcast(&value, 1, MPI_INT, argument, comm);
    if (value != (role == InterRole::beside_root ? -1 : root)) differs(tried.name, "broadcast");
  }
}

void compare(const Named& tried, int rank) {
  Case test_case;
  test_case.ranks = 5;
  test_case.groups.push_back(tried.group);
  if (!validate(test_case)) differs(tried.name, "no valid group");
  MadeCommunicator made;
  if (make_communicator(test_case, 1, rank, made) != MPI_SUCCESS) differs(tried.name, "error");
  auto member = membership_of(test_case, 1, rank);
  if ((member.part < 0) != (made.handle == MPI_COMM_NULL)) differs(tried.name, "membership");
  if (made.handle == MPI_COMM_NULL) return;
  int position = -1;
  MPI_Comm_rank(made.handle, &position);
  if (tried.group.topology.reorder) {
    if (made.members.at(static_cast<std::size_t>(position)) != rank) differs(tried.name, "order");
  } else if (position != member.position || !made.members.empty()) {
    differs(tried.name, "position");
  }
  if (tried.group.kind == GroupKind::inter) {
    compare_inter(tried, made.handle, member);
  } else {
    compare_topology(tried, made.handle, position);
  }
  MPI_Comm_free(&made.handle);
}

}  // namespace
}  // namespace allprove

int main(int argc, char** argv) {
  alarm(60);
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const auto& tried : allprove::kGroups) allprove::compare(tried, rank);
  std::puts("done");
  std::fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  _exit(0);
}
