// MPICH 4.0.2: MPI_Ibcast on an intercommunicator gives the other group data that nobody sent where
// the root is not the first of its own group and the others use a derived type.
//
//   mpicc -std=c11 mpich_ibcast_intercomm_derived.c -o bcast && mpirun -n 3 ./bcast
//
// Ranks 0 and 1 are one group, rank 2 the other; rank 1 is the root. Rank 2 receives two ints as
// one vector with a gap. Expected: rank 2 gets 7 and 7. Exit status 1 when the bug shows, 0 when it
// does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, wrong = 0, any_wrong = 0;
  MPI_Comm group, both;
  MPI_Request request;
  MPI_Datatype apart;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 3) {
    if (rank == 0) fprintf(stderr, "run with 3 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int second = rank >= 2;
  MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
  MPI_Type_commit(&apart);
  MPI_Comm_split(MPI_COMM_WORLD, second, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, second ? 0 : 2, 0, &both);
  for (int nonblocking = 0; nonblocking <= 1; nonblocking++) {
    const int root = second ? 1 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    const int mine = rank == 1 ? 7 : -1;
    int value[3] = {mine, mine, mine};
    if (nonblocking) {
      MPI_Ibcast(value, second ? 1 : 2, second ? apart : MPI_INT, root, both, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Bcast(value, second ? 1 : 2, second ? apart : MPI_INT, root, both);
    }
    if (!second) continue;
    const int right = value[0] == 7 && value[2] == 7;
    printf("%s, rank %d: got %d and %d: %s\n", nonblocking ? "MPI_Ibcast" : "MPI_Bcast", rank,
           value[0], value[2], right ? "right" : "WRONG");
    wrong += !right;
  }
  MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
  MPI_Finalize();
  return any_wrong != 0;
}
