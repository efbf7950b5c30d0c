#include "framework/search/series.h"

#include <algorithm>

#include "framework/base/enum_table.h"
#include "framework/search/edit.h"

namespace allprove {
namespace {

constexpr std::int64_t kFewElements = 32;

// Requests that are under way together. A persistent one is started again and again.
int draw_window(const Operation& call, RandomStream& stream) {
  return call.mode == Mode::nonblocking ? static_cast<int>(stream.between(1, 4)) : 1;
}

Operation of_kind(OperationKind kind, const Operation& call) {
  Operation operation;
  operation.kind = kind;
  operation.thread = call.thread;
  return operation;
}

void append_renewal(std::vector<Operation>& program, const Operation& call) {
  for (const auto kind : {OperationKind::comm_free, OperationKind::comm_create}) {
    program.push_back(of_kind(kind, call));
    program.back().group = call.group;
  }
}

}  // namespace

void make_small(Operation& call, RandomStream& stream) {
  if (largest_block(call) <= kFewElements) return;
  call.counts.clear();
  call.shape = {stream.between(1, kFewElements)};
  whole_operands(call);
}

std::vector<Operation> series_of(Operation call, int calls_max, RandomStream& stream) {
  const bool starts = call.mode != Mode::blocking;
  const bool renews =
      call.group != 0 && call.thread == 0 && call.mode != Mode::persistent && stream.chance(1, 3);
  const auto calls = stream.between((calls_max + 3) / 4, calls_max) / (renews ? 4 : 1);
  const int window = draw_window(call, stream);
  if (starts) call.kind = OperationKind::start;
  call.skew = 0;
  std::vector<Operation> program;
  for (std::int64_t made = 0; made < calls; made += window) {
    if (renews) append_renewal(program, call);
    const auto begin = program.size();
    for (std::int64_t i = made; i < std::min(made + window, calls); ++i) {
      if (traits_of(call.collective).moves_data) call.data.seed = stream.next();
      if (starts) call.request = call.mode == Mode::persistent ? 0 : static_cast<int>(i);
      program.push_back(call);
    }
    const auto end = starts ? program.size() : begin;
    for (auto i = begin; i < end; ++i) {
      program.push_back(of_kind(OperationKind::wait, call));
      program.back().request = program[i].request;
    }
  }
  return program;
}

}  // namespace allprove
