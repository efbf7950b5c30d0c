#include "framework/run/launch/spawner/pmix_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pmix.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <numeric>

#include "framework/base/errno_text.h"

namespace allprove {
namespace {

constexpr std::chrono::seconds kAnswerMax{10};  // for a request to libpmix's thread

auto pmix_error(const char* what, pmix_status_t status) {
  return internal_error(std::string(what) + ": " + PMIx_Error_string(status));
}

// Calls `request` with a callback and waits for the callback's status, if there is to be one.
template <class Request>
Status complete(const char* what, Request&& request) {
  // Shared with the callback, which may come after we gave up.
  auto* const promise = new std::promise<pmix_status_t>;
  auto answer = promise->get_future();
  const pmix_op_cbfunc_t callback = [](pmix_status_t status, void* data) {
    const std::unique_ptr<std::promise<pmix_status_t>> mine(
        static_cast<std::promise<pmix_status_t>*>(data));
    mine->set_value(status);
  };
  pmix_status_t status = request(callback, promise);
  if (status == PMIX_SUCCESS) {
    if (answer.wait_for(kAnswerMax) != std::future_status::ready) {
      return internal_error(std::string(what) + ": no answer from libpmix");
    }
    status = answer.get();
  } else {
    delete promise;  // the callback will not come
  }
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) return pmix_error(what, status);
  return {};
}

// A growing list of attributes.
class InfoList {
 public:
  InfoList() : list_(PMIx_Info_list_start()) {}
  InfoList(const InfoList&) = delete;
  InfoList& operator=(const InfoList&) = delete;
  ~InfoList() {
    PMIx_Info_list_release(list_);
    PMIX_DATA_ARRAY_DESTRUCT(&array_);
  }

  void add(const char* key, const std::string& value) {
    PMIx_Info_list_add(list_, key, value.c_str(), PMIX_STRING);
  }
  void add(const char* key, bool value) { PMIx_Info_list_add(list_, key, &value, PMIX_BOOL); }
  void add(const char* key, std::uint16_t value) {
    PMIx_Info_list_add(list_, key, &value, PMIX_UINT16);
  }
  void add(const char* key, std::uint32_t value) {
    PMIx_Info_list_add(list_, key, &value, PMIX_UINT32);
  }
  void add_rank(const char* key, pmix_rank_t value) {
    PMIx_Info_list_add(list_, key, &value, PMIX_PROC_RANK);
  }
  void add(const char* key, InfoList& nested) {
    PMIx_Info_list_add(list_, key, &nested.array(), PMIX_DATA_ARRAY);
  }
  // Ends the list; owned by this object.
  pmix_data_array_t& array() {
    PMIX_DATA_ARRAY_DESTRUCT(&array_);
    PMIX_DATA_ARRAY_CONSTRUCT(&array_, 0, PMIX_INFO);
    PMIx_Info_list_convert(list_, &array_);
    return array_;
  }

