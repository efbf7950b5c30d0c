// MPICH 4.0.x: MPI_Waitsome reports a persistent collective request that is inactive as completed,
// in every call.
//
// Waits for a persistent broadcast and for a message that is sent only after the first call of
// MPI_Waitsome has returned.
//
//   mpicc -std=c11 mpich_waitsome_inactive.c -o waitsome && mpirun -n 2 ./waitsome
//
// Expected: "call 1: outcount 1, first index 0" and "call 2: outcount 1, first index 1" (the
// message). Got: call 2 says index 0 once more, alone or before the message; a loop that counts
// completions ends without the message.
// Exit status 1 when the bug shows, 0 when it does not.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, sent = 5, message = -1, outcount, indices[2], wrong = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2];

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Bcast_init(&sent, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Irecv(&message, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
  for (int call = 1; call <= 2; ++call) {
    MPI_Waitsome(2, requests, &outcount, indices, statuses);
    if (rank == 0) printf("call %d: outcount %d, first index %d\n", call, outcount, indices[0]);
    for (int i = 0; i < outcount; ++i) wrong |= call == 2 && indices[i] == 0;
    if (call == 1) {
      MPI_Barrier(MPI_COMM_WORLD);  // nobody has sent before all are here
      MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD);
    }
  }
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Finalize();
  return wrong;
}
