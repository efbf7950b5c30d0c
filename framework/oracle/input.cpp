#include "framework/oracle/input.h"

#include <algorithm>
#include <array>

#include "framework/base/check.h"
#include "framework/model/user_operator.h"
#include "framework/oracle/closed.h"
#include "framework/oracle/free.h"
#include "framework/oracle/types.h"

namespace allprove::oracle {
namespace {

// How far away in the tile the other value of an altered element is taken from.
constexpr std::int64_t kAlteredBy = kTilePeriod / 2;

SizeClass class_of(std::size_t ranks) {
  return ranks <= 8 ? SizeClass::up_to_8 : ranks <= 16 ? SizeClass::up_to_16 : SizeClass::larger;
}

// Calls f(e, i) for i in [0, count), e the element of the tile that first + i is. Two plain loops,
// so that they vectorize.
template <class F>
void for_elements(std::int64_t first, std::int64_t count, F&& f) {
  const auto start = static_cast<std::size_t>(first % kTilePeriod);
  const auto all = static_cast<std::size_t>(count);
  const auto until_wrap = std::min(all, static_cast<std::size_t>(kTilePeriod) - start);
  for (std::size_t i = 0; i < until_wrap; ++i) f(start + i, i);
  for (std::size_t i = until_wrap; i < all; ++i) f(i - until_wrap, i);
}

// Any numbers, one for each element of a tile.
constexpr auto kNoise = [] {
  std::array<std::uint32_t, kTilePeriod> noise{};
  for (std::uint32_t e = 0; e < noise.size(); ++e) noise[e] = mix32(e);
  return noise;
}();

// The stream of one rank.
std::uint32_t key_of_rank(const Source& source) {
  return static_cast<std::uint32_t>(
      hash_at(source.seed, static_cast<std::uint64_t>(source.id), 0xf4ee));
}

template <class T>
void make_ramp(const Source& source, std::int64_t first, std::int64_t count, T* to) {
  for_elements(first, count,
               [&](std::size_t e, std::size_t i) { to[i] = ramp_value<T>(source.id, e); });
}

template <class T>
void make_free(const Source& source, std::int64_t first, std::int64_t count,
               std::span<const std::uint32_t> shared, T* to) {
  const Free<T> free(source);
  const std::uint32_t key = key_of_rank(source);
  for_elements(first, count, [&](std::size_t e, std::size_t i) {
    to[i] = free.value(mix32(kNoise[e], key), shared[i]);
  });
}

template <class T>
void make_special(const Source& source, std::int64_t first, std::int64_t count,
                  std::span<const std::uint32_t> shared, T* to) {
  const Free<T> free(source);
  const Special<T> special;
  const std::uint32_t key = key_of_rank(source);
  for_elements(first, count, [&](std::size_t e, std::size_t i) {
    const std::uint32_t hash = mix32(kNoise[e], key);
    to[i] = special.strewn(free.value(hash, shared[i]), hash, shared[i]);
  });
}

}  // namespace

bool has_user_operator(const Call& call) {
  return allprove::has_user_operator(call.collective, call.op);
}

bool can_scale(const Call& call) {
  const auto kind = traits_of(call.dtype).kind;
  if (kind == DtypeClass::logical || kind == DtypeClass::pair) return false;
  if (!traits_of(call.collective).reduces) return true;
  if (is_integer(call.dtype)) return call.op == Op::sum;
  return call.op == Op::sum || call.op == Op::min || call.op == Op::max;
}

namespace {

// `ids` are those of the position's side.
Source source_among(const Call& call, const std::vector<int>& ids, int position) {
  const auto holder =
      (static_cast<std::size_t>(position) + static_cast<std::size_t>(call.data.rotate)) %
      ids.size();
  Source source;
  source.family = call.data.family;
  source.op = call.op;
  source.reduces = traits_of(call.collective).reduces && !has_user_operator(call);
  source.seed = call.data.seed;
  source.id = ids[holder];
  source.size = class_of(call.ids.size() + call.remote_ids.size());
  source.first = call.data.first;
  source.scale = can_scale(call) ? call.data.scale : 0;
  source.altered_at = call.data.altered ? call.cut : kNoCut;
  return source;
}

}  // namespace

Source source_of(const Call& call, int position) { return source_among(call, call.ids, position); }

Source source_from(const Call& call, int position) {
  return source_among(call, call.remote_ids.empty() ? call.ids : call.remote_ids, position);
}

std::span<const std::uint32_t> Workspace::hashes(std::uint64_t seed, std::int64_t first,
                                                 std::int64_t count) {
  const auto size = static_cast<std::size_t>(count);
  first %= kTilePeriod;
  if (seed != seed_ || first != first_ || size > hashes_.size()) {
    hashes_.resize(size);
    const auto key = hash_at(seed, 0x5a4ed);
    const auto flip = static_cast<std::uint32_t>(key);
    const auto odd = static_cast<std::uint32_t>(key >> 32) | 1;
    std::uint32_t* to = hashes_.data();
    for_elements(first, count, [&](std::size_t e, std::size_t i) {
      const std::uint32_t x = (kNoise[e] ^ flip) * odd;
      to[i] = x ^ (x >> 16);
    });
    seed_ = seed;
    first_ = first;
  }
  return std::span(hashes_).first(size);
}

std::int64_t family_element(const Source& source, std::int64_t element) {
  return source.first + element + (source.altered_at == element ? kAlteredBy : 0);
}

template <class T>
[[gnu::noinline]] void make_inputs(const Source& source, std::int64_t begin, std::int64_t count,
                                   Workspace& workspace, T* to) {
  ALLPROVE_CHECK(count <= kTilePeriod);
  const std::int64_t first = source.first + begin;
  switch (source.family) {
    case Family::ramp:
      make_ramp(source, first, count, to);
      break;
    case Family::closed:
      closed_inputs(source, workspace.hashes(source.seed, first, count), to);
      break;
    case Family::free:
      make_free(source, first, count, workspace.hashes(source.seed, first, count), to);
      break;
    case Family::special:
      make_special(source, first, count, workspace.hashes(source.seed, first, count), to);
      break;
  }
  if (source.scale != 0) apply_scale(to, count, source.scale);
}

template <class T>
T make_input(const Source& source, std::int64_t element, Workspace& workspace) {
  T value{};
  make_inputs(source, family_element(source, element) - source.first, 1, workspace, &value);
  return value;
}

template <class T>
void apply_scale(T* data, std::int64_t count, int scale) {
  if constexpr (std::integral<T>) {
    const auto unit = static_cast<Wide<T>>(2 * scale + 1);
    for (std::int64_t i = 0; i < count; ++i) {
      data[i] = from_bits<T>(static_cast<Bits<T>>(unit * bits_of(data[i])));
    }
  } else {
    const T unit = power_of_two<T>(scale);
    for (std::int64_t i = 0; i < count; ++i) data[i] *= unit;
  }
}

template <class T>
void undo_scale(T* data, std::int64_t count, int scale) {
  if constexpr (std::integral<T>) {
    // Newton's iteration for the inverse modulo 2^w: each step doubles the bits that are right,
    // from the three that an odd number has with itself.
    const auto unit = static_cast<Wide<T>>(2 * scale + 1);
    Wide<T> inverse = unit;
    for (int right = 3; right < kWidth<T>; right *= 2) inverse *= 2 - unit * inverse;
    for (std::int64_t i = 0; i < count; ++i) {
      data[i] = from_bits<T>(static_cast<Bits<T>>(inverse * bits_of(data[i])));
    }
  } else {
    const T unit = power_of_two<T>(-scale);
    for (std::int64_t i = 0; i < count; ++i) data[i] *= unit;
  }
}

#define ALLPROVE_INSTANTIATE(T)                                                            \
  template void make_inputs<T>(const Source&, std::int64_t, std::int64_t, Workspace&, T*); \
  template T make_input<T>(const Source&, std::int64_t, Workspace&);                       \
  template void apply_scale<T>(T*, std::int64_t, int);                                     \
  template void undo_scale<T>(T*, std::int64_t, int);
ALLPROVE_FOR_TYPES(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

}  // namespace allprove::oracle