 private:
  void* list_;
  pmix_data_array_t array_ = {};
};

pmix_proc_t process_of(const std::string& world, int rank) {
  pmix_proc_t process;
  PMIX_PROC_LOAD(&process, world.c_str(), static_cast<pmix_rank_t>(rank));
  return process;
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// All ranks are local, so what they contributed is already the whole answer.
pmix_status_t on_fence(const pmix_proc_t*, std::size_t, const pmix_info_t*, std::size_t, char* data,
                       std::size_t size, pmix_modex_cbfunc_t done, void* done_data) {
  if (done != nullptr) done(PMIX_SUCCESS, data, size, done_data, std::free, data);
  return PMIX_SUCCESS;
}

pmix_status_t on_connected(const pmix_proc_t*, void*, pmix_info_t*, std::size_t, pmix_op_cbfunc_t,
                           void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_finalized(const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_register_events(pmix_status_t*, std::size_t, const pmix_info_t*, std::size_t,
                                 pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_deregister_events(pmix_status_t*, std::size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

}  // namespace

PmixServer::PmixServer(int ranks, std::string world, std::string directory)
    : ranks_(ranks),
      world_("allprove-" + std::move(world)),
      directory_(std::move(directory)),
      aborted_(static_cast<std::size_t>(ranks)) {}

Status PmixServer::start() {
  wake_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_) return internal_error("eventfd: " + errno_text(errno));
  pmix_server_module_t upcalls = {};
  upcalls.client_connected2 = on_connected;
  upcalls.client_finalized = on_finalized;
  upcalls.abort = on_abort;
  upcalls.fence_nb = on_fence;
  upcalls.register_events = on_register_events;
  upcalls.deregister_events = on_deregister_events;
  InfoList options;
  options.add(PMIX_SERVER_TMPDIR, directory_);
  options.add(PMIX_SYSTEM_TMPDIR, directory_);
  options.add(PMIX_SERVER_SHARE_TOPOLOGY, true);  // else every rank discovers it anew, for 60 ms
  auto& array = options.array();
  const pmix_status_t status =
      PMIx_server_init(&upcalls, static_cast<pmix_info_t*>(array.array), array.size);
  if (status != PMIX_SUCCESS) return pmix_error("PMIx_server_init", status);
  return register_world();
}

// One node, one application, all ranks on it.
Status PmixServer::register_world() {
  const std::string host = host_name();
  const auto size = static_cast<std::uint32_t>(ranks_);
  std::vector<int> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  const std::string peers = fmt::format("{}", fmt::join(ranks, ","));
  char* nodes = nullptr;
  char* placement = nullptr;
  if (const auto status = PMIx_generate_regex(host.c_str(), &nodes); status != PMIX_SUCCESS) {
    return pmix_error("PMIx_generate_regex", status);
  }
  if (const auto status = PMIx_generate_ppn(peers.c_str(), &placement); status != PMIX_SUCCESS) {
    std::free(nodes);
    return pmix_error("PMIx_generate_ppn", status);
  }

  InfoList job;
  job.add(PMIX_JOBID, world_);
  for (const char* const key :
       {PMIX_UNIV_SIZE, PMIX_JOB_SIZE, PMIX_LOCAL_SIZE, PMIX_NODE_SIZE, PMIX_MAX_PROCS}) {
    job.add(key, size);
  }
  job.add(PMIX_NUM_NODES, std::uint32_t{1});
  job.add(PMIX_JOB_NUM_APPS, std::uint32_t{1});
  job.add(PMIX_NODEID, std::uint32_t{0});
  job.add(PMIX_LOCAL_PEERS, peers);
  job.add(PMIX_NODE_MAP, std::string(nodes));
  job.add(PMIX_PROC_MAP, std::string(placement));
  job.add_rank(PMIX_LOCALLDR, 0);
  job.add(PMIX_SPAWNED, false);
  job.add(PMIX_TMPDIR, directory_);
  job.add(PMIX_NSDIR, directory_);
  std::free(nodes);
  std::free(placement);
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto id = static_cast<pmix_rank_t>(rank);
    InfoList one;
    one.add_rank(PMIX_RANK, id);
    one.add_rank(PMIX_GLOBAL_RANK, id);
    one.add_rank(PMIX_APP_RANK, id);
    one.add(PMIX_APPNUM, std::uint32_t{0});
    one.add(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(rank));
    one.add(PMIX_NODE_RANK, static_cast<std::uint16_t>(rank));
    one.add(PMIX_NODEID, std::uint32_t{0});
    one.add(PMIX_HOSTNAME, host);
    job.add(PMIX_PROC_DATA, one);
  }
  auto& array = job.array();
  return complete("PMIx_server_register_nspace", [&](pmix_op_cbfunc_t done, void* data) {
    return PMIx_server_register_nspace(
        world_.c_str(), ranks_, static_cast<pmix_info_t*>(array.array), array.size, done, data);
  });
}

Result<RankStart> PmixServer::prepare(int rank) {
  const pmix_proc_t process = process_of(world_, rank);
  auto registered = complete("PMIx_server_register_client", [&](pmix_op_cbfunc_t done, void* data) {
    return PMIx_server_register_client(&process, geteuid(), getegid(), this, done, data);
  });
  if (!registered) return tl::unexpected(registered.error());
  char** variables = nullptr;
  const pmix_status_t status = PMIx_server_setup_fork(&process, &variables);
  if (status != PMIX_SUCCESS) return pmix_error("PMIx_server_setup_fork", status);
  RankStart start;
  for (char** entry = variables; entry != nullptr && *entry != nullptr; ++entry) {
    start.environment.emplace_back(*entry);
    std::free(*entry);
  }
  std::free(variables);
  // Without these Open MPI 4.1 silently makes every rank a world of one.
  start.environment.emplace_back("OMPI_MCA_schizo=^orte");
  start.environment.emplace_back("OMPI_MCA_ess=pmi");
  return start;
}

pmix_status_t PmixServer::on_abort(const pmix_proc_t* process, void* server, int code, const char*,
                                   pmix_proc_t*, std::size_t, pmix_op_cbfunc_t done,
                                   void* done_data) {
  static_cast<PmixServer*>(server)->note_abort(static_cast<int>(process->rank), code);
  if (done != nullptr) done(PMIX_SUCCESS, done_data);
  return PMIX_SUCCESS;
}

void PmixServer::note_abort(int rank, int code) {
  const std::lock_guard lock(mutex_);
  if (rank < 0 || rank >= ranks_ || aborted_[static_cast<std::size_t>(rank)]) return;
  aborted_[static_cast<std::size_t>(rank)] = true;
  reports_.push_back({ReportKind::aborted, rank, code, {}});
  eventfd_write(wake_.get(), 1);
}

std::vector<Report> PmixServer::serve() {
  eventfd_t count = 0;
  eventfd_read(wake_.get(), &count);
  const std::lock_guard lock(mutex_);
  return std::exchange(reports_, {});
}

}  // namespace allprove
