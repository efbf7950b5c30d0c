#include "framework/run/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "framework/base/errno_text.h"

namespace allprove {
namespace {

constexpr std::size_t kHeaderBytes = 5;
constexpr std::size_t kReadBytes = std::size_t{1} << 16;      // one read of the socket
constexpr std::size_t kTakenBytesMax = std::size_t{1} << 20;  // by one receive(): one peer of many
constexpr std::size_t kDescriptorsMax = 8;
constexpr MessageType kLastType = MessageType::stop;

// Waits until the socket is ready for `events`, or closed by the peer; false once the time is up.
bool wait_for(int fd, short events, Deadline deadline) {
  pollfd entry{fd, events, 0};
  while (poll(&entry, 1, deadline.left_ms()) <= 0) {
    if (deadline.passed()) return false;
  }
  return true;
}

std::array<std::byte, kHeaderBytes> header_of(MessageType type, std::size_t size) {
  std::array<std::byte, kHeaderBytes> header;
  const auto length = static_cast<std::uint32_t>(size);
  std::memcpy(header.data(), &length, sizeof length);
  header[4] = static_cast<std::byte>(type);
  return header;
}

// Room for the control message that carries descriptors.
struct alignas(cmsghdr) Control {
  std::array<std::byte, CMSG_SPACE(kDescriptorsMax * sizeof(int))> bytes{};
};

void attach(msghdr& message, Control& control, std::span<const int> descriptors) {
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const entry = CMSG_FIRSTHDR(&message);
  entry->cmsg_level = SOL_SOCKET;
  entry->cmsg_type = SCM_RIGHTS;
  entry->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(entry), descriptors.data(), descriptors.size_bytes());
}

void collect(msghdr& message, std::vector<UniqueFd>& descriptors) {
  for (cmsghdr* entry = CMSG_FIRSTHDR(&message); entry != nullptr;
       entry = CMSG_NXTHDR(&message, entry)) {
    if (entry->cmsg_level != SOL_SOCKET || entry->cmsg_type != SCM_RIGHTS) continue;
    const auto count = (entry->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(entry) + i * sizeof fd, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return internal_error(
        fmt::format("socket path '{}': not 1 to {} bytes", path, sizeof address.sun_path - 1),
        "set TMPDIR to a folder with a short name");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

}  // namespace

Status Channel::send(MessageType type, std::span<const std::byte> payload, Deadline deadline,
                     std::span<const int> descriptors) {
  if (!open()) return internal_error("sending on a closed channel");
  if (payload.size() > kFrameBytesMax || descriptors.size() > kDescriptorsMax) {
    return internal_error(fmt::format("a message of {} bytes and {} descriptors is too large",
                                      payload.size(), descriptors.size()));
  }
  const auto header = header_of(type, payload.size());
  const auto total = header.size() + payload.size();
  Control control;
  std::size_t sent = 0;
  while (sent < total) {
    const auto in_header = std::min(sent, header.size());
    const auto in_payload = sent - in_header;
    // sendmsg() takes pointers to mutable memory and leaves it as it is.
    std::array<iovec, 2> pieces = {{
        {const_cast<std::byte*>(header.data()) + in_header, header.size() - in_header},
        {const_cast<std::byte*>(payload.data()) + in_payload, payload.size() - in_payload},
    }};
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    if (sent == 0 && !descriptors.empty()) attach(message, control, descriptors);
    const auto written = sendmsg(fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written >= 0) {
      sent += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      if (!wait_for(fd(), POLLOUT, deadline)) {
        shutdown(fd(), SHUT_WR);  // half a frame may stand there: nothing can follow it
        return internal_error("sending a message: the peer did not read it in time");
      }
    } else if (errno != EINTR) {
      return internal_error("sending a message: " + errno_text(errno));
    }
  }
  return {};
}

// Reads until a frame may be whole, at most so many bytes.
Status Channel::fill(std::size_t bytes_max) {
  std::size_t taken = 0;
  while (taken < kTakenBytesMax && inbox_.size() - consumed_ < bytes_max) {
    const auto held = inbox_.size();
    const auto room = std::min(kReadBytes, bytes_max - (held - consumed_));
    inbox_.resize(held + room);
    iovec piece{inbox_.data() + held, room};
    Control control;
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
    const auto read = recvmsg(fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const int error = errno;
    inbox_.resize(held + (read > 0 ? static_cast<std::size_t>(read) : 0));
    if (read < 0 && error == EINTR) continue;
    if (read < 0 && error == EAGAIN) return {};
    if (read < 0) return internal_error("reading a message: " + errno_text(error));
    collect(message, descriptors_);
    if ((message.msg_flags & MSG_CTRUNC) != 0 || descriptors_.size() > kDescriptorsMax) {
      return internal_error("reading a message: the peer sent too many descriptors");
    }
    if (read == 0) return internal_error("the peer has closed the connection");
    taken += static_cast<std::size_t>(read);
    if (static_cast<std::size_t>(read) < room) return {};
  }
  return {};
}

Result<std::optional<Frame>> Channel::next_frame(std::size_t bytes_max) {
  const auto held = std::span(inbox_).subspan(consumed_);
  if (held.size() < kHeaderBytes) return std::nullopt;
  std::uint32_t length = 0;
  std::memcpy(&length, held.data(), sizeof length);
  const auto type = static_cast<MessageType>(held[4]);
  if (type > kLastType) return internal_error("reading a message: of no known type");
  if (length > bytes_max) {
    return internal_error(fmt::format("reading a message: {} bytes announced, at most {} allowed",
                                      length, bytes_max));
  }
  if (held.size() - kHeaderBytes < length) return std::nullopt;
  const auto payload = held.subspan(kHeaderBytes, length);
  Frame frame{type, {payload.begin(), payload.end()}};
  consumed_ += kHeaderBytes + length;
  if (consumed_ == inbox_.size()) {
    inbox_.clear();
    consumed_ = 0;
  } else if (consumed_ > inbox_.size() / 2) {
    inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(consumed_));
    consumed_ = 0;
  }
  return frame;
}

Result<std::optional<Frame>> Channel::receive(std::size_t bytes_max) {
  if (!open()) return internal_error("receiving on a closed channel");
  auto frame = next_frame(bytes_max);
  if (frame && !*frame && !broken_) {
    if (auto filled = fill(bytes_max + kHeaderBytes); !filled) broken_ = filled.error();
    frame = next_frame(bytes_max);
  }
  if (!frame) {
    broken_ = frame.error();
    inbox_.clear();
    consumed_ = 0;
  }
  // What came before the peer's end is still a message, so its end is told afterwards.
  if (frame && !*frame && broken_) return tl::unexpected(*broken_);
  return frame;
}

Result<Frame> Channel::receive_before(Deadline deadline) {
  for (;;) {
    auto frame = receive();
    if (!frame) return tl::unexpected(std::move(frame.error()));
    if (*frame) return std::move(**frame);
    if (!wait_for(fd(), POLLIN, deadline)) return internal_error("no message came in time");
  }
}

Result<UniqueFd> listen_at(const std::string& path) {
  const auto address = address_of(path);
  if (!address) return tl::unexpected(address.error());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket ||
      bind(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) ||
      listen(socket.get(), SOMAXCONN)) {
    return internal_error(fmt::format("listening at {}: {}", path, errno_text(errno)));
  }
  return socket;
}

Result<UniqueFd> connect_to(const std::string& path) {
  const auto address = address_of(path);
  if (!address) return tl::unexpected(address.error());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Bounds connect(), which waits while the listener's queue is full.
  const timeval limit{30, 0};
  if (!socket || setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) ||
      connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address)) {
    return internal_error(fmt::format("connecting to {}: {}", path, errno_text(errno)));
  }
  return socket;
}

}  // namespace allprove
