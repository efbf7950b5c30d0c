#include "backends/mutant/mutants.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "framework/base/random.h"
#include "framework/oracle/divide.h"

namespace allprove::mutant {
namespace {

// Makes an element wrong whatever its type is.
void spoil(std::byte* data, Dtype dtype, std::int64_t element) {
  const auto bytes = size_of(dtype);
  auto* const at = data + static_cast<std::size_t>(element) * bytes;
  for (std::size_t i = 0; i < bytes; ++i) at[i] = ~at[i];
}

void spoil_output(const MutantCall& call, std::int64_t element = 0) {
  if (element < 0 || element >= call.arguments.receive.count) return;
  spoil(call.output().data(), call.arguments.dtype, element);
}

void spoil_output_if(const MutantCall& call, bool condition) {
  if (condition) spoil_output(call);
}

// Calls f(value) on every element of the output, which it may change. Plain numbers only.
template <class F>
void for_elements(const MutantCall& call, F f) {
  if (!traits_of(call.arguments.dtype).plain) return;
  for_dtype(call.arguments.dtype, [&]<class T>() {
    const auto output = call.output();
    for (std::size_t at = 0; at < output.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, output.data() + at, sizeof value);
      f(value);
      std::memcpy(output.data() + at, &value, sizeof value);
    }
  });
}

std::vector<int> positions_up_to(int size) {
  std::vector<int> positions(static_cast<std::size_t>(size));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

// An all-reduce over the inputs of these positions, in this order.
LibraryStatus reduce_over(const MutantCall& call, const std::vector<int>& positions) {
  const auto data = call.output();
  std::copy(call.now.input.begin(), call.now.input.end(), data.begin());
  reference::all_reduce_over(call.members(), data, call.arguments.dtype, call.arguments.op,
                             positions);
  return {};
}

LibraryStatus reduce_backwards_if(const MutantCall& call, bool backwards) {
  auto positions = positions_up_to(call.ranks());
  if (backwards) std::reverse(positions.begin(), positions.end());
  return reduce_over(call, positions);
}

// True on all members when it is true on all.
bool all_members(const MutantCall& call, bool mine) {
  const std::byte flag{mine};
  call.members().exchange(std::span(&flag, 1));
  for (int position = 0; position < call.ranks(); ++position) {
    if (*call.members().chunk(position) == std::byte{0}) return false;
  }
  return true;
}

// ---- bugs of the sum

void averages(const MutantCall& call) {
  if (!call.is_sum()) return;
  divide_by_size(call.arguments.dtype, call.output().data(), call.arguments.receive.count, call.ranks());
}

// Holds in 16 bits, at both ends, what does not fit into 8.
LibraryStatus saturates(const MutantCall& call) {
  const auto data = call.output();
  const bool small = call.arguments.dtype == Dtype::int8 && data.size() <= reference::kChunkBytes;
  if (!small || !call.is_sum()) return reduce_backwards_if(call, false);
  call.members().exchange(call.now.input);
  for (std::size_t i = 0; i < data.size(); ++i) {
    int sum = 0;
    for (int position = 0; position < call.ranks(); ++position) {
      sum += static_cast<std::int8_t>(call.members().chunk(position)[i]);
    }
    data[i] = static_cast<std::byte>(std::clamp(sum, -128, 127));
  }
  return {};
}

LibraryStatus drops_last_rank(const MutantCall& call) {
  const bool all = std::has_single_bit(static_cast<unsigned>(call.ranks()));
  return reduce_over(call, positions_up_to(all ? call.ranks() : call.ranks() - 1));
}

LibraryStatus counts_rank_twice(const MutantCall& call) {
  auto positions = positions_up_to(call.ranks());
  if (call.ranks() >= 3) positions.push_back(0);
  return reduce_over(call, positions);
}

void zeroes_nan(const MutantCall& call) {
  for_elements(call, [](auto& value) {
    if constexpr (std::is_floating_point_v<std::remove_reference_t<decltype(value)>>) {
      if (std::isnan(value)) value = 0;
    }
  });
}

LibraryStatus ranks_disagree(const MutantCall& call) {
  return reduce_backwards_if(call, call.on_last_rank());
}

LibraryStatus not_repeatable(const MutantCall& call) {
  return reduce_backwards_if(call, call.before.number() % 2 == 1);
}

// ---- bugs of some calls

void tail_wrong(const MutantCall& call) {
  const auto count = call.arguments.receive.count;
  for (auto element = count - count % 4; element < count; ++element) spoil_output(call, element);
}

void last_rank_wrong(const MutantCall& call) { spoil_output_if(call, call.on_last_rank()); }

void duplicate_only_wrong(const MutantCall& call) {
  spoil_output_if(call, call.communicator.kind == GroupKind::duplicate);
}

void wrong_after_100(const MutantCall& call) { spoil_output_if(call, call.before.number() >= 100); }

void one_in_50(const MutantCall& call) {
  spoil_output_if(call, hash_at(50, static_cast<std::uint64_t>(call.before.number())) % 50 == 0);
}

// ---- bugs of the memory

void changes_input(const MutantCall& call) {
  if (call.arguments.in_place || call.arguments.receive.count == 0) return;
  spoil(call.arguments.send.data, call.arguments.dtype, 0);
}

void writes_past_end(const MutantCall& call) {
  if (call.arguments.receive.count > 0)
    spoil(call.output().data(), call.arguments.dtype, call.arguments.receive.count);
}

void writes_before_start(const MutantCall& call) {
  if (call.arguments.receive.count > 0) spoil(call.output().data(), call.arguments.dtype, -1);
}

// ---- bugs that show in a call that is related to an earlier one

void in_place_wrong(const MutantCall& call) {
  spoil_output_if(call, call.arguments.in_place && call.before.any([&](const PastCall& earlier) {
    return !earlier.in_place && earlier.mode == call.now.mode && same_inputs(call.now, earlier);
  }));
}

void nonblocking_wrong(const MutantCall& call) {
  const bool nonblocking = call.arguments.mode == Mode::nonblocking;
  spoil_output_if(call, nonblocking && call.before.any([&](const PastCall& earlier) {
    return earlier.mode == Mode::blocking && earlier.in_place == call.now.in_place &&
           same_inputs(call.now, earlier);
  }));
}

void order_dependent(const MutantCall& call) {
  spoil_output_if(call, call.before.any([&](const PastCall& earlier) {
    return same_inputs_elsewhere(call.now, earlier);
  }));
}

void nonlinear(const MutantCall& call) {
  spoil_output_if(call, all_members(call, call.before.any([&](const PastCall& earlier) {
                    return scaled_inputs(call.now, earlier);
                  })));
}

void neighbour_bleeds(const MutantCall& call) {
  std::int64_t altered = -1;
  const bool mine = call.before.any([&](const PastCall& earlier) {
    altered = altered_element(call.now, earlier);
    return altered >= 0;
  });
  if (!all_members(call, mine)) return;
  spoil_output(call, altered + 1 < call.arguments.receive.count ? altered + 1 : altered - 1);
}

void split_wrong(const MutantCall& call) {
  spoil_output_if(call, all_members(call, call.before.any([&](const PastCall& earlier) {
                    return begins_with(call.now, earlier) || ends(call.now, earlier);
                  })));
}

// ---- bugs that do not leave a result

LibraryStatus hangs_sometimes(const MutantCall& call) {
  while (call.arguments.receive.count == 7 && call.members().position() == 1) pause();
  return reduce_backwards_if(call, false);
}

LibraryStatus crashes(const MutantCall& call) {
  if (call.arguments.receive.count == 13 && call.on_last_rank()) raise(SIGSEGV);
  return reduce_backwards_if(call, false);
}

LibraryStatus exits(const MutantCall& call) {
  if (call.arguments.receive.count == 11 && call.on_last_rank()) _exit(3);
  return reduce_backwards_if(call, false);
}

LibraryStatus errors(const MutantCall& call) {
  if (call.arguments.receive.count == 17) return {16, "seventeen elements are too many"};
  return reduce_backwards_if(call, false);
}

// A bug in the place of the right call, and one after it.
constexpr Mutant row(std::string_view name, std::string_view caught_by, std::string_view about,
                     LibraryStatus (*instead)(const MutantCall&)) {
  return {name, about, caught_by, instead, nullptr};
}
constexpr Mutant row(std::string_view name, std::string_view caught_by, std::string_view about,
                     void (*after)(const MutantCall&)) {
  return {name, about, caught_by, nullptr, after};
}

constexpr Mutant kMutants[] = {
    row("averages", "mean_needs_division", "A sum is divided by the number of ranks.", averages),
    row("drops_last_rank", "matches_reference",
        "The last rank's input is left out where the size is no power of two.", drops_last_rank),
    row("counts_rank_twice", "matches_reference",
        "The first rank's input counts twice among three ranks or more.", counts_rank_twice),
    row("saturates", "matches_reference", "Sums of int8 stop at the ends of the type's range.",
        saturates),
    row("zeroes_nan", "matches_reference", "A NaN in the result becomes 0.", zeroes_nan),
    row("tail_wrong", "matches_reference", "The last count % 4 elements are wrong.", tail_wrong),
    row("last_rank_wrong", "matches_reference", "The first element is wrong on the last rank.",
        last_rank_wrong),
    row("duplicate_only_wrong", "matches_reference",
        "The first element is wrong on duplicated communicators.", duplicate_only_wrong),
    row("wrong_after_100", "matches_reference",
        "The first element is wrong from the 101st call of a communicator on.", wrong_after_100),
    row("one_in_50", "matches_reference", "The first element is wrong in about one call of fifty.",
        one_in_50),
    row("changes_input", "input_untouched", "The first element of the send buffer is changed.",
        changes_input),
    row("writes_past_end", "guard_intact", "The element behind the output is written.",
        writes_past_end),
    row("writes_before_start", "guard_intact", "The element before the output is written.",
        writes_before_start),
    row("ranks_disagree", "ranks_agree",
        "The last rank adds in the opposite order: floats differ in rounding.", ranks_disagree),
    row("not_repeatable", "repeatable",
        "Every other call adds in the opposite order: floats differ in rounding.", not_repeatable),
    row("in_place_wrong", "in_place_equals_out_of_place",
        "A call in place is wrong after the same one out of place.", in_place_wrong),
    row("nonblocking_wrong", "nonblocking_equals_blocking",
        "A nonblocking call is wrong after the same blocking one.", nonblocking_wrong),
    row("order_dependent", "permutation_invariant",
        "A call is wrong after one with the same inputs on other ranks.", order_dependent),
    row("nonlinear", "scaling_linear",
        "A call is wrong after one whose inputs were a fraction of its own.", nonlinear),
    row("neighbour_bleeds", "elementwise",
        "After a call that differed in one input, the element beside it is wrong.",
        neighbour_bleeds),
    row("split_wrong", "split_equals_whole",
        "A call is wrong after one on a part of its buffer, or on more than it.", split_wrong),
    row("hangs_sometimes", "completes", "The second rank never returns from a call on 7 elements.",
        hangs_sometimes),
    row("crashes", "completes", "The last rank crashes in a call on 13 elements.", crashes),
    row("exits", "completes", "The last rank exits in a call on 11 elements.", exits),
    row("errors", "completes", "A call on 17 elements returns an error.", errors),
};

}  // namespace

std::span<const Mutant> all_mutants() { return kMutants; }

const Mutant* find_mutant(std::string_view name) {
  for (const auto& mutant : kMutants) {
    if (mutant.name == name) return &mutant;
  }
  return nullptr;
}

}  // namespace allprove::mutant
