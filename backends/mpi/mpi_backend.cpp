#include "backends/mpi/mpi_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/mpi/communicators.h"
#include "backends/mpi/library_name.h"
#include "backends/mpi/unsupported.h"
#include "backends/mpi/vocabulary.h"
#include "framework/base/enum_table.h"
#include "framework/model/user_operator.h"

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
  ~MpiRequest() override {
    if (persistent && handle != MPI_REQUEST_NULL) MPI_Request_free(&handle);
  }
  MPI_Request handle = MPI_REQUEST_NULL;
  MpiArguments arguments;
  bool persistent = false;
};

MPI_Request& handle_of(Request& request) { return static_cast<MpiRequest&>(request).handle; }

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

// What stands behind MPI_ERR_IN_STATUS, of the first request that failed.
LibraryStatus status_of(int code, std::span<const MPI_Status> statuses) {
  if (code != MPI_ERR_IN_STATUS) return status_of(code);
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const int error = statuses[i].MPI_ERROR;
    if (error == MPI_SUCCESS || error == MPI_ERR_PENDING) continue;
    auto status = status_of(error);
    status.message = fmt::format("entry {} of the requests: {}", i, status.message);
    return status;
  }
  return status_of(code);
}

// Until each has been completed once. A completed persistent request stays in the list, inactive,
// and must not be reported again (MPI 4.0, 3.7.5 and 3.9).
LibraryStatus wait_some(std::vector<MPI_Request>& handles) {
  const auto count = static_cast<int>(handles.size());
  std::vector<int> indices(handles.size());
  std::vector<bool> completed(handles.size());
  std::vector<MPI_Status> statuses(handles.size());
  for (int left = count; left > 0;) {
    int done = 0;
    const int code = MPI_Waitsome(count, handles.data(), &done, indices.data(), statuses.data());
    if (code != MPI_SUCCESS) {
      const auto entries = static_cast<std::size_t>(std::clamp(done, 0, count));
      return status_of(code, std::span(statuses).first(entries));
    }
    if (done == MPI_UNDEFINED) {
      return {MPI_ERR_REQUEST, fmt::format("MPI_Waitsome finds no active request, but {} of {} "
                                           "were not completed",
                                           left, count)};
    }
    for (int i = 0; i < done; ++i) {
      const auto index = static_cast<std::size_t>(indices[static_cast<std::size_t>(i)]);
      if (completed[index]) {
        return {MPI_ERR_REQUEST,
                fmt::format("MPI_Waitsome completes request {} of {} again, which is inactive",
                            index, count)};
      }
      completed[index] = true;
    }
    left -= done;
  }
  return {};
}

// What MPI takes for the root of a call.
int root_of(const CollectiveArguments& arguments) {
  switch (arguments.role) {
    case InterRole::root:
      return MPI_ROOT;
    case InterRole::beside_root:
      return MPI_PROC_NULL;
    case InterRole::remote:
      break;  // and on every other kind of communicator
  }
  return arguments.root;
}

