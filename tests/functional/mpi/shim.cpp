// A profiling shim that tests preload into ranks: it plants what ALLPROVE_TEST_SHIM says into
// MPI_Allreduce or MPI_Waitsome, as a bug of the library would be.
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

bool planted(const char* name) {
  const char* wanted = std::getenv("ALLPROVE_TEST_SHIM");
  return wanted != nullptr && std::strcmp(wanted, name) == 0;
}

// Whether the library's calls of UCX's progress reach UCX without going through the program.
bool never_yields() {
  Dl_info info{};
  void* progress = dlsym(RTLD_DEFAULT, "ucp_worker_progress");
  return progress == nullptr || dladdr(progress, &info) == 0 ||
         std::strstr(info.dli_fname, "libucp") != nullptr;
}

bool is_rank_1() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 1;
}

}  // namespace

extern "C" int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) {
  if (planted("error")) return MPI_ERR_OP;
  const int code = PMPI_Allreduce(send, receive, count, type, op, comm);
  if (planted("late_error") && is_rank_1()) return MPI_ERR_OP;
  const bool harm = planted("wrong") ||
                    (planted("wrong_off_the_world") && comm != MPI_COMM_WORLD) ||
                    (planted("wrong_without_yield") && never_yields()) ||
                    (planted("wrong_off_the_main_thread") && gettid() != getpid());
  if (harm && count > 0) static_cast<unsigned char*>(receive)[0] ^= 1;
  return code;
}

// Planted: request 0 is completed in every call, and no other.
extern "C" int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                            MPI_Status statuses[]) {
  const int code = PMPI_Waitsome(count, requests, done, indices, statuses);
  if (planted("some_again")) {
    *done = 1;
    indices[0] = 0;
  }
  return code;
}
