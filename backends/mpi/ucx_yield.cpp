// Makes a rank that waits inside MPICH over UCX give up its core: MPICH polls without end, which
// costs milliseconds a call as soon as ranks outnumber cores. The linker exports this function
// because libmpich refers to it, so the library calls ours and we call UCX. In a worker whose MPI
// does not link UCX directly (Open MPI) nothing calls it.
#include <dlfcn.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>

namespace {

using Progress = unsigned (*)(void*);

Progress real_progress() {
  void* symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (symbol == nullptr) {
    std::fprintf(stderr, "allprove: UCX is in use but has no ucp_worker_progress\n");
    std::abort();
  }
  return reinterpret_cast<Progress>(symbol);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static const Progress progress = real_progress();
  const unsigned events = progress(worker);
  if (events == 0) sched_yield();
  return events;
}
