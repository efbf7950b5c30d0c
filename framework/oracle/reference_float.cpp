#include "framework/oracle/reference_float.h"

#include "framework/base/check.h"
#include "framework/oracle/reference_order.h"
#include "framework/oracle/reference_product.h"
#include "framework/oracle/reference_sum.h"

namespace allprove::oracle {

template <class T>
void reduce_floats(Op op, const Inputs<T>& inputs, Nature nature, std::int64_t offset,
                   Expectation<T>& to) {
  const auto from = static_cast<std::size_t>(offset);
  switch (op) {
    case Op::sum:
      return SumReference<T>().reduce(inputs, nature, from, to);
    case Op::prod:
      return ProductReference<T>().reduce(inputs, nature, from, to);
    case Op::min:
      return OrderReference<T, false>().reduce(inputs, nature, from, to);
    case Op::max:
      return OrderReference<T, true>().reduce(inputs, nature, from, to);
    default:
      throw InternalError("internal error: the reference does not know the operator on floats");
  }
}

template void reduce_floats<float>(Op, const Inputs<float>&, Nature, std::int64_t,
                                   Expectation<float>&);
template void reduce_floats<double>(Op, const Inputs<double>&, Nature, std::int64_t,
                                    Expectation<double>&);

}  // namespace allprove::oracle
