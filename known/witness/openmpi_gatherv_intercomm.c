// Open MPI 4.1.4: MPI_Gatherv on an intercommunicator takes the counts of all senders for counts of
// the first sender's data type.
//
//   mpicc -std=c11 openmpi_gatherv_intercomm.c -o gatherv && mpirun -n 3 ./gatherv
//
// Rank 0 is one group and the root, ranks 1 and 2 are the other. Both send two integers: rank 1 as
// one element of a type that is two integers, rank 2 as two elements.
// Expected: the root gets 1 2 1 2. Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, code, wrong, any_wrong = 0;
  int sent[2] = {1, 2}, counts[2] = {2, 2}, displacements[2] = {0, 2}, received[4] = {0, 0, 0, 0};
  MPI_Comm group, both;
  MPI_Datatype pair;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 3) {
    if (rank == 0) fprintf(stderr, "run with 3 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 0, &both);
  MPI_Comm_set_errhandler(group, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  if (rank == 0) {
    code = MPI_Gatherv(NULL, 0, MPI_INT, received, counts, displacements, MPI_INT, MPI_ROOT, both);
  } else if (rank == 1) {
    code = MPI_Gatherv(sent, 1, pair, NULL, NULL, NULL, MPI_INT, 0, both);
  } else {
    code = MPI_Gatherv(sent, 2, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, both);
  }
  wrong = code != MPI_SUCCESS;
  printf("rank %d: %s\n", rank, code == MPI_SUCCESS ? "success" : "an ERROR");
  if (rank == 0) {
    const int right = received[0] == 1 && received[1] == 2 && received[2] == 1 && received[3] == 2;
    wrong |= !right;
    printf("rank 0: got %d %d %d %d: %s\n", received[0], received[1], received[2], received[3],
           right ? "right" : "WRONG");
  }
  fflush(stdout);
  MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Type_free(&pair);
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
  MPI_Finalize();
  return any_wrong != 0;
}
