#include "framework/model/user_operator.h"

#include <cstring>

#include "framework/base/check.h"

namespace allprove {
namespace {

template <class T, std::size_t kWidth>
void combine_all(const std::byte* first, std::byte* second, std::int64_t elements) {
  using Operand = std::array<T, kWidth>;
  for (std::int64_t done = 0; done < elements; done += kWidth) {
    Operand a;
    Operand b;
    std::memcpy(&a, first, sizeof a);
    std::memcpy(&b, second, sizeof b);
    combine_operands(a, b);
    std::memcpy(second, &b, sizeof b);
    first += sizeof a;
    second += sizeof b;
  }
}

}  // namespace

bool has_user_operator(Collective collective, Op op) {
  return traits_of(collective).reduces && traits_of(op).kind == OpClass::user;
}

int width_of(Collective collective, Op op) {
  return has_user_operator(collective, op) ? width_of(op) : 1;
}

void combine_operands(Op op, Dtype dtype, const std::byte* first, std::byte* second,
                      std::int64_t elements) {
  ALLPROVE_CHECK(traits_of(op).kind == OpClass::user && is_legal(op, dtype));
  for_dtype(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      if (op == Op::user_sum) return combine_all<T, 1>(first, second, elements);
      if (op == Op::user_affine) return combine_all<T, 2>(first, second, elements);
      return combine_all<T, 4>(first, second, elements);
    }
  });
}

}  // namespace allprove
