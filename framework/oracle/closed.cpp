// Which closed form belongs to which operator and type.
#include "framework/oracle/closed.h"

#include "framework/base/check.h"
#include "framework/oracle/closed_float.h"
#include "framework/oracle/closed_integer.h"
#include "framework/oracle/closed_order.h"
#include "framework/oracle/types.h"

namespace allprove::oracle {
namespace {

// Elements that are only moved: numbers over the type's whole range, different on every rank.
template <class T>
class ClosedMove {
 public:
  explicit ClosedMove(const Source& source) : seed_(hash_at(source.seed, 0x90e)) {}

  void inputs(int id, std::span<const std::uint32_t> hashes, T* to) const {
    const auto g = static_cast<U>(permute(seed_, kWidth<T>, static_cast<std::uint64_t>(id)));
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      to[i] = number_of(static_cast<U>(widen<U>(hashes[i]) ^ g));
    }
  }
  void results(std::span<const int> ids, std::span<const std::uint32_t> hashes, T* to) const {
    ALLPROVE_CHECK(ids.size() == 1);
    inputs(ids.front(), hashes, to);
  }

 private:
  using U = Bits<T>;
  // Floats stay away from infinity and NaN, with room for Data::scale: of the two highest bits of a
  // large exponent only one is set.
  static T number_of(U bits) {
    if constexpr (std::floating_point<T>) {
      constexpr U kTop = kTopBit<T>;
      if (bits & (kTop >> 1)) bits &= ~(kTop >> 2);
    }
    return from_bits<T>(bits);
  }
  std::uint64_t seed_;
};

template <class T, class F>
void with_form(const Source& source, F&& f) {
  if (!source.reduces) return f(ClosedMove<T>(source));
  if (source.op == Op::min) return f(ClosedOrder<T, false>(source));
  if (source.op == Op::max) return f(ClosedOrder<T, true>(source));
  if constexpr (std::floating_point<T>) {
    if (source.op == Op::sum) return f(ClosedFloatSum<T>(source));
    if (source.op == Op::prod) return f(ClosedFloatProduct<T>(source));
  } else {
    if (source.op == Op::sum) return f(ClosedSum<T>(source));
    if (source.op == Op::prod) return f(ClosedProduct<T>(source));
    if (source.op == Op::band) return f(ClosedBits<T, false>(source));
    if (source.op == Op::bor) return f(ClosedBits<T, true>(source));
    if (source.op == Op::bxor) return f(ClosedXor<T>(source));
    if (source.op == Op::land) return f(ClosedDissent<T, false>(source));
    if (source.op == Op::lor) return f(ClosedDissent<T, true>(source));
    if (source.op == Op::lxor) return f(ClosedParity<T>(source));
  }
  throw InternalError("internal error: the operator has no closed form on this type");
}

}  // namespace

template <class T>
void closed_inputs(const Source& source, std::span<const std::uint32_t> hashes, T* to) {
  with_form<T>(source, [&](const auto& form) { form.inputs(source.id, hashes, to); });
}

template <class T>
void closed_results(const Source& source, std::span<const int> ids,
                    std::span<const std::uint32_t> hashes, T* to) {
  with_form<T>(source, [&](const auto& form) { form.results(ids, hashes, to); });
}

#define ALLPROVE_INSTANTIATE(T)                                                      \
  template void closed_inputs<T>(const Source&, std::span<const std::uint32_t>, T*); \
  template void closed_results<T>(const Source&, std::span<const int>,               \
                                  std::span<const std::uint32_t>, T*);
ALLPROVE_FOR_TYPES(ALLPROVE_INSTANTIATE)
#undef ALLPROVE_INSTANTIATE

}  // namespace allprove::oracle
