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

#include "framework/run/launch/environment.h"

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

int refuse(const std::string& what) {
  fmt::print(stderr, "allprove-spawner: {}: {}\n", what, std::strerror(errno));
  return 127;
}

}  // namespace

std::vector<std::string> rank_command(const std::string& program, const Plan& plan,
                                      const std::vector<std::string>& variables,
                                      const std::vector<std::string>& worker) {
  std::vector<std::string> command = {program, kRankMode, address_of(plan), plan.log_directory,
                                      std::to_string(variables.size())};
  command.insert(command.end(), variables.begin(), variables.end());
  command.insert(command.end(), worker.begin(), worker.end());
  return command;
}

int become_rank(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 2, argv + argc);
  const char* const rank = own_rank();
  if (arguments.size() < 4 || rank == nullptr) {
    fmt::print(stderr, "allprove-spawner: mpirun gave this process no rank\n");
    return 127;
  }
  const std::string log = fmt::format("{}/rank-{}.log", arguments[1], rank);
  const int log_fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_fd < 0) return refuse(log);

  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto address = socket_address(arguments[0]);
  if (!socket || !address ||
      sendto(socket.get(), rank, std::strlen(rank), MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&*address), sizeof *address) < 0) {
    return refuse("cannot reach the spawner at " + arguments[0]);
  }

  const auto variables = static_cast<std::size_t>(std::atoi(arguments[2].c_str()));
  Environment environment = Environment::own();
  for (std::size_t i = 0; i < variables; ++i) environment.set_entry(arguments.at(3 + i));
  std::vector<std::string> worker(arguments.begin() + 3 + static_cast<std::ptrdiff_t>(variables),
                                  arguments.end());
  const std::string program = find_program(worker.at(0));
  dup2(log_fd, STDOUT_FILENO);
  dup2(log_fd, STDERR_FILENO);
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
    return internal_error(address_ + ": " + std::strerror(errno));
  }
  return {};
}

std::vector<Report> MpirunRanks::serve() {
  char text[16];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  iovec part = {text, sizeof text};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(socket_.get(), &message, MSG_DONTWAIT);
  const cmsghdr* const header = size > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_CREDENTIALS) return {};
  ucred sender;
  std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
  int rank = -1;
  std::from_chars(text, text + size, rank);
  if (rank < 0 || rank >= ranks_) return {};
  return {{ReportKind::started, rank, sender.pid, {}}};
}

}  // namespace allprove
