// Open MPI 4.1.4 (nonblocking) and MPICH 4.0.2 (alltoallv and alltoallw): in a periodic dimension
// of one or two processes the neighborhood all-to-alls deliver the two blocks the wrong way round.
//
// Both neighbours are then one process. What it sends in the negative direction (block 0) must
// arrive as what comes from the positive direction (block 1), and the other way round:
// MPI 4.0, 8.6, which corrects MPI 3.1 (B.1.1). The blocking and nonblocking forms, and those with
// and without counts, must of course agree.
//
//   mpicc -std=c11 neighbor_small_rings.c -o rings && mpirun -n 2 ./rings
//
// Expected: every line says right. Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

typedef int Call(const int* in, int* out, MPI_Comm comm, MPI_Request* request);

static const int kCounts[] = {1, 1};
static const int kPlaces[] = {0, 1};
static const MPI_Aint kBytes[] = {0, sizeof(int)};
static MPI_Datatype types[2];

static int alltoall(const int* in, int* out, MPI_Comm comm, MPI_Request* request) {
  (void)request;
  return MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
}
static int alltoallv(const int* in, int* out, MPI_Comm comm, MPI_Request* request) {
  (void)request;
  return MPI_Neighbor_alltoallv(in, kCounts, kPlaces, MPI_INT, out, kCounts, kPlaces, MPI_INT,
                                comm);
}
static int alltoallw(const int* in, int* out, MPI_Comm comm, MPI_Request* request) {
  (void)request;
  return MPI_Neighbor_alltoallw(in, kCounts, kBytes, types, out, kCounts, kBytes, types, comm);
}
static int ialltoall(const int* in, int* out, MPI_Comm comm, MPI_Request* request) {
  return MPI_Ineighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm, request);
}
static int ialltoallv(const int* in, int* out, MPI_Comm comm, MPI_Request* request) {
  return MPI_Ineighbor_alltoallv(in, kCounts, kPlaces, MPI_INT, out, kCounts, kPlaces, MPI_INT,
                                 comm, request);
}
static int ialltoallw(const int* in, int* out, MPI_Comm comm, MPI_Request* request) {
  return MPI_Ineighbor_alltoallw(in, kCounts, kBytes, types, out, kCounts, kBytes, types, comm,
                                 request);
}

static const struct {
  const char* name;
  Call* call;
} kForms[] = {{"MPI_Neighbor_alltoall", alltoall},     {"MPI_Neighbor_alltoallv", alltoallv},
              {"MPI_Neighbor_alltoallw", alltoallw},   {"MPI_Ineighbor_alltoall", ialltoall},
              {"MPI_Ineighbor_alltoallv", ialltoallv}, {"MPI_Ineighbor_alltoallw", ialltoallw}};

// A ring of the processes of `from`; block i of rank r holds 10 r + i. Wrong forms.
static int try_ring(MPI_Comm from, int world_rank) {
  const int periodic = 1;
  int rank, size, wrong = 0;
  MPI_Comm ring;
  MPI_Comm_size(from, &size);
  MPI_Cart_create(from, 1, &size, &periodic, 0, &ring);
  MPI_Comm_rank(ring, &rank);
  const int peer = (rank + 1) % size;
  for (size_t form = 0; form < sizeof kForms / sizeof kForms[0]; form++) {
    const int in[] = {10 * rank, 10 * rank + 1};
    int out[] = {-1, -1};
    MPI_Request request = MPI_REQUEST_NULL;
    kForms[form].call(in, out, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const int right = out[0] == 10 * peer + 1 && out[1] == 10 * peer;
    if (world_rank == 0) {
      printf("ring of %d, %s: got %d %d: %s\n", size, kForms[form].name, out[0], out[1],
             right ? "right" : "WRONG");
    }
    wrong += !right;
  }
  MPI_Comm_free(&ring);
  return wrong;
}

int main(int argc, char** argv) {
  int rank, size;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "run with 2 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  types[0] = types[1] = MPI_INT;
  const int wrong = try_ring(MPI_COMM_WORLD, rank) + try_ring(MPI_COMM_SELF, rank);
  MPI_Finalize();
  return wrong != 0;
}
