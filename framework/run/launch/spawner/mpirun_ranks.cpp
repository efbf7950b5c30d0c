#include "framework/run/launch/spawner/mpirun_ranks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "framework/base/errno_text.h"
#include "framework/run/launch/environment.h"
#include "framework/run/launch/spawner/rank_log.h"

namespace allprove {
namespace {

std::string address_of(const Plan& plan) { return plan.directory + "/ranks"; }

std::optional<sockaddr_un> socket_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// What Open MPI, PMIx launchers and MPICH's hydra call a rank.
const char* own_rank() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* const rank = std::getenv(name)) return rank;
  }
  return nullptr;
}

// Tells the spawner who this is, and where its output can be read. The kernel adds the pid.
bool introduce(const std::string& spawner, const char* rank, int output) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  auto address = socket_address(spawner);
  if (!socket || !address) return false;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof output)] = {};
  iovec part = {const_cast<char*>(rank), std::strlen(rank)};
  msghdr message{};
  message.msg_name = &*address;
  message.msg_namelen = sizeof *address;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof output);
  std::memcpy(CMSG_DATA(header), &output, sizeof output);
  return sendmsg(socket.get(), &message, MSG_NOSIGNAL) >= 0;
}

int refuse(const std::string& what) {
  fmt::print(stderr, "allprove-spawner: {}: {}\n", what, errno_text(errno));
  return 127;
}

}  // namespace

std::vector<std::string> rank_command(const std::string& program, const Plan& plan,
                                      const std::vector<std::string>& variables,
                                      const std::vector<std::string>& worker) {
  std::vector<std::string> command = {program, kRankMode, address_of(plan),
                                      std::to_string(variables.size())};
  command.insert(command.end(), variables.begin(), variables.end());
  command.insert(command.end(), worker.begin(), worker.end());
  return command;
}

int become_rank(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 2, argv + argc);
  const char* const rank = own_rank();
  if (arguments.size() < 3 || rank == nullptr) {
    fmt::print(stderr, "allprove-spawner: mpirun gave this process no rank\n");
    return 127;
  }
  const auto pipe = RankPipe::make();
  if (!pipe) return refuse("no pipe");
  if (!introduce(arguments[0], rank, pipe->reads.get())) {
    return refuse("cannot reach the spawner at " + arguments[0]);
  }

  const auto variables = static_cast<std::size_t>(std::atoi(arguments[1].c_str()));
  Environment environment = Environment::own();
  for (std::size_t i = 0; i < variables; ++i) environment.set_entry(arguments.at(2 + i));
  std::vector<std::string> worker(arguments.begin() + 2 + static_cast<std::ptrdiff_t>(variables),
                                  arguments.end());
  const std::string program = find_program(worker.at(0));
  dup2(pipe->writes.get(), STDOUT_FILENO);
  dup2(pipe->writes.get(), STDERR_FILENO);
  execve(program.c_str(), pointers_to(worker).data(), environment.pointers().data());
  return refuse("cannot start '" + worker[0] + "'");
}

MpirunRanks::MpirunRanks(const Plan& plan) : address_(address_of(plan)), ranks_(plan.ranks) {}

Status MpirunRanks::start() {
  const auto address = socket_address(address_);
  if (!address) return internal_error(address_ + " is too long for a socket");
  const int on = 1;
  socket_.reset(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket_ ||
      bind(socket_.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      setsockopt(socket_.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return internal_error(address_ + ": " + errno_text(errno));
  }
  return {};
}

std::vector<Report> MpirunRanks::serve() {
  char text[16];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int))];
  iovec part = {text, sizeof text};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size <= 0) return {};
  ucred sender{};
  UniqueFd output;
  for (auto* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    int fd = -1;
    if (header->cmsg_type == SCM_CREDENTIALS) {
      std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
    } else if (header->cmsg_type == SCM_RIGHTS) {
      std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
      output.reset(fd);
    }
  }
  int rank = -1;
  std::from_chars(text, text + size, rank);
  if (rank < 0 || rank >= ranks_ || sender.pid == 0) return {};
  if (output) outputs_.push_back({rank, std::move(output)});
  return {{ReportKind::started, rank, sender.pid, {}}};
}

}  // namespace allprove