LibraryStatus wait_for_all(std::vector<MPI_Request>& handles) {
  std::vector<MPI_Status> statuses(handles.size());
  const int code = MPI_Waitall(static_cast<int>(handles.size()), handles.data(), statuses.data());
  return status_of(code, statuses);
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
  several_threads_ = provided == MPI_THREAD_MULTIPLE;
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
  if (operation.thread != 0 && !several_threads_) {
    return "calls from several threads need the thread level multiple";
  }
  if (auto reason = unsupported_by_mpi(test_case, operation)) return reason;
  if (!enters_collective(operation.kind)) return std::nullopt;
  const auto& group = test_case.groups[static_cast<std::size_t>(operation.group)];
  return algorithms_.unsupported(operation, sizes_of_parts(group, test_case.ranks));
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

// What a rank passes for a buffer that nobody reads or writes. Libraries look at it all the same:
// MPICH 4.0 refuses a null buffer of the root of a reduction on an intercommunicator, and both take
// null lists of a rank without neighbors for a mistake, or read them; Open MPI 4.1 wants what such
// a rank says that it sends to be as much as it receives.
void fill_absent(const CollectiveArguments& arguments, bool sends, MpiArguments::Side& to) {
  const auto traits = traits_of(arguments.collective);
  if (traits.reduces && sends) to.buffer = &to.count;
  if (!needs_neighbors(arguments.collective)) return;
  to.buffer = &to.count;
  to.counts.reserve(1);
  to.displacements.reserve(1);
  to.addresses.reserve(1);
  to.types.reserve(1);
  const auto& other = sends ? arguments.receive : arguments.send;
  if (!traits.irregular) to.count = static_cast<int>(other.count * other.elements_per_item);
}

int MpiBackend::translate(const CollectiveArguments& arguments, const BufferSide& side,
                          MpiArguments::Side& to) {
  auto basic = mpi_type_of(arguments.dtype);
  if (has_user_operator(arguments.collective, arguments.op)) {
    const int code = user_operators_[static_cast<std::size_t>(arguments.thread)].operand_type(
        arguments.op, arguments.dtype, basic);
    if (code != MPI_SUCCESS) return code;
  }
  to.type = basic;
  if (side.data == nullptr) {
    fill_absent(arguments, &side == &arguments.send, to);
    return MPI_SUCCESS;
  }
  to.buffer = side.data;
  to.count = static_cast<int>(side.count);
  to.counts.assign(side.counts.begin(), side.counts.end());
  to.displacements.assign(side.displacements.begin(), side.displacements.end());
  if (const int code = types_[static_cast<std::size_t>(arguments.thread)].find(
          side.layout, basic, side.elements_per_item, to.type);
      code != MPI_SUCCESS) {
    return code;
  }
  if (arguments.collective != Collective::all_to_allw &&
      arguments.collective != Collective::neighbor_all_to_allw) {
    return MPI_SUCCESS;
  }
  to.types.assign(side.counts.size(), to.type);
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  const int code = MPI_Type_get_extent(to.type, &lower_bound, &extent);
  for (int& displacement : to.displacements) {
    displacement *= static_cast<int>(extent);
    to.addresses.push_back(displacement);
  }
  return code;
}

int MpiBackend::translate(const CollectiveArguments& arguments, MpiArguments& to) {
  to.comm = handle_of(arguments);
  to.root = root_of(arguments);
  const auto traits = traits_of(arguments.collective);
  if (!traits.moves_data) return MPI_SUCCESS;
  int code = MPI_SUCCESS;
  if (has_user_operator(arguments.collective, arguments.op)) {
    code = user_operators_[static_cast<std::size_t>(arguments.thread)].find(arguments.op,
                                                                            arguments.dtype, to.op);
  } else if (traits.reduces) {
    to.op = mpi_op_of(arguments.op);
  }
  if (code == MPI_SUCCESS) code = translate(arguments, arguments.send, to.send);
  if (code == MPI_SUCCESS) code = translate(arguments, arguments.receive, to.receive);
  const bool scatters =
      arguments.collective == Collective::scatter || arguments.collective == Collective::scatterv;
  if (arguments.in_place) (scatters ? to.receive : to.send).buffer = MPI_IN_PLACE;
  return code;
}

LibraryStatus MpiBackend::call(const CollectiveArguments& arguments, const std::string& algorithm) {
  MpiArguments translated;
  if (const int code = translate(arguments, translated); code != MPI_SUCCESS)
    return status_of(code);
  const auto chosen =
      algorithms_.choose(arguments.collective, arguments.mode, algorithm, Reach::call);
  return status_of(find_collective(arguments.collective)->blocking(translated));
}

LibraryStatus MpiBackend::make_request(const CollectiveArguments& arguments,
                                       const std::string& algorithm,
                                       int (*function)(const MpiArguments&, MPI_Request*),
                                       std::unique_ptr<Request>& request) {
  auto made = std::make_unique<MpiRequest>();
  if (const int code = translate(arguments, made->arguments); code != MPI_SUCCESS) {
    return status_of(code);
  }
  made->persistent = arguments.mode == Mode::persistent;
  const auto chosen =
      algorithms_.choose(arguments.collective, arguments.mode, algorithm, Reach::call);
  const int code = function(made->arguments, &made->handle);
  request = std::move(made);
  return status_of(code);
}

LibraryStatus MpiBackend::start(const CollectiveArguments& arguments, const std::string& algorithm,
                                std::unique_ptr<Request>& request) {
  return make_request(arguments, algorithm, find_collective(arguments.collective)->nonblocking,
                      request);
}

LibraryStatus MpiBackend::init(const CollectiveArguments& arguments, const std::string& algorithm,
                               std::unique_ptr<Request>& request) {
  return make_request(arguments, algorithm, find_collective(arguments.collective)->persistent,
                      request);
}

LibraryStatus MpiBackend::start_request(Request& request) {
  return status_of(MPI_Start(&handle_of(request)));
}

LibraryStatus MpiBackend::wait(Request& request) {
  return status_of(MPI_Wait(&handle_of(request), MPI_STATUS_IGNORE));
}

LibraryStatus MpiBackend::test(Request& request, bool& done) {
  int flag = 0;
  const int code = MPI_Test(&handle_of(request), &flag, MPI_STATUS_IGNORE);
  done = flag != 0;
  return status_of(code);
}

LibraryStatus MpiBackend::wait_all(std::span<Request* const> requests, bool some) {
  std::vector<MPI_Request> handles;
  for (auto* request : requests) handles.push_back(handle_of(*request));
  const auto status = some ? wait_some(handles) : wait_for_all(handles);
  for (std::size_t i = 0; i < handles.size(); ++i) handle_of(*requests[i]) = handles[i];
  return status;
}

void MpiBackend::finish() {
  for (auto& types : types_) types.clear();
  for (auto& operators : user_operators_) operators.clear();
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace allprove
