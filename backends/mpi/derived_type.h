// Layouts (framework/model/layout.h) as derived data types of MPI, each made by the constructor
// that its kind is named after. Calls MPI: between its initialisation and its end.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <utility>

#include "framework/model/layout.h"

namespace allprove {

// Owns a data type that is not a predefined one.
class DerivedType {
 public:
  DerivedType() = default;
  explicit DerivedType(MPI_Datatype owned) : handle_(owned) {}
  DerivedType(DerivedType&& other) noexcept
      : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)) {}
  DerivedType& operator=(DerivedType&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  DerivedType(const DerivedType&) = delete;
  DerivedType& operator=(const DerivedType&) = delete;
  ~DerivedType() {
    if (handle_ != MPI_DATATYPE_NULL) MPI_Type_free(&handle_);
  }

  MPI_Datatype get() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

// Makes and commits the type of one item of `elements` elements of a predefined type. The layout is
// not dense. Returns MPI's code; `made` is empty when it is not MPI_SUCCESS.
int make_derived_type(const Layout& layout, MPI_Datatype basic, std::int64_t elements,
                      DerivedType& made);

// The types used last, since making one costs more than a small collective. Not thread-safe. Must
// be cleared or gone before MPI ends.
class DerivedTypes {
 public:
  static constexpr std::size_t kKeptMax = 32;

  // The type of a layout: `basic` itself where it is dense. The handle is good for kKeptMax - 1
  // further finds; a call that has been started with it may take longer (MPI 4.0, 5.1.9).
  int find(const Layout& layout, MPI_Datatype basic, std::int64_t elements, MPI_Datatype& type);

  void clear() { kept_.clear(); }
  std::size_t size() const { return kept_.size(); }

 private:
  // Of a layout, what its type depends on.
  struct Key {
    LayoutKind kind;
    int gap;
    std::uint64_t seed;
    std::int64_t elements;
    MPI_Datatype basic;
    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key;
    DerivedType type;
  };
  std::deque<Entry> kept_;  // the one used last is at the back
};

}  // namespace allprove
