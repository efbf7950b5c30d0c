#include "backends/mpi/derived_type.h"

#include <algorithm>
#include <array>
#include <vector>

#include "framework/base/check.h"

namespace allprove {
namespace {

// The runs of an item as the arguments of MPI's constructors.
struct Runs {
  explicit Runs(const ItemShape& shape, MPI_Aint element_bytes) {
    for (const auto& run : shape.runs) {
      lengths.push_back(static_cast<int>(run.elements));
      places.push_back(static_cast<int>(run.at));
      byte_places.push_back(static_cast<MPI_Aint>(run.at) * element_bytes);
    }
  }
  int size() const { return static_cast<int>(lengths.size()); }
  int stride() const { return size() < 2 ? 0 : places[1] - places[0]; }

  std::vector<int> lengths;
  std::vector<int> places;  // in elements
  std::vector<MPI_Aint> byte_places;
};

struct Basic {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint bytes = 0;  // from one element to the next
};

// One run, or runs of one length at one stride.
int make_regular(const ItemShape& shape, const Runs& runs, Basic basic, MPI_Datatype* made) {
  const int length = runs.lengths.front();
  if (shape.in_bytes) {
    return MPI_Type_create_hvector(runs.size(), length, runs.stride() * basic.bytes, basic.type,
                                   made);
  }
  return MPI_Type_vector(runs.size(), length, runs.stride(), basic.type, made);
}

int make_indexed(const ItemShape& shape, const Runs& runs, Basic basic, MPI_Datatype* made) {
  if (shape.in_bytes) {
    return MPI_Type_create_hindexed(runs.size(), runs.lengths.data(), runs.byte_places.data(),
                                    basic.type, made);
  }
  return MPI_Type_indexed(runs.size(), runs.lengths.data(), runs.places.data(), basic.type, made);
}

// Every other run is a single element of a contiguous type, so that the members' types differ.
int make_structure(const Runs& runs, Basic basic, MPI_Datatype* made) {
  const auto count = runs.lengths.size();
  std::vector<DerivedType> nested(count);
  std::vector<MPI_Datatype> types(count, basic.type);
  auto lengths = runs.lengths;
  for (std::size_t i = 1; i < count; i += 2) {
    const int code = MPI_Type_contiguous(lengths[i], basic.type, &types[i]);
    if (code != MPI_SUCCESS) return code;
    nested[i] = DerivedType(types[i]);
    lengths[i] = 1;
  }
  return MPI_Type_create_struct(runs.size(), lengths.data(), runs.byte_places.data(), types.data(),
                                made);
}

int make_resized(const ItemShape& shape, const Runs& runs, Basic basic, MPI_Datatype* made) {
  MPI_Datatype regular = MPI_DATATYPE_NULL;
  const int code = make_regular(shape, runs, basic, &regular);
  if (code != MPI_SUCCESS) return code;
  const DerivedType inner(regular);
  return MPI_Type_create_resized(inner.get(), shape.lower_bound * basic.bytes,
                                 shape.extent * basic.bytes, made);
}

int make_subarray(const ItemShape& shape, const Runs& runs, Basic basic, MPI_Datatype* made) {
  const std::array<int, 2> rectangle = {runs.size(), runs.lengths.front()};
  return MPI_Type_create_subarray(2, shape.matrix.data(), rectangle.data(), shape.corner.data(),
                                  MPI_ORDER_C, basic.type, made);
}

int make(LayoutKind kind, const ItemShape& shape, const Runs& runs, Basic basic,
         MPI_Datatype* made) {
  switch (kind) {
    case LayoutKind::dense:
      break;
    case LayoutKind::contiguous:
      return MPI_Type_contiguous(runs.lengths.front(), basic.type, made);
    case LayoutKind::vector:
      return make_regular(shape, runs, basic, made);
    case LayoutKind::indexed:
      return make_indexed(shape, runs, basic, made);
    case LayoutKind::structure:
      return make_structure(runs, basic, made);
    case LayoutKind::resized:
      return make_resized(shape, runs, basic, made);
    case LayoutKind::subarray:
      return make_subarray(shape, runs, basic, made);
  }
  return MPI_ERR_TYPE;
}

}  // namespace

int make_derived_type(const Layout& layout, MPI_Datatype basic, std::int64_t elements,
                      DerivedType& made) {
  ALLPROVE_CHECK(layout.kind != LayoutKind::dense);
  const auto shape = item_shape(layout, elements);
  MPI_Aint lower_bound = 0;
  MPI_Aint bytes = 0;
  int code = MPI_Type_get_extent(basic, &lower_bound, &bytes);
  if (code != MPI_SUCCESS) return code;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  code = make(layout.kind, shape, Runs(shape, bytes), {basic, bytes}, &handle);
  if (code != MPI_SUCCESS) return code;
  DerivedType type(handle);
  code = MPI_Type_commit(&handle);
  if (code == MPI_SUCCESS) made = std::move(type);
  return code;
}

int DerivedTypes::find(const Layout& layout, MPI_Datatype basic, std::int64_t elements,
                       MPI_Datatype& type) {
  type = basic;
  if (layout.kind == LayoutKind::dense) return MPI_SUCCESS;
  const Key key{layout.kind, layout.gap, layout.seed, elements, basic};
  const auto found = std::ranges::find(kept_, key, &Entry::key);
  if (found != kept_.end()) {
    std::rotate(found, found + 1, kept_.end());
  } else {
    Entry entry{key, {}};
    const int code = make_derived_type(layout, basic, elements, entry.type);
    if (code != MPI_SUCCESS) return code;
    kept_.push_back(std::move(entry));
    if (kept_.size() > kKeptMax) kept_.pop_front();
  }
  type = kept_.back().type.get();
  return MPI_SUCCESS;
}

}  // namespace allprove
