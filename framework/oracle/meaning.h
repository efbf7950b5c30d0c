// What a collective means: which positions give an input, which hold an output afterwards, and from
// whose inputs each output comes. A new collective is a row here.
#pragma once

#include <vector>

#include "framework/model/blocks.h"
#include "framework/oracle/input.h"

namespace allprove::oracle {

BlockSizes sizes_of(const Call& call);
bool gives_input(const Call& call, int position);
bool holds_output(const Call& call, int position);

// Element i of (a piece of) an output comes from element i of these sources: their reduction by
// `op`, or the one source itself where elements are only moved.
struct Question {
  std::vector<Source> sources;
  Op op = Op::sum;
  bool reduces = true;
  int divisor = 1;  // the caller divides the result by it

  // Whether the sources differ in nothing but their ids, so that closed forms speak of them.
  bool uniform() const;
};

// Elements [begin, begin + count) of an output, which one question is about; its elements count
// from `begin`.
struct Piece {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  Question question;
};

// Elements of the output that the pieces make up.
std::int64_t total_of(const std::vector<Piece>& pieces);

// Whether all members must find the same.
bool all_hold_the_same(Collective collective);

// The pieces of a position's output, in order; all of it. Position p gives its input of calls[p];
// the calls differ in their data alone.
std::vector<Piece> pieces_of(std::span<const Call> calls, int position);
// The same where all positions make the same call. Reuses the memory of `pieces`.
void find_pieces(const Call& call, int position, std::vector<Piece>& pieces);

}  // namespace allprove::oracle
