// MPICH 4.0.x: MPI_Ibcast by tsp_scatterv_recexch_allgatherv writes past the end of the buffer when
// the root is not rank 0 and the ranks do not divide the count evenly.
//
//   mpicc -std=c11 mpich_ibcast_scatterv_overrun.c -o overrun
//   export MPIR_CVAR_IBCAST_INTRA_ALGORITHM=tsp_scatterv_recexch_allgatherv
//   mpirun -n 3 ./overrun
//
// The buffer ends where a page begins that can't be written, until somebody tries: then the attempt
// is noted and let through. Expected: no attempt. Got: one on some rank.
// Exit status 1 when the bug shows, 0 when it does not.
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kPage = 4096, kCount = 7, kRounds = 20 };

static char* protected_page;
static volatile sig_atomic_t overruns;

static void overrun(int signal_number) {
  (void)signal_number;
  overruns++;
  if (mprotect(protected_page, kPage, PROT_READ | PROT_WRITE) != 0) _exit(2);
}

int main(int argc, char** argv) {
  int rank, size;

  alarm(20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* pages = mmap(NULL, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  protected_page = pages + kPage;
  if (pages == MAP_FAILED || mprotect(protected_page, kPage, PROT_NONE) != 0) return 2;
  unsigned long long* data = (unsigned long long*)protected_page - kCount;
  signal(SIGSEGV, overrun);

  for (int round = 0; round < kRounds; round++) {
    MPI_Request request;
    for (int i = 0; i < kCount; i++) data[i] = rank == size / 2 ? 1 : 0;
    MPI_Ibcast(data, kCount, MPI_UNSIGNED_LONG_LONG, size / 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (overruns > 0) printf("rank %d: written past the end of the buffer\n", rank);
  MPI_Finalize();
  return overruns > 0;
}
