// Digests of a buffer given piece by piece: of all of it, and of the parts beside a cut.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "framework/model/history.h"

namespace allprove::oracle {

class Digester {
 public:
  // A buffer of `count` elements of `element_bytes`; `cut` is kNoCut or an element of it.
  void begin(std::int64_t count, std::int64_t cut, std::size_t element_bytes);
  // The next `elements` of it.
  void add(const std::byte* bytes, std::int64_t elements);
  // Once all have been given.
  Digests finish();

 private:
  struct Part {
    std::int64_t from = 0;
    std::int64_t until = 0;
    bool streams = false;      // its elements came in more than one piece
    std::uint64_t digest = 0;  // else
    XXH3_state_t state;
  };
  void add_to(Part& part, const std::byte* bytes, std::int64_t elements);

  std::array<Part, 4> parts_;  // whole, head, tail, after
  std::size_t used_ = 1;       // of the parts
  std::int64_t done_ = 0;
  std::size_t element_bytes_ = 1;
};

}  // namespace allprove::oracle
