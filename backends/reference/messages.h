// Messages: what a member gives in a collective whose blocks may have any size. The sizes travel
// with the blocks, so that a receiver knows them from nobody but the sender.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "backends/reference/collectives.h"

namespace allprove::reference {

class Message {
 public:
  // As it came over the lanes; whatever that was, where the senders' calls did not match.
  explicit Message(std::vector<std::byte> bytes = {}) : bytes_(std::move(bytes)) {}
  Message(std::span<const std::int64_t> block_elements, std::size_t element_bytes,
          std::span<const std::byte> data);

  std::span<const std::byte> bytes() const { return bytes_; }
  // Empty where there is no such block.
  std::span<const std::byte> block(std::size_t index) const;

 private:
  std::uint64_t word(std::size_t index) const;

  std::vector<std::byte> bytes_;  // the number of blocks, the bytes of each, the blocks
};

// Every member gives a message, and gets those of the positions that it wants; the others are left
// empty.
std::vector<Message> share(Members& members, const Message& mine,
                           const std::function<bool(int from)>& wanted);

}  // namespace allprove::reference
