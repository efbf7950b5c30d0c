// User-defined operators: what they compute, against integers without a limit, and their order.
#include "framework/model/user_operator.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include "tests/unit/oracle/element_calls.h"

namespace allprove::oracle {
namespace {

template <class T>
mpz_class integer(T value) {
  return mpz_class(static_cast<long>(value));
}

template <class T>
T modulo(const mpz_class& value) {
  mpz_class rest;
  mpz_fdiv_r_2exp(rest.get_mpz_t(), value.get_mpz_t(), 8 * sizeof(T));
  return static_cast<T>(mpz_get_ui(rest.get_mpz_t()));
}

// The map at x, the first position's applied first.
template <class T>
mpz_class mapped(const std::vector<Operand<T, 2>>& maps, mpz_class x) {
  for (const auto& map : maps) x = integer(map.elements[0]) * x + integer(map.elements[1]);
  return x;
}

template <class T>
Operand<T, 1> exact_result(const std::vector<Operand<T, 1>>& inputs) {
  mpz_class sum = 0;
  for (const auto& input : inputs) sum += integer(input.elements[0]);
  return {{modulo<T>(sum)}};
}
template <class T>
Operand<T, 2> exact_result(const std::vector<Operand<T, 2>>& inputs) {
  const mpz_class at_zero = mapped(inputs, 0);
  return {{modulo<T>(mapped(inputs, 1) - at_zero), modulo<T>(at_zero)}};
}
template <class T>
Operand<T, 4> exact_result(const std::vector<Operand<T, 4>>& inputs) {
  std::array<mpz_class, 4> left = {1, 0, 0, 1};
  for (const auto& input : inputs) {
    std::array<mpz_class, 4> product;
    for (std::size_t row : {0, 1}) {
      for (std::size_t column : {0, 1}) {
        for (std::size_t k : {0, 1}) {
          product[2 * row + column] += left[2 * row + k] * integer(input.elements[2 * k + column]);
        }
      }
    }
    left = product;
  }
  Operand<T, 4> result;
  for (std::size_t i = 0; i < 4; ++i) result.elements[i] = modulo<T>(left[i]);
  return result;
}

class UserOperators : public testing::TestWithParam<Reduction> {};

TEST_P(UserOperators, AreWhatIntegersWithoutALimitLeaveModuloTheWidth) {
  for_operand(GetParam().dtype, GetParam().op, [&]<class E>() {
    for (const Family family : {Family::ramp, Family::closed, Family::free, Family::special}) {
      for (const int ranks : {1, 2, 3, 8, 30}) {
        const auto call = element_call(GetParam(), family, ranks, 40, 17);
        std::vector<E> output;
        for (const auto& inputs : inputs_of_elements<E>(call))
          output.push_back(exact_result(inputs));
        const auto evidence = judge(call, 0, output);
        EXPECT_EQ(evidence.wrong, 0) << name_of(family) << ranks;
        EXPECT_TRUE(evidence.exact);
      }
    }
  });
}

TEST_P(UserOperators, ShowNeighboursThatChangedPlaces) {
  if (traits_of(GetParam().op).commutative) return;
  for_operand(GetParam().dtype, GetParam().op, [&]<class E>() {
    for (int swapped = 0; swapped < 4; ++swapped) {
      const auto call = element_call(GetParam(), Family::closed, 5, 200, 18);
      int wrong = 0;
      std::vector<E> output;
      for (auto inputs : inputs_of_elements<E>(call)) {
        const E right = exact_result(inputs);
        std::swap(inputs[static_cast<std::size_t>(swapped)],
                  inputs[static_cast<std::size_t>(swapped) + 1]);
        output.push_back(exact_result(inputs));
        wrong += same_image(right, output.back()) ? 0 : 1;
      }
      EXPECT_GT(wrong, 150);
      EXPECT_GE(judge(call, 0, output).wrong, wrong);
    }
  });
}

TEST_P(UserOperators, AreCutIntoOperandsInEveryCollective) {
  for_operand(GetParam().dtype, GetParam().op, [&]<class E>() {
    auto call = element_call(GetParam(), Family::closed, 3, 5000, 19);
    call.collective = Collective::reduce_scatter;
    const std::int64_t width = width_of(call.op);
    call.counts = {7 * width, 0, 5000 * width};
    std::vector<std::vector<E>> inputs;
    Oracle oracle;
    oracle.begin(call);
    for (int p = 0; p < 3; ++p) {
      ASSERT_EQ(oracle.input_count(p), 5007 * width);
      inputs.emplace_back(5007);
      oracle.fill_input(p, reinterpret_cast<std::byte*>(inputs.back().data()));
    }
    std::vector<E> output;
    for (std::size_t i = 7; i < 5007; ++i) {
      output.push_back(exact_result(std::vector<E>{inputs[0][i], inputs[1][i], inputs[2][i]}));
    }
    const auto evidence = judge(call, 2, output);
    EXPECT_EQ(evidence.wrong, 0);
    EXPECT_EQ(evidence.digests, *expected_digests(call, 2));
    call.collective = Collective::exscan;
    call.counts.clear();
    output.clear();
    for (const auto& all : inputs_of_elements<E>(call)) {
      output.push_back(exact_result(std::vector<E>{all[0], all[1]}));
    }
    EXPECT_EQ(judge(call, 2, output).wrong, 0);
    output[4999].elements.back() ^= 1;
    EXPECT_EQ(judge(call, 2, output).first_wrong->index, 5000 * width - 1);
  });
}

TEST_P(UserOperators, CombineBytesAsTheyCombineOperands) {
  for_operand(GetParam().dtype, GetParam().op, [&]<class E>() {
    const auto call = element_call(GetParam(), Family::free, 2, 50, 20);
    const auto first = element_inputs<E>(call, 0);
    auto second = element_inputs<E>(call, 1);
    combine_operands(call.op, call.dtype, reinterpret_cast<const std::byte*>(first.data()),
                     reinterpret_cast<std::byte*>(second.data()), call.count);
    EXPECT_EQ(judge(call, 0, second).wrong, 0);
  });
}

INSTANTIATE_TEST_SUITE_P(All, UserOperators, testing::ValuesIn([] {
                           auto all = element_reductions();
                           std::erase_if(all, [](Reduction reduction) {
                             return traits_of(reduction.op).kind != OpClass::user;
                           });
                           return all;
                         }()),
                         name_of_parameter);

}  // namespace
}  // namespace allprove::oracle
