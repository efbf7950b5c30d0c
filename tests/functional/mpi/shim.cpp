// A profiling shim that tests preload into ranks: it plants what ALLPROVE_TEST_SHIM says into
// MPI_Allreduce, as a bug of the library would be.
#include <mpi.h>

#include <cstdlib>
#include <cstring>

namespace {

bool planted(const char* name) {
  const char* wanted = std::getenv("ALLPROVE_TEST_SHIM");
  return wanted != nullptr && std::strcmp(wanted, name) == 0;
}

}  // namespace

extern "C" int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) {
  if (planted("error")) return MPI_ERR_OP;
  const int code = PMPI_Allreduce(send, receive, count, type, op, comm);
  const bool harm = planted("wrong") || (planted("wrong_off_the_world") && comm != MPI_COMM_WORLD);
  if (harm && count > 0) static_cast<unsigned char*>(receive)[0] ^= 1;
  return code;
}
