// Layouts: derived data types, in which the elements of a block lie apart in the buffer. A layout
// is a plain value; where its elements lie follows from it alone, on every rank and without a
// library.
//
// An *item* is one instance of the data type: some elements, at offsets from the item's *origin*.
// The offsets may be negative and in any order; no two elements overlap. Items lie `extent` bytes
// apart, origin to origin, and no element of one lies between two of another. Lower bound, extent
// and type map mean what they mean in MPI 4.0, 5.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/base/result.h"

namespace allprove {

// Each but `dense` is named after the constructor of MPI that makes it.
enum class LayoutKind {
  dense,       // the basic type itself
  contiguous,  // one run of elements
  vector,      // runs of one length at one stride, which may be negative
  indexed,     // runs of unequal lengths at unequal places, in any order
  structure,   // the same, ascending; the first run starts behind the origin
  resized,     // a run or a vector with room around it: before, behind or both
  subarray,    // a rectangle of a larger matrix, row by row
};

constexpr auto enum_names(LayoutKind) {
  return std::to_array<std::string_view>(
      {"dense", "contiguous", "vector", "indexed", "structure", "resized", "subarray"});
}

struct Layout {
  LayoutKind kind = LayoutKind::dense;
  std::int64_t items = 0;  // elements of one item; 0: a whole block is one item, where it can be
  int gap = 0;             // the most elements that are left free in one place
  std::uint64_t seed = 0;  // of the lengths, places and orders that the kind leaves open
  std::uint64_t ranks = ~std::uint64_t{0};  // bit (position modulo 64): uses it; others: dense

  bool operator==(const Layout&) const = default;
};

inline constexpr std::int64_t kItemElementsMax = std::int64_t{1} << 20;
inline constexpr int kLayoutGapMax = 16;

// A usage error that begins with the field's name.
Status validate(const Layout& layout);

// The layout that a position uses: this one, or the dense one.
Layout layout_at(const Layout& layout, int position);

// Elements of one item when blocks of these sizes are placed: `items` where it divides them all.
// With `items` 0 the common size of all blocks that are not empty, if they have one. Else, and for
// the dense layout, 1.
std::int64_t elements_per_item(const Layout& layout, std::span<const std::int64_t> block_counts);

// One item in units of elements: what both the type map and the arguments of a library's
// constructor are made from.
struct ItemShape {
  struct Run {
    std::int64_t at = 0;  // of its first element, from the origin
    std::int64_t elements = 0;
  };
  std::vector<Run> runs;  // in the order of the elements
  std::int64_t lower_bound = 0;
  std::int64_t extent = 0;
  bool in_bytes = false;           // whether a constructor that takes bytes should be used
  std::array<int, 2> matrix = {};  // subarray: rows and columns of the matrix,
  std::array<int, 2> corner = {};  // and the first row and column of the rectangle
};
// The layout is valid, and elements in 1 to kItemElementsMax.
ItemShape item_shape(const Layout& layout, std::int64_t elements);

struct TypeMap {
  std::vector<std::int64_t> offsets;  // bytes from the origin to each element of one item
  std::int64_t lower_bound = 0;       // bytes
  std::int64_t extent = 0;            // bytes
  std::size_t element_bytes = 0;

  std::int64_t elements() const { return static_cast<std::int64_t>(offsets.size()); }
  bool operator==(const TypeMap&) const = default;
};
TypeMap type_map(const Layout& layout, std::size_t element_bytes, std::int64_t elements_per_item);

// The bytes of consecutive items, from the origin of the first: where their first element starts
// (negative where elements lie before the origin) and where the last one ends. Both 0 without
// items.
std::int64_t first_byte(const TypeMap& map, std::int64_t items);
std::int64_t end_byte(const TypeMap& map, std::int64_t items);

// Whether any number of items is one run of elements, in order and without a hole.
bool is_dense(const TypeMap& map);

}  // namespace allprove
