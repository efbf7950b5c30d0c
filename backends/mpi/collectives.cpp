#include "backends/mpi/collectives.h"

#include <algorithm>
#include <array>
#include <tuple>

#if MPI_VERSION < 4 && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

// What makes a persistent request: MPI 4.0's name, or that of Open MPI's extension before it.
#if MPI_VERSION >= 4
#define ALLPROVE_INIT(name) MPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define ALLPROVE_INIT(name) MPIX_##name##_init
#else
#define ALLPROVE_INIT(name) nullptr
#endif

namespace allprove {
namespace {

using A = MpiArguments;

// The three calls differ in what follows the arguments that they share.
template <auto kBlocking, auto kNonblocking, auto kPersistent, auto kArguments>
constexpr MpiCollective row(Collective collective) {
  MpiCollective calls{};
  calls.collective = collective;
  calls.blocking = [](const A& a) {
    return std::apply([&](auto... shared) { return kBlocking(shared..., a.comm); }, kArguments(a));
  };
  calls.nonblocking = [](const A& a, MPI_Request* request) {
    return std::apply([&](auto... shared) { return kNonblocking(shared..., a.comm, request); },
                      kArguments(a));
  };
  if constexpr (kPersistent != nullptr) {
    calls.persistent = [](const A& a, MPI_Request* request) {
      return std::apply(
          [&](auto... shared) { return kPersistent(shared..., a.comm, MPI_INFO_NULL, request); },
          kArguments(a));
    };
  }
  return calls;
}

// Arguments that collectives share.
constexpr auto kNone = [](const A&) { return std::tuple(); };
constexpr auto kOneBuffer = [](const A& a) {
  return std::tuple(a.receive.buffer, a.receive.count, a.receive.type, a.root);
};
constexpr auto kReduction = [](const A& a) {
  const auto& counted = a.receive.buffer == nullptr ? a.send : a.receive;
  return std::tuple(a.send.buffer, a.receive.buffer, counted.count, counted.type, a.op);
};
constexpr auto kRootedReduction = [](const A& a) {
  return std::tuple_cat(kReduction(a), std::tuple(a.root));
};
constexpr auto kReduceScatterBlock = [](const A& a) {
  const auto& all = a.send.buffer == MPI_IN_PLACE ? a.receive : a.send;
  return std::tuple(a.send.buffer, a.receive.buffer, all.count, all.type, a.op);
};
constexpr auto kReduceScatter = [](const A& a) {
  const auto& all = a.send.buffer == MPI_IN_PLACE ? a.receive : a.send;
  return std::tuple(a.send.buffer, a.receive.buffer, all.counts.data(), all.type, a.op);
};
constexpr auto kMove = [](const A& a) {
  return std::tuple(a.send.buffer, a.send.count, a.send.type, a.receive.buffer, a.receive.count,
                    a.receive.type);
};
constexpr auto kRootedMove = [](const A& a) {
  return std::tuple_cat(kMove(a), std::tuple(a.root));
};
constexpr auto kGatherv = [](const A& a) {
  return std::tuple(a.send.buffer, a.send.count, a.send.type, a.receive.buffer,
                    a.receive.counts.data(), a.receive.displacements.data(), a.receive.type);
};
constexpr auto kRootedGatherv = [](const A& a) {
  return std::tuple_cat(kGatherv(a), std::tuple(a.root));
};
constexpr auto kScatterv = [](const A& a) {
  return std::tuple(a.send.buffer, a.send.counts.data(), a.send.displacements.data(), a.send.type,
                    a.receive.buffer, a.receive.count, a.receive.type, a.root);
};
constexpr auto kAllToAllv = [](const A& a) {
  return std::tuple(a.send.buffer, a.send.counts.data(), a.send.displacements.data(), a.send.type,
                    a.receive.buffer, a.receive.counts.data(), a.receive.displacements.data(),
                    a.receive.type);
};
constexpr auto kAllToAllw = [](const A& a) {
  return std::tuple(a.send.buffer, a.send.counts.data(), a.send.displacements.data(),
                    a.send.types.data(), a.receive.buffer, a.receive.counts.data(),
                    a.receive.displacements.data(), a.receive.types.data());
};

constexpr auto kNeighborAllToAllw = [](const A& a) {
  return std::tuple(a.send.buffer, a.send.counts.data(), a.send.addresses.data(),
                    a.send.types.data(), a.receive.buffer, a.receive.counts.data(),
                    a.receive.addresses.data(), a.receive.types.data());
};

constexpr auto kCollectives = std::to_array<MpiCollective>({
    row<MPI_Barrier, MPI_Ibarrier, ALLPROVE_INIT(Barrier), kNone>(Collective::barrier),
    row<MPI_Bcast, MPI_Ibcast, ALLPROVE_INIT(Bcast), kOneBuffer>(Collective::broadcast),
    row<MPI_Reduce, MPI_Ireduce, ALLPROVE_INIT(Reduce), kRootedReduction>(Collective::reduce),
    row<MPI_Allreduce, MPI_Iallreduce, ALLPROVE_INIT(Allreduce), kReduction>(
        Collective::all_reduce),
    row<MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, ALLPROVE_INIT(Reduce_scatter_block),
        kReduceScatterBlock>(Collective::reduce_scatter_block),
    row<MPI_Reduce_scatter, MPI_Ireduce_scatter, ALLPROVE_INIT(Reduce_scatter), kReduceScatter>(
        Collective::reduce_scatter),
    row<MPI_Scan, MPI_Iscan, ALLPROVE_INIT(Scan), kReduction>(Collective::scan),
    row<MPI_Exscan, MPI_Iexscan, ALLPROVE_INIT(Exscan), kReduction>(Collective::exscan),
    row<MPI_Gather, MPI_Igather, ALLPROVE_INIT(Gather), kRootedMove>(Collective::gather),
    row<MPI_Gatherv, MPI_Igatherv, ALLPROVE_INIT(Gatherv), kRootedGatherv>(Collective::gatherv),
    row<MPI_Scatter, MPI_Iscatter, ALLPROVE_INIT(Scatter), kRootedMove>(Collective::scatter),
    row<MPI_Scatterv, MPI_Iscatterv, ALLPROVE_INIT(Scatterv), kScatterv>(Collective::scatterv),
    row<MPI_Allgather, MPI_Iallgather, ALLPROVE_INIT(Allgather), kMove>(Collective::all_gather),
    row<MPI_Allgatherv, MPI_Iallgatherv, ALLPROVE_INIT(Allgatherv), kGatherv>(
        Collective::all_gatherv),
    row<MPI_Alltoall, MPI_Ialltoall, ALLPROVE_INIT(Alltoall), kMove>(Collective::all_to_all),
    row<MPI_Alltoallv, MPI_Ialltoallv, ALLPROVE_INIT(Alltoallv), kAllToAllv>(
        Collective::all_to_allv),
    row<MPI_Alltoallw, MPI_Ialltoallw, ALLPROVE_INIT(Alltoallw), kAllToAllw>(
        Collective::all_to_allw),
    row<MPI_Neighbor_allgather, MPI_Ineighbor_allgather, ALLPROVE_INIT(Neighbor_allgather), kMove>(
        Collective::neighbor_all_gather),
    row<MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, ALLPROVE_INIT(Neighbor_allgatherv),
        kGatherv>(Collective::neighbor_all_gatherv),
    row<MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, ALLPROVE_INIT(Neighbor_alltoall), kMove>(
        Collective::neighbor_all_to_all),
    row<MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, ALLPROVE_INIT(Neighbor_alltoallv),
        kAllToAllv>(Collective::neighbor_all_to_allv),
    row<MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, ALLPROVE_INIT(Neighbor_alltoallw),
        kNeighborAllToAllw>(Collective::neighbor_all_to_allw),
});

}  // namespace

const MpiCollective* find_collective(Collective collective) {
  const auto at = std::ranges::find(kCollectives, collective, &MpiCollective::collective);
  return at == kCollectives.end() ? nullptr : &*at;
}

}  // namespace allprove
