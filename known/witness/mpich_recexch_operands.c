// MPICH 4.0.x: a nonblocking all-reduce by tsp_recexch_multiple_buffer writes outside of its own
// buffers where the data lies away from the origin of its type.
//
//   mpicc -std=c11 mpich_recexch_operands.c -o operands
//   export MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM=tsp_recexch_multiple_buffer
//   MPIR_CVAR_IALLREDUCE_DEVICE_COLLECTIVE=0 mpirun -n 2 ./operands
//
// The ranks add 1 and 2, each one int that stands 16 ints behind the origin of an indexed type.
// Expected: "3", as by the library's own choice. Got: a crash.
// Exit status not 0 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { kPlace = 16, kTimes = 20 };

static void add(void* from, void* to, int* count, MPI_Datatype* type) {
  MPI_Aint lower_bound, extent;
  MPI_Type_get_extent(*type, &lower_bound, &extent);
  for (int i = 0; i < *count; i++) {
    int* sum = (int*)((char*)to + i * extent) + kPlace;
    *sum += *((int*)((char*)from + i * extent) + kPlace);
  }
}

int main(int argc, char** argv) {
  static int own[kPlace + 1], sum[kPlace + 1];
  const int length = 1, place = kPlace;
  int rank;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Request request;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_indexed(1, &length, &place, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(add, 1, &op);
  own[kPlace] = rank + 1;
  for (int i = 0; i < kTimes; i++) {
    MPI_Iallreduce(own, sum, 1, type, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  printf("rank %d: %d\n", rank, sum[kPlace]);
  MPI_Finalize();
  return sum[kPlace] != 3;
}
