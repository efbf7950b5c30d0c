// Where the elements of one buffer lie: the way between the *packed* array (block after block,
// element after element, as the oracle has it) and the buffer as the library sees it, and a watch
// on the *gaps*: the bytes between the first element and the last that belong to none.
//
// Places are bytes from the base pointer that the library is given. Elements may lie before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "framework/model/layout.h"

namespace allprove {

// Consecutive items in the buffer.
struct PlacedBlock {
  std::int64_t displacement = 0;  // bytes from the base to the origin of the first item
  std::int64_t items = 0;
};

// Blocks of these elements at these displacements, counted in extents of the item, as the
// v-variants of the collectives have it. Each count must be a multiple of the item's elements.
std::vector<PlacedBlock> placed_by_extent(const TypeMap& map, std::span<const std::int64_t> counts,
                                          std::span<const std::int64_t> displacements);

struct GapDamage {
  std::int64_t bytes = 0;  // changed
  std::int64_t place = 0;  // of the first of them
  bool operator==(const GapDamage&) const = default;
};

class Placement {
 public:
  // In the order of the packed array. The items of two blocks must not overlap, bounds included
  // (InternalError): whole extents lie apart.
  Placement(const TypeMap& map, std::vector<PlacedBlock> blocks);

  // The buffer is [base + first_byte(), base + end_byte()); both 0 without elements.
  std::int64_t first_byte() const { return first_byte_; }
  std::int64_t end_byte() const { return end_byte_; }
  std::int64_t packed_bytes() const { return packed_bytes_; }

  // Whether the buffer is the packed array, byte for byte.
  bool has_gaps() const { return end_byte_ - first_byte_ != packed_bytes_; }

  void scatter(const std::byte* packed, std::byte* base) const;
  void gather(const std::byte* base, std::byte* packed) const;

  // Fills the gaps, and finds what has been written there since. Elements are not touched. Buffers
  // between which a library may copy should have different salts, so that gaps that it copied along
  // do not look untouched.
  void arm_gaps(std::byte* base, unsigned salt) const;
  GapDamage inspect_gaps(const std::byte* base, unsigned salt) const;

 private:
  // Elements of one item that are consecutive in the packed array and in the buffer, in bytes.
  struct Run {
    std::int64_t from = 0;  // in the packed item
    std::int64_t at = 0;    // from the origin
    std::int64_t bytes = 0;
  };

  void add_runs(const TypeMap& map);
  void set_bounds(const TypeMap& map);
  template <class F>
  void for_each_piece(F&& copy) const;
  template <class F>
  void for_each_gap(F&& visit) const;

  std::vector<PlacedBlock> blocks_;
  std::vector<std::size_t> ascending_;  // the blocks that have items, by place
  std::vector<Run> runs_;               // of one item; a dense item counts as one run without end
  std::vector<Run> runs_by_place_;
  std::int64_t item_bytes_ = 0;  // packed
  std::int64_t extent_ = 0;
  std::int64_t first_byte_ = 0;
  std::int64_t end_byte_ = 0;
  std::int64_t packed_bytes_ = 0;
  bool dense_item_ = false;
};

}  // namespace allprove
