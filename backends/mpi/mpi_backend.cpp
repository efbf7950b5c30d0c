#include "backends/mpi/mpi_backend.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/mpi/communicators.h"
#include "backends/mpi/library_name.h"
#include "backends/mpi/vocabulary.h"
#include "framework/base/enum_table.h"

namespace allprove {
namespace {

struct MpiCommunicator final : Communicator {
  MpiCommunicator(MPI_Comm comm, bool is_owned) : handle(comm), owned(is_owned) {}
  ~MpiCommunicator() override {
    if (owned) MPI_Comm_free(&handle);
  }
  MPI_Comm handle;
  bool owned;
};

struct MpiRequest final : Request {
  MPI_Request handle = MPI_REQUEST_NULL;
};

MPI_Comm handle_of(const CollectiveArguments& arguments) {
  return static_cast<MpiCommunicator*>(arguments.communicator)->handle;
}

LibraryStatus status_of(int code) {
  if (code == MPI_SUCCESS) return {};
  LibraryStatus status;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_class(code, &status.code);
  MPI_Error_string(code, text.data(), &length);
  status.message.assign(text.data(), static_cast<std::size_t>(length));
  return status;
}

const void* input_of(const CollectiveArguments& arguments) {
  return arguments.in_place ? MPI_IN_PLACE : arguments.send;
}

// Collectives that run, one row each; the modes that a collective lacks are null.
struct Entry {
  Collective collective;
  int (*blocking)(const CollectiveArguments&);
  int (*nonblocking)(const CollectiveArguments&, MPI_Request*);
};

constexpr auto kEntries = std::to_array<Entry>({
    {Collective::barrier, [](const CollectiveArguments& a) { return MPI_Barrier(handle_of(a)); },
     [](const CollectiveArguments& a, MPI_Request* request) {
       return MPI_Ibarrier(handle_of(a), request);
     }},
    {Collective::broadcast,
     [](const CollectiveArguments& a) {
       return MPI_Bcast(a.receive, static_cast<int>(a.count), mpi_type_of(a.dtype), a.root,
                        handle_of(a));
     },
     [](const CollectiveArguments& a, MPI_Request* request) {
       return MPI_Ibcast(a.receive, static_cast<int>(a.count), mpi_type_of(a.dtype), a.root,
                         handle_of(a), request);
     }},
    {Collective::all_reduce,
     [](const CollectiveArguments& a) {
       return MPI_Allreduce(input_of(a), a.receive, static_cast<int>(a.count), mpi_type_of(a.dtype),
                            mpi_op_of(a.op), handle_of(a));
     },
     [](const CollectiveArguments& a, MPI_Request* request) {
       return MPI_Iallreduce(input_of(a), a.receive, static_cast<int>(a.count),
                             mpi_type_of(a.dtype), mpi_op_of(a.op), handle_of(a), request);
     }},
});

const Entry* find_entry(Collective collective) {
  const auto at = std::ranges::find(kEntries, collective, &Entry::collective);
  return at == kEntries.end() ? nullptr : &*at;
}

struct ThreadLevel {
  std::string_view name;
  int value;
};
constexpr std::array<ThreadLevel, 4> kThreadLevels = {{
    {"single", MPI_THREAD_SINGLE},
    {"funneled", MPI_THREAD_FUNNELED},
    {"serialized", MPI_THREAD_SERIALIZED},
    {"multiple", MPI_THREAD_MULTIPLE},
}};

Result<int> wanted_thread_level() {
  const char* text = std::getenv(kThreadLevelVariable);
  const std::string_view name = text != nullptr ? text : "funneled";
  for (const auto& level : kThreadLevels) {
    if (level.name == name) return level.value;
  }
  return usage_error(
      std::string(kThreadLevelVariable) + "='" + std::string(name) + "' is no thread level",
      "one of: single, funneled, serialized, multiple");
}

std::string thread_level_name(int value) {
  for (const auto& level : kThreadLevels) {
    if (level.value == value) return std::string(level.name);
  }
  return "unknown";
}

// The sizes of the communicators that a group stands for.
std::vector<int> sizes_of(const Case& test_case, int group) {
  const auto& parts = test_case.groups[static_cast<std::size_t>(group)].parts;
  if (parts.empty()) return {test_case.ranks};
  std::vector<int> sizes;
  for (const auto& part : parts) sizes.push_back(static_cast<int>(part.size()));
  return sizes;
}

std::optional<std::string> unsupported_collective(const Operation& operation) {
  const auto name = std::string(name_of(operation.collective));
  if (find_entry(operation.collective) == nullptr) return name + " is not driven yet";
  if (operation.mode == Mode::persistent) return "persistent collectives are not driven yet";
  const auto traits = traits_of(operation.collective);
  if (!traits.moves_data) return std::nullopt;
  if (count_of(operation) > std::numeric_limits<int>::max()) {
    return "more elements than an MPI count (int) can say";
  }
  const auto dtype = std::string(name_of(operation.dtype));
  if (!traits_of(operation.dtype).runs || mpi_type_of(operation.dtype) == MPI_DATATYPE_NULL) {
    return "dtype " + dtype + " is not driven yet";
  }
  if (!traits.reduces) return std::nullopt;
  const auto op = std::string(name_of(operation.op));
  if (mpi_op_of(operation.op) == MPI_OP_NULL) return "op " + op + " is not driven yet";
  return std::nullopt;
}

}  // namespace

Result<Ready> MpiBackend::start(WorldPlace /*place*/) {
  const auto wanted = wanted_thread_level();
  if (!wanted) return tl::unexpected(wanted.error());
  int provided = MPI_THREAD_SINGLE;
  int tool_provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, *wanted, &provided) != MPI_SUCCESS ||
      MPI_T_init_thread(MPI_THREAD_SINGLE, &tool_provided) != MPI_SUCCESS) {
    return internal_error("MPI could not be initialised");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  algorithms_.discover();

  Ready ready;
  MPI_Comm_rank(MPI_COMM_WORLD, &ready.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ready.size);
  rank_ = ready.rank;
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  auto name =
      parse_library_version(std::string_view(text.data(), static_cast<std::size_t>(length)));
  ready.library = std::move(name.library);
  ready.version = std::move(name.version);
  ready.thread_level = thread_level_name(provided);
  ready.algorithms = algorithms_.lists();
  return ready;
}

