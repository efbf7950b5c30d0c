#include "framework/run/launch/spawner/pmi1_server.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstdio>

#include "framework/base/errno_text.h"

namespace allprove {
namespace {

// The limits that get_maxes tells.
constexpr int kNameMax = 256;
constexpr int kKeyMax = 64;
constexpr int kValueMax = 1024;
constexpr std::size_t kLineMax = 16384;

// The value of `name=` in "name=value name=value ...".
std::string argument(std::string_view line, std::string_view name) {
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      return std::string(word.substr(name.size() + 1));
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return {};
}

int number(const std::string& text, int otherwise) {
  int value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Pmi1Server::Pmi1Server(int ranks, std::string world)
    : kvs_name_("kvs_" + std::move(world)), clients_(static_cast<std::size_t>(ranks)) {}

Status Pmi1Server::start() {
  epoll_.reset(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return internal_error("epoll_create1: " + errno_text(errno));
  return {};
}

Result<RankStart> Pmi1Server::prepare(int rank) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return internal_error("socketpair: " + errno_text(errno));
  }
  clients_[static_cast<std::size_t>(rank)].socket.reset(ends[0]);
  RankStart start;
  start.inherited.reset(ends[1]);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = rank;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, ends[0], &event) != 0) {
    return internal_error("epoll_ctl: " + errno_text(errno));
  }
  start.environment = {fmt::format("PMI_FD={}", ends[1]), fmt::format("PMI_RANK={}", rank),
                       fmt::format("PMI_SIZE={}", clients_.size())};
  return start;
}

std::vector<Report> Pmi1Server::serve() {
  epoll_event events[16];
  const int count = epoll_wait(epoll_.get(), events, 16, 0);
  for (int i = 0; i < count; ++i) read_from(events[i].data.fd);
  return std::exchange(reports_, {});
}

void Pmi1Server::read_from(int rank) {
  Client& client = clients_[static_cast<std::size_t>(rank)];
  char buffer[4096];
  const ssize_t size = recv(client.socket.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return client.socket.reset();  // it exited, or closed after finalize
  client.input.append(buffer, static_cast<std::size_t>(size));
  std::size_t begin = 0;
  for (std::size_t end; (end = client.input.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    answer(rank, client.input.substr(begin, end - begin));
  }
  client.input.erase(0, begin);
  if (client.input.size() > kLineMax) drop(rank, "a line without end");
}

void Pmi1Server::answer(int rank, const std::string& line) {
  const std::string command = argument(line, "cmd");
  if (command == "init") {
    send(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
  } else if (command == "get_maxes") {
    send(rank, fmt::format("cmd=maxes kvsname_max={} keylen_max={} vallen_max={}", kNameMax,
                           kKeyMax, kValueMax));
  } else if (command == "get_appnum") {
    send(rank, "cmd=appnum appnum=0");
  } else if (command == "get_my_kvsname") {
    send(rank, "cmd=my_kvsname kvsname=" + kvs_name_);
  } else if (command == "get_universe_size") {
    send(rank, fmt::format("cmd=universe_size size={}", clients_.size()));
  } else if (command == "put") {
    values_[argument(line, "key")] = argument(line, "value");
    send(rank, "cmd=put_result rc=0 msg=success");
  } else if (command == "get") {
    send(rank, get(argument(line, "key")));
  } else if (command == "barrier_in") {
    enter_barrier();
  } else if (command == "finalize") {
    send(rank, "cmd=finalize_ack");
  } else if (command == "abort") {
    // The driver decides what becomes of the rank; one report of it is enough.
    Client& client = clients_[static_cast<std::size_t>(rank)];
    if (!std::exchange(client.aborted, true)) {
      reports_.push_back({ReportKind::aborted, rank, number(argument(line, "exitcode"), 1), {}});
    }
  } else {
    fmt::print(stderr, "PMI-1: rank {} asked for what is not served: {}\n", rank, line);
  }
}

std::string Pmi1Server::get(const std::string& key) const {
  const auto found = values_.find(key);
  if (found != values_.end()) {
    return "cmd=get_result rc=0 msg=success value=" + found->second;
  }
  if (key == "PMI_process_mapping") {  // blocks of (first node, nodes, ranks a node)
    return fmt::format("cmd=get_result rc=0 msg=success value=(vector,(0,1,{}))", clients_.size());
  }
  return fmt::format("cmd=get_result rc=-1 msg=key_{}_not_found value=unknown", key);
}

void Pmi1Server::enter_barrier() {
  if (++in_barrier_ < static_cast<int>(clients_.size())) return;
  in_barrier_ = 0;
  for (int rank = 0; rank < static_cast<int>(clients_.size()); ++rank) {
    send(rank, "cmd=barrier_out");
  }
}

void Pmi1Server::send(int rank, const std::string& reply) {
  const Client& client = clients_[static_cast<std::size_t>(rank)];
  if (!client.socket) return;
  const std::string line = reply + "\n";
  const ssize_t sent =
      ::send(client.socket.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<ssize_t>(line.size()) || errno == EPIPE || errno == ECONNRESET) return;
  drop(rank, "it asks without reading the answers");
}

void Pmi1Server::drop(int rank, const char* why) {
  fmt::print(stderr, "PMI-1: connection of rank {} closed: {}\n", rank, why);
  clients_[static_cast<std::size_t>(rank)].socket.reset();
}

}  // namespace allprove
