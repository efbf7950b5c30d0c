// MPICH 4.0.2: MPI_Neighbor_alltoall and MPI_Ineighbor_alltoall on a distributed graph match the
// blocks of an edge that stands there twice in reverse.
//
// Rank 0 sends two blocks, 0 and 1, to rank 1, by two edges 0 -> 1. MPI 4.0, 8.6, describes the
// call as sends in the order of the destinations and receives in the order of the sources; messages
// between two processes do not overtake each other, so block 0 arrives first.
//
//   mpicc -std=c11 mpich_neighbor_repeated_edges.c -o edges && mpirun -n 2 ./edges
//
// Expected: 0 1 from all three calls. Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  static const int kCounts[] = {1, 1};
  static const int kPlaces[] = {0, 1};
  static const int kBlocks[] = {0, 1};
  int rank, size, wrong = 0;
  int got[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  MPI_Comm graph;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "run with 2 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  const int sources[] = {0, 0};
  const int destinations[] = {1, 1};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 1 ? 2 : 0, sources, MPI_UNWEIGHTED,
                                 rank == 0 ? 2 : 0, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &graph);
  MPI_Neighbor_alltoall(kBlocks, 1, MPI_INT, got[0], 1, MPI_INT, graph);
  MPI_Ineighbor_alltoall(kBlocks, 1, MPI_INT, got[1], 1, MPI_INT, graph, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Neighbor_alltoallv(kBlocks, kCounts, kPlaces, MPI_INT, got[2], kCounts, kPlaces, MPI_INT,
                         graph);

  if (rank == 1) {
    const char* names[] = {"MPI_Neighbor_alltoall", "MPI_Ineighbor_alltoall",
                           "MPI_Neighbor_alltoallv"};
    for (int call = 0; call < 3; call++) {
      const int right = got[call][0] == 0 && got[call][1] == 1;
      printf("%s: got %d %d: %s\n", names[call], got[call][0], got[call][1],
             right ? "right" : "WRONG");
      wrong += !right;
    }
  }
  MPI_Comm_free(&graph);
  MPI_Finalize();
  return wrong != 0;
}