std::optional<std::string> MpiBackend::unsupported(const Case& test_case,
                                                   const Operation& operation) const {
  const auto kind = test_case.groups[static_cast<std::size_t>(operation.group)].kind;
  if (kind == GroupKind::inter) return "collectives on intercommunicators are not driven yet";
  if (operation.kind == OperationKind::group_begin || operation.kind == OperationKind::group_end) {
    return "MPI has no groups of calls";
  }
  if (operation.thread != 0) return "calls from several threads are not driven yet";
  if (operation.stream != 0) return "MPI has no streams";
  if (!enters_collective(operation.kind)) return std::nullopt;
  if (auto reason = unsupported_collective(operation)) return reason;
  return algorithms_.unsupported(operation, sizes_of(test_case, operation.group));
}

std::string MpiBackend::communicator_scope(const Operation& operation) const {
  if (!algorithms_.needs_communicator(operation)) return {};
  return std::string(name_of(operation.collective)) + "/" + std::string(name_of(operation.mode)) +
         "/" + operation.algorithm.name;
}

LibraryStatus MpiBackend::open(const Case& test_case, int group, const Operation& first_use,
                               std::unique_ptr<Communicator>& made) {
  const auto kind = test_case.groups[static_cast<std::size_t>(group)].kind;
  // The world itself, and no duplicate: a failure "on duplicates only" must be told apart.
  if (kind == GroupKind::world && !algorithms_.needs_communicator(first_use)) {
    made = std::make_unique<MpiCommunicator>(MPI_COMM_WORLD, false);
    return {};
  }
  MadeCommunicator library_made;
  int code = MPI_SUCCESS;
  {
    const auto chosen = algorithms_.choose(first_use.collective, first_use.mode,
                                           first_use.algorithm.name, Reach::communicator);
    code = make_communicator(test_case, group, rank_, library_made);
  }
  if (code != MPI_SUCCESS) return status_of(code);
  if (library_made.handle == MPI_COMM_NULL) return {};
  made = std::make_unique<MpiCommunicator>(library_made.handle, true);
  made->members = std::move(library_made.members);
  return {};
}

LibraryStatus MpiBackend::call(const CollectiveArguments& arguments, const std::string& algorithm) {
  const auto chosen =
      algorithms_.choose(arguments.collective, arguments.mode, algorithm, Reach::call);
  return status_of(find_entry(arguments.collective)->blocking(arguments));
}

LibraryStatus MpiBackend::start(const CollectiveArguments& arguments, const std::string& algorithm,
                                std::unique_ptr<Request>& request) {
  auto started = std::make_unique<MpiRequest>();
  int code = MPI_SUCCESS;
  {
    const auto chosen =
        algorithms_.choose(arguments.collective, arguments.mode, algorithm, Reach::call);
    code = find_entry(arguments.collective)->nonblocking(arguments, &started->handle);
  }
  request = std::move(started);
  return status_of(code);
}

LibraryStatus MpiBackend::wait(Request& request) {
  return status_of(MPI_Wait(&static_cast<MpiRequest&>(request).handle, MPI_STATUS_IGNORE));
}

LibraryStatus MpiBackend::test(Request& request, bool& done) {
  int flag = 0;
  const int code = MPI_Test(&static_cast<MpiRequest&>(request).handle, &flag, MPI_STATUS_IGNORE);
  done = flag != 0;
  return status_of(code);
}

void MpiBackend::finish() { MPI_Barrier(MPI_COMM_WORLD); }

}  // namespace allprove
