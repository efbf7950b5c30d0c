#include "backends/mutant/gaps.h"

#include <algorithm>

namespace allprove::mutant {

std::vector<bool> bytes_of_elements(const Placement& placement) {
  const std::vector<std::byte> ones(static_cast<std::size_t>(placement.packed_bytes()),
                                    std::byte{1});
  std::vector<std::byte> marks(
      static_cast<std::size_t>(placement.end_byte() - placement.first_byte()));
  placement.scatter(ones.data(), marks.data() - placement.first_byte());
  std::vector<bool> used(marks.size());
  for (std::size_t i = 0; i < marks.size(); ++i) used[i] = marks[i] != std::byte{0};
  return used;
}

void spoil_first_gap(const Placement& placement, std::byte* base) {
  const auto used = bytes_of_elements(placement);
  const auto gap = std::ranges::find(used, false);
  if (gap == used.end()) return;
  auto& byte = base[placement.first_byte() + (gap - used.begin())];
  byte = ~byte;
}

}  // namespace allprove::mutant
