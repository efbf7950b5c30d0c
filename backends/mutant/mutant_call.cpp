#include "backends/mutant/mutant_call.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/reference/messages.h"
#include "backends/reference/reduce.h"

namespace allprove::mutant {
namespace {

std::size_t sum_of(std::span<const std::int64_t> blocks) {
  return static_cast<std::size_t>(std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0}));
}

std::span<std::byte> block_in(std::vector<std::byte>& data, std::span<const std::int64_t> blocks,
                              std::size_t index, std::size_t element_bytes) {
  if (index >= blocks.size()) return {};
  const auto begin = sum_of(blocks.first(index)) * element_bytes;
  return std::span(data).subspan(begin, static_cast<std::size_t>(blocks[index]) * element_bytes);
}

}  // namespace

std::span<std::byte> MutantCall::result() {
  return std::span(packed.output).first(sum_of(packed.received) * element_bytes());
}

std::span<std::byte> MutantCall::received_block(std::size_t index) {
  return block_in(packed.output, packed.received, index, element_bytes());
}

std::span<std::byte> MutantCall::given_block(std::size_t index) {
  return block_in(packed.input, packed.given, index, element_bytes());
}

void spoil(std::span<std::byte> element) {
  for (auto& byte : element) byte = ~byte;
}

void spoil_result(MutantCall& call, std::int64_t element) {
  if (element < 0 || element >= call.elements()) return;
  const auto bytes = call.element_bytes();
  spoil(call.result().subspan(static_cast<std::size_t>(element) * bytes, bytes));
}

void spoil_result_if(MutantCall& call, bool condition) {
  if (condition) spoil_result(call);
}

void undo(MutantCall& call, std::span<std::byte> part) {
  if (part.empty()) return;
  const auto at = static_cast<std::size_t>(part.data() - call.packed.output.data());
  std::memcpy(part.data(), call.output_before.data() + at, part.size());
}

void undo_last_element(MutantCall& call, std::span<std::byte> part) {
  if (!part.empty()) undo(call, part.last(call.element_bytes()));
}

void reduce_over(MutantCall& call, const std::vector<int>& positions, std::size_t block) {
  const auto& packed = call.packed;
  const reference::Message mine(packed.given, call.element_bytes(), packed.input);
  const auto inputs = reference::share(call.members(), mine, [](int) { return true; });
  const auto result = call.result();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto operand = inputs[static_cast<std::size_t>(positions[i])].block(block);
    const auto bytes = std::min(operand.size(), result.size());
    if (bytes == 0) continue;
    if (i == 0) {
      std::memcpy(result.data(), operand.data(), bytes);
    } else {
      reference::combine(packed.op, packed.dtype, result.data(), operand.data(),
                         bytes / call.element_bytes());
    }
  }
}

std::vector<int> positions_between(int from, int until) {
  std::vector<int> positions(static_cast<std::size_t>(std::max(until - from, 0)));
  std::iota(positions.begin(), positions.end(), from);
  return positions;
}

bool all_members(MutantCall& call, bool mine) {
  const std::byte flag{mine};
  call.members().exchange(std::span(&flag, 1));
  for (int position = 0; position < call.ranks(); ++position) {
    if (*call.members().chunk(position) == std::byte{0}) return false;
  }
  return true;
}

}  // namespace allprove::mutant
