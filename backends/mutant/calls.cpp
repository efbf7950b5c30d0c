// Bugs in some calls: on some ranks, by length, alignment, number or chance.
#include <random>

#include "backends/mutant/bugs.h"
#include "framework/base/random.h"

namespace allprove::mutant {
namespace {

void tail_wrong(MutantCall& call) {
  const auto count = call.elements();
  for (auto element = count - count % 4; element < count; ++element) spoil_result(call, element);
}

void last_rank_wrong(MutantCall& call) { spoil_result_if(call, call.on_last_rank()); }

void wrong_after_100(MutantCall& call) { spoil_result_if(call, call.life->calls >= 100); }

void one_in_50(MutantCall& call) {
  spoil_result_if(call, hash_at(50, static_cast<std::uint64_t>(call.life->calls)) % 50 == 0);
}

void unaligned_wrong(MutantCall& call) {
  const auto address = reinterpret_cast<std::uintptr_t>(call.arguments.receive.data);
  spoil_result_if(call, address % 16 != 0);
}

void at_random(MutantCall& call) {
  if (std::random_device()() % 50 == 0) spoil_result(call);
}

void large_wrong(MutantCall& call) {
  if (call.result().size() > 8192) spoil_result(call, call.elements() / 2);
}

constexpr Mutant kBugs[] = {
    row("tail_wrong", "matches_reference", "The last count % 4 elements are wrong.",
        {Collective::all_reduce}, Moment::result, tail_wrong),
    row("last_rank_wrong", "matches_reference", "The first element is wrong on the last rank.",
        {Collective::all_reduce}, Moment::result, last_rank_wrong),
    row("wrong_after_100", "matches_reference",
        "The first element is wrong from the 101st call of a communicator on.", kWithData,
        Moment::result, wrong_after_100),
    row("one_in_50", "matches_reference", "The first element is wrong in about one call of fifty.",
        kWithData, Moment::result, one_in_50),
    row("at_random", "matches_reference",
        "The first element is wrong by chance, once in fifty, on any rank.", kWithData,
        Moment::result, at_random),
    row("unaligned_wrong", "matches_reference",
        "The first element is wrong where the receive buffer is not aligned to 16 bytes.",
        {Collective::scan}, Moment::result, unaligned_wrong),
    row("large_wrong", "matches_reference",
        "The element in the middle is wrong in results of more than 8,192 bytes.", kWithData,
        Moment::result, large_wrong),
};

}  // namespace

std::span<const Mutant> call_bugs() { return kBugs; }

}  // namespace allprove::mutant
