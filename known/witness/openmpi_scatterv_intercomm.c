// Open MPI 4.1.4: MPI_Scatterv on an intercommunicator takes the root's counts for counts of the
// receivers' data type.
//
//   mpicc -std=c11 openmpi_scatterv_intercomm.c -o scatterv && mpirun -n 3 ./scatterv
//
// Rank 0 is one group and the root, ranks 1 and 2 are the other. The root sends two integers to
// each; each receives them as one element of a type that is two integers.
// Expected: both get 1 and 2. Exit status 1 when the bug shows, 0 when it does not; stopped after
// 20 seconds where the ranks wait for each other.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, code, wrong = 0, any_wrong = 0;
  int sent[4] = {1, 2, 1, 2}, counts[2] = {2, 2}, displacements[2] = {0, 2}, received[2] = {0, 0};
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
    MPI_Scatterv(sent, counts, displacements, MPI_INT, NULL, 0, MPI_INT, MPI_ROOT, both);
  } else {
    code = MPI_Scatterv(NULL, NULL, NULL, MPI_INT, received, 1, pair, 0, both);
    wrong = code != MPI_SUCCESS || received[0] != 1 || received[1] != 2;
    printf("rank %d: %s, got %d %d: %s\n", rank, code == MPI_SUCCESS ? "success" : "an error",
           received[0], received[1], wrong ? "WRONG" : "right");
    fflush(stdout);
  }
  MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Type_free(&pair);
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
  MPI_Finalize();
  return any_wrong != 0;
}
