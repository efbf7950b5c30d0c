#include "backends/mpi/communicators.h"

#include <algorithm>
#include <numeric>

#include "framework/model/intercomm.h"

namespace allprove {
namespace {

// Each part of the group by itself, in the order of its positions.
int split_world(const Membership& member, MPI_Comm* made) {
  return MPI_Comm_split(MPI_COMM_WORLD, member.part < 0 ? MPI_UNDEFINED : member.part,
                        std::max(member.position, 0), made);
}

int create_from_members(const Membership& member, MPI_Comm* made) {
  if (member.part < 0) return MPI_SUCCESS;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group members = MPI_GROUP_NULL;
  const auto size = static_cast<int>(member.members.size());
  int code = MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (code == MPI_SUCCESS) code = MPI_Group_incl(world, size, member.members.data(), &members);
  if (code == MPI_SUCCESS) {
    code = MPI_Comm_create_group(MPI_COMM_WORLD, members, member.part, made);
  }
  if (members != MPI_GROUP_NULL) MPI_Group_free(&members);
  if (world != MPI_GROUP_NULL) MPI_Group_free(&world);
  return code;
}

int create_cartesian(const Topology& topology, MPI_Comm from, MPI_Comm* made) {
  return MPI_Cart_create(from, static_cast<int>(topology.dims.size()), topology.dims.data(),
                         topology.periods.data(), topology.reorder ? 1 : 0, made);
}

int create_graph(const Topology& topology, int position, MPI_Comm from, MPI_Comm* made) {
  const auto neighbors = neighbors_of(topology, position);
  std::vector<int> sources;
  for (const auto& incoming : neighbors.incoming) sources.push_back(incoming.position);
  return MPI_Dist_graph_create_adjacent(from, static_cast<int>(sources.size()), sources.data(),
                                        MPI_UNWEIGHTED, static_cast<int>(neighbors.outgoing.size()),
                                        neighbors.outgoing.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
                                        topology.reorder ? 1 : 0, made);
}

// The first of each part is its leader; the leaders find each other in the world.
int create_inter(const Group& group, int part, MPI_Comm local, MPI_Comm* made) {
  constexpr int kTag = 0;
  const int remote_leader = group.parts[static_cast<std::size_t>(remote_part(part))].front();
  return MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, remote_leader, kTag, made);
}

// What is made from a communicator of the part.
int create_from_part(const Group& group, const Membership& member, MPI_Comm* made) {
  MPI_Comm part = MPI_COMM_NULL;
  int code = split_world(member, &part);
  if (code != MPI_SUCCESS || part == MPI_COMM_NULL) return code;
  if (group.kind == GroupKind::cartesian) {
    code = create_cartesian(group.topology, part, made);
  } else if (group.kind == GroupKind::graph) {
    code = create_graph(group.topology, member.position, part, made);
  } else {
    code = create_inter(group, member.part, part, made);
  }
  MPI_Comm_free(&part);
  return code;
}

// World ranks by position; needs no other rank.
int find_members(MPI_Comm handle, std::vector<int>& members) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group made = MPI_GROUP_NULL;
  int size = 0;
  int code = MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (code == MPI_SUCCESS) code = MPI_Comm_group(handle, &made);
  if (code == MPI_SUCCESS) code = MPI_Group_size(made, &size);
  std::vector<int> positions(static_cast<std::size_t>(size));
  std::iota(positions.begin(), positions.end(), 0);
  members.resize(positions.size());
  if (code == MPI_SUCCESS) {
    code = MPI_Group_translate_ranks(made, size, positions.data(), world, members.data());
  }
  if (made != MPI_GROUP_NULL) MPI_Group_free(&made);
  if (world != MPI_GROUP_NULL) MPI_Group_free(&world);
  return code;
}

int make(const Group& group, const Membership& member, MPI_Comm* made) {
  switch (group.kind) {
    case GroupKind::world:
    case GroupKind::duplicate:
      return MPI_Comm_dup(MPI_COMM_WORLD, made);
    case GroupKind::split:
      return split_world(member, made);
    case GroupKind::create:
      return create_from_members(member, made);
    case GroupKind::cartesian:
    case GroupKind::graph:
    case GroupKind::inter:
      return create_from_part(group, member, made);
  }
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

}  // namespace

int make_communicator(const Case& test_case, int group, int rank, MadeCommunicator& made) {
  const auto& described = test_case.groups[static_cast<std::size_t>(group)];
  made = {};
  const int code = make(described, membership_of(test_case, group, rank), &made.handle);
  if (code != MPI_SUCCESS || made.handle == MPI_COMM_NULL) return code;
  MPI_Comm_set_errhandler(made.handle, MPI_ERRORS_RETURN);
  return described.topology.reorder ? find_members(made.handle, made.members) : MPI_SUCCESS;
}

}  // namespace allprove
