// Frames over a stream socket: 4 bytes length, 1 byte type, payload. Descriptors may travel with a
// frame (SCM_RIGHTS). Used by the driver, which never blocks on it, and by the worker, which does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/base/clock.h"
#include "framework/base/result.h"
#include "framework/base/unique_fd.h"
#include "framework/model/bytes.h"
#include "framework/run/protocol.h"

namespace allprove {

inline constexpr std::size_t kFrameBytesMax = std::size_t{256} << 20;

struct Frame {
  MessageType type = MessageType::hello;
  std::vector<std::byte> payload;
};

// One end of a connection. Owns the socket.
class Channel {
 public:
  explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}
  Channel() = default;

  int fd() const { return socket_.get(); }
  bool open() const { return static_cast<bool>(socket_); }
  void close() { socket_.reset(); }

  // Sends a whole frame before the deadline; an error when the peer is gone or does not read.
  // `descriptors` are duplicated into the peer.
  Status send(MessageType type, std::span<const std::byte> payload, Deadline deadline,
              std::span<const int> descriptors = {});
  template <HasFields Message>
  Status send(MessageType type, const Message& message, Deadline deadline,
              std::span<const int> descriptors = {}) {
    return send(type, std::span<const std::byte>(to_bytes(message)), deadline, descriptors);
  }

  // Takes what the socket holds, without blocking, and returns the next whole frame if there is
  // one. An error when the peer has closed the connection or what it sends is no frame.
  // `bytes_max` bounds what a peer that has not yet proven its token may make us store.
  Result<std::optional<Frame>> receive(std::size_t bytes_max = kFrameBytesMax);
  // Waits for the next frame.
  Result<Frame> receive_before(Deadline deadline);

  // Descriptors that came with the frames received so far.
  std::vector<UniqueFd> take_descriptors() { return std::move(descriptors_); }

 private:
  Status fill(std::size_t bytes_max);
  Result<std::optional<Frame>> next_frame(std::size_t bytes_max);

  UniqueFd socket_;
  std::vector<std::byte> inbox_;
  std::size_t consumed_ = 0;
  std::optional<Error> broken_;  // why nothing can be received any more
  std::vector<UniqueFd> descriptors_;
};

// A listening socket at a path, and a connection to one.
Result<UniqueFd> listen_at(const std::string& path);
Result<UniqueFd> connect_to(const std::string& path);

}  // namespace allprove
