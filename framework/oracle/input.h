// What a rank puts into a collective: the families of data.h as a function of (rank, element).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/oracle/oracle.h"

namespace allprove::oracle {

// Families keep floats in range for a given number of ranks, in these steps only: removing a rank
// leaves the others' inputs as they were as long as the class stays.
enum class SizeClass { up_to_8, up_to_16, larger };

// Everything that decides the inputs of one position of one call.
struct Source {
  Family family = Family::ramp;
  Op op = Op::sum;
  bool reduces = true;  // false: any numbers do (moved ones, operands of users' operators)
  std::uint64_t seed = 0;
  int id = 0;
  SizeClass size = SizeClass::up_to_8;
  std::int64_t first = 0;
  int scale = 0;                     // 0 where it has no meaning
  std::int64_t altered_at = kNoCut;  // element of the operation

  bool operator==(const Source&) const = default;
};

// The source of a position's inputs; and of those of a position from which the caller gets
// something, which on an intercommunicator is one of the other side.
Source source_of(const Call& call, int position);
Source source_from(const Call& call, int position);

bool has_user_operator(const Call& call);

// Whether Data::scale means something: the result then scales as the inputs do. Elsewhere it is
// taken as 0.
bool can_scale(const Call& call);

// Numbers that all ranks share: one per element, from the seed. Kept while the same ones are asked
// for, and memory that kernels use for a moment.
class Workspace {
 public:
  // Of elements first + [0, count), modulo the period. Valid until the next call.
  std::span<const std::uint32_t> hashes(std::uint64_t seed, std::int64_t first, std::int64_t count);

 private:
  std::uint64_t seed_ = 0;
  std::int64_t first_ = -1;
  std::vector<std::uint32_t> hashes_;
};

// Inputs of the operation's elements [begin, begin + count), count <= kTilePeriod, as if none was
// altered.
template <class T>
void make_inputs(const Source& source, std::int64_t begin, std::int64_t count, Workspace& workspace,
                 T* to);

// The element of the family, before the tile repeats, whose number the source gives at the
// operation's element: another one where it is altered.
std::int64_t family_element(const Source& source, std::int64_t element);

// The input of one element, altered if it is that one.
template <class T>
T make_input(const Source& source, std::int64_t element, Workspace& workspace);

// Multiplies by the unit of Data::scale, and undoes it.
template <class T>
void apply_scale(T* data, std::int64_t count, int scale);
template <class T>
void undo_scale(T* data, std::int64_t count, int scale);

}  // namespace allprove::oracle
