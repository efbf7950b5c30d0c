#include "backends/reference/messages.h"

#include <algorithm>
#include <cstring>

namespace allprove::reference {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

// All members' lengths, by position.
std::vector<std::uint64_t> share_lengths(Members& members, std::uint64_t mine) {
  members.exchange(std::as_bytes(std::span(&mine, 1)));
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(members.size()));
  for (std::size_t from = 0; from < lengths.size(); ++from) {
    std::memcpy(&lengths[from], members.chunk(static_cast<int>(from)), kWordBytes);
  }
  return lengths;
}

}  // namespace

Message::Message(std::span<const std::int64_t> block_elements, std::size_t element_bytes,
                 std::span<const std::byte> data) {
  std::vector<std::uint64_t> words = {block_elements.size()};
  for (const auto elements : block_elements) {
    words.push_back(static_cast<std::uint64_t>(elements) * element_bytes);
  }
  const auto head = std::as_bytes(std::span(words));
  bytes_.resize(head.size() + data.size());
  std::copy(head.begin(), head.end(), bytes_.begin());
  std::copy(data.begin(), data.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(head.size()));
}

std::uint64_t Message::word(std::size_t index) const {
  std::uint64_t word = 0;
  if (bytes_.size() / kWordBytes > index) {
    std::memcpy(&word, bytes_.data() + index * kWordBytes, kWordBytes);
  }
  return word;
}

std::span<const std::byte> Message::block(std::size_t index) const {
  const auto words = bytes_.size() / kWordBytes;
  if (words == 0 || word(0) > words - 1 || index >= word(0)) return {};
  auto left = bytes().subspan((1 + word(0)) * kWordBytes);
  for (std::size_t before = 0; before < index; ++before) {
    left = left.subspan(std::min(word(1 + before), left.size()));
  }
  return left.first(std::min(word(1 + index), left.size()));
}

// Received bytes are kept as they come, since a length may be no length: see collectives.h.
std::vector<Message> share(Members& members, const Message& mine,
                           const std::function<bool(int from)>& wanted) {
  const auto lengths = share_lengths(members, mine.bytes().size());
  std::vector<std::vector<std::byte>> received(lengths.size());
  const auto longest = *std::max_element(lengths.begin(), lengths.end());
  for (std::uint64_t done = 0; done < longest; done += kChunkBytes) {
    const auto rest = mine.bytes().subspan(std::min(done, mine.bytes().size()));
    members.exchange(rest.first(std::min(kChunkBytes, rest.size())));
    for (std::size_t from = 0; from < lengths.size(); ++from) {
      const int position = static_cast<int>(from);
      if (done >= lengths[from] || !wanted(position)) continue;
      const auto* const chunk = members.chunk(position);
      const auto bytes = std::min<std::uint64_t>(kChunkBytes, lengths[from] - done);
      received[from].insert(received[from].end(), chunk, chunk + bytes);
    }
  }
  std::vector<Message> messages;
  messages.reserve(received.size());
  for (auto& bytes : received) messages.emplace_back(std::move(bytes));
  return messages;
}

}  // namespace allprove::reference
