// MPICH 4.0.x: a persistent gather takes data when the request is made, not when it is started.
//
// Fills the buffers between MPI_Gather_init and MPI_Start.
//
//   mpicc -std=c11 mpich_gather_init_reads.c -o gather && mpirun -n 3 ./gather
//
// Expected: "1 2 3", and "1 2 3" again in place. Got: "-1 0 0" (the root's own element is never
// written, the others are what they were in MPI_Gather_init), and "1 0 0" in place. Then as many
// padded pairs in place as have less than 1,024 bytes without their padding.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kRanksMax = 64, kBytesMax = 2048 };

// A gather of rank + 1 to rank 0; tells whether something is wrong.
static int gather(int rank, int size, int in_place) {
  int in = 0, out[kRanksMax], wrong = 0;
  MPI_Request request;

  MPI_Gather_init(in_place && rank == 0 ? MPI_IN_PLACE : &in, 1, MPI_INT, out, 1, MPI_INT, 0,
                  MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < size; ++i) out[i] = -1;
  in = rank + 1;
  if (in_place) out[0] = 1;
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  for (int i = 0; i < size && rank == 0; ++i) {
    printf("%d%c", out[i], i + 1 < size ? ' ' : '\n');
    wrong |= out[i] != i + 1;
  }
  return wrong;
}

// A gather of `count` pairs of a datatype, in place at rank 0; tells whether any is not as rank 1
// has filled it before the start.
static int gather_pairs(int rank, MPI_Datatype datatype, int count) {
  static unsigned char in[kBytesMax], out[kRanksMax * kBytesMax];
  int size = 0, wrong = 0;
  MPI_Aint lb, extent;
  MPI_Request request;

  MPI_Type_size(datatype, &size);
  MPI_Type_get_extent(datatype, &lb, &extent);
  memset(in, 1, sizeof in);
  memset(out, 0, sizeof out);
  MPI_Gather_init(rank == 0 ? MPI_IN_PLACE : in, count, datatype, out, count, datatype, 0,
                  MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  memset(in, 2, sizeof in);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  if (rank != 0) return 0;
  for (int i = 0; i < count; ++i) wrong |= out[(count + i) * extent] != 2;
  printf("%d pairs of %d bytes each: %s\n", count, size, wrong ? "WRONG" : "right");
  return wrong;
}

int main(int argc, char** argv) {
  int rank, size, wrong;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  wrong = gather(rank, size, 0);
  wrong |= gather(rank, size, 1);
  if (size > 1) {
    wrong |= gather_pairs(rank, MPI_DOUBLE_INT, 85);
    wrong |= gather_pairs(rank, MPI_LONG_DOUBLE_INT, 51);
  }
  MPI_Finalize();
  return wrong;
}
