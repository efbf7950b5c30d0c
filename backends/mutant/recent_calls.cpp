#include "backends/mutant/recent_calls.h"

#include <algorithm>
#include <bitset>
#include <cstring>

#include "framework/base/random.h"

namespace allprove::mutant {
namespace {

constexpr std::size_t kRememberedCalls = 24;
constexpr std::size_t kTellingBytes = 6;  // different ones

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::uint64_t hash = bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash = mix64(hash ^ word);
  }
  return hash;
}

bool is_telling(std::span<const std::byte> input) {
  std::bitset<256> seen;
  for (const auto byte : input) seen.set(static_cast<std::size_t>(byte));
  return seen.count() >= kTellingBytes;
}

bool comparable(const PastCall& a, const PastCall& b) {
  return a.dtype == b.dtype && a.op == b.op && a.telling && b.telling;
}

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Whether every element is the earlier one multiplied by k, as the oracle scales: integers wrap.
template <class T>
bool is_multiple(std::span<const std::byte> now, std::span<const std::byte> before, int k) {
  bool changed = false;
  for (std::size_t at = 0; at < now.size(); at += sizeof(T)) {
    T a;
    T b;
    std::memcpy(&a, now.data() + at, sizeof a);
    std::memcpy(&b, before.data() + at, sizeof b);
    T product;
    if constexpr (std::is_floating_point_v<T>) {
      product = b * static_cast<T>(k);
    } else {
      product = static_cast<T>(static_cast<std::uint64_t>(b) * static_cast<std::uint64_t>(k));
    }
    if (!(product == a)) return false;
    changed |= !(a == b);
  }
  return changed;
}

}  // namespace

PastCall describe_call(const CollectiveArguments& arguments, const reference::PackedCall& packed,
                       reference::Members& members) {
  PastCall call;
  call.mode = arguments.mode;
  call.dtype = arguments.dtype;
  call.op = arguments.op;
  call.in_place = arguments.in_place;
  call.input = packed.input;
  call.telling = is_telling(call.input);
  const auto hash = hash_of(call.input);
  members.exchange(std::as_bytes(std::span(&hash, 1)));
  call.hashes.resize(static_cast<std::size_t>(members.size()));
  for (int position = 0; position < members.size(); ++position) {
    std::memcpy(&call.hashes[static_cast<std::size_t>(position)], members.chunk(position),
                sizeof hash);
  }
  return call;
}

bool same_inputs(const PastCall& call, const PastCall& earlier) {
  return comparable(call, earlier) && call.hashes == earlier.hashes;
}

bool same_inputs_elsewhere(const PastCall& call, const PastCall& earlier) {
  auto sorted = call.hashes;
  auto earlier_sorted = earlier.hashes;
  std::sort(sorted.begin(), sorted.end());
  std::sort(earlier_sorted.begin(), earlier_sorted.end());
  return comparable(call, earlier) && call.hashes != earlier.hashes && sorted == earlier_sorted;
}

bool scaled_inputs(const PastCall& call, const PastCall& earlier) {
  const auto bytes = call.input.size();
  if (!comparable(call, earlier) || bytes != earlier.input.size()) return false;
  if (!traits_of(call.dtype).plain) return false;
  // What inputs are scaled by: integers by small odd numbers, floats by small powers of two.
  return for_dtype(call.dtype, [&]<class T>() {
    constexpr bool kRounds = std::is_floating_point_v<T>;
    for (int k = kRounds ? 2 : 3; k <= (kRounds ? 256 : 17); k = kRounds ? 2 * k : k + 2) {
      if (is_multiple<T>(call.input, earlier.input, k)) return true;
    }
    return false;
  });
}

bool begins_with(const PastCall& call, const PastCall& earlier) {
  const auto bytes = earlier.input.size();
  return comparable(call, earlier) && call.input.size() > bytes &&
         equal(std::span(call.input).first(bytes), earlier.input);
}

bool ends(const PastCall& call, const PastCall& earlier) {
  const auto bytes = call.input.size();
  return comparable(call, earlier) && earlier.input.size() > bytes &&
         equal(std::span(earlier.input).last(bytes), call.input);
}

std::int64_t altered_element(const PastCall& call, const PastCall& earlier) {
  const auto bytes = call.input.size();
  if (!comparable(call, earlier) || bytes != earlier.input.size()) return -1;
  const auto element = size_of(call.dtype);
  std::int64_t found = -1;
  for (std::size_t at = 0; at < bytes; at += element) {
    if (std::memcmp(call.input.data() + at, earlier.input.data() + at, element) == 0) continue;
    if (found >= 0) return -1;
    found = static_cast<std::int64_t>(at / element);
  }
  return found;
}

void RecentCalls::add(PastCall call) {
  ++number_;
  calls_.push_back(std::move(call));
  if (calls_.size() > kRememberedCalls) calls_.pop_front();
}

}  // namespace allprove::mutant
