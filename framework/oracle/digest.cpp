#include "framework/oracle/digest.h"

#include <algorithm>

#include "framework/model/case.h"

namespace allprove::oracle {

void Digester::begin(std::int64_t count, std::int64_t cut, std::size_t element_bytes) {
  const auto start = [](Part& part, std::int64_t from, std::int64_t until) {
    part.from = from;
    part.until = until;
    part.streams = false;
    part.digest = XXH3_64bits(nullptr, 0);
  };
  used_ = cut == kNoCut ? 1 : parts_.size();
  start(parts_[0], 0, count);
  if (used_ > 1) {
    start(parts_[1], 0, cut);
    start(parts_[2], cut, count);
    start(parts_[3], cut + 1, count);
  }
  done_ = 0;
  element_bytes_ = element_bytes;
}

void Digester::add(const std::byte* bytes, std::int64_t elements) {
  for (std::size_t i = 0; i < used_; ++i) add_to(parts_[i], bytes, elements);
  done_ += elements;
}

void Digester::add_to(Part& part, const std::byte* bytes, std::int64_t elements) {
  const std::int64_t from = std::max(done_, part.from);
  const std::int64_t until = std::min(done_ + elements, part.until);
  if (from >= until) return;
  const auto* begin = bytes + static_cast<std::size_t>(from - done_) * element_bytes_;
  const auto size = static_cast<std::size_t>(until - from) * element_bytes_;
  if (from == part.from && until == part.until) {
    part.digest = XXH3_64bits(begin, size);  // in one piece: no state to set up
    return;
  }
  if (from == part.from) {
    XXH3_64bits_reset(&part.state);
    part.streams = true;
  }
  XXH3_64bits_update(&part.state, begin, size);
}

Digests Digester::finish() {
  const auto of = [](const Part& part) {
    return part.streams ? XXH3_64bits_digest(&part.state) : part.digest;
  };
  Digests digests;
  digests.whole = of(parts_[0]);
  if (used_ > 1) {
    digests.head = of(parts_[1]);
    digests.tail = of(parts_[2]);
    digests.after = of(parts_[3]);
  }
  return digests;
}

}  // namespace allprove::oracle
