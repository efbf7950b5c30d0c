// Open MPI 4.1.x, coll/libnbc: MPI_Ialltoallv and MPI_Ialltoallw with MPI_IN_PLACE leave wrong data
// when block sizes differ from pair to pair.
//
//   mpicc -std=c11 openmpi_ialltoall_in_place.c -o inplace && mpirun -n 5 ./inplace
//
// Expected: "0 and 0 wrong" on every rank. Got: "648 and 648 wrong" on rank 0.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int counts[5], places[5], bytes[5], data[5 * 1026], rank, size;
static MPI_Datatype types[5];

// What `from` gives to `to`.
static int element(int from, int to, int i) { return 100000 * from + 10000 * to + i; }

static void fill(void) {
  for (int other = 0; other < size; other++) {
    for (int i = 0; i < counts[other]; i++) data[places[other] + i] = element(rank, other, i);
  }
}

static int count_wrong(void) {
  int wrong = 0;
  for (int other = 0; other < size; other++) {
    for (int i = 0; i < counts[other]; i++) {
      wrong += data[places[other] + i] != element(other, rank, i);
    }
  }
  return wrong;
}

int main(int argc, char** argv) {
  static const int kSizes[5] = {356, 1026, 0, 0, 648};
  int next = 0, wrong_v, wrong_w;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 5) return 2;
  for (int other = 0; other < size; other++) {
    const int low = rank < other ? rank : other, high = rank < other ? other : rank;
    counts[other] = kSizes[(low * size + high) % 5];  // as much one way as the other
    places[other] = next;
    bytes[other] = next * (int)sizeof(int);
    types[other] = MPI_INT;
    next += counts[other];
  }
  fill();
  MPI_Ialltoallv(MPI_IN_PLACE, counts, places, MPI_INT, data, counts, places, MPI_INT,
                 MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong_v = count_wrong();
  fill();
  MPI_Ialltoallw(MPI_IN_PLACE, counts, bytes, types, data, counts, bytes, types, MPI_COMM_WORLD,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong_w = count_wrong();
  printf("rank %d: %d and %d wrong\n", rank, wrong_v, wrong_w);
  MPI_Finalize();
  return wrong_v + wrong_w > 0;
}
