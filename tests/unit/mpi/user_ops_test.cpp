// User-defined operators on a real MPI, which applies them to operands and to layouts of them.
#include "backends/mpi/user_ops.h"

#include <functional>
#include <vector>

#include "framework/base/enum_table.h"
#include "framework/base/random.h"
#include "framework/model/user_operator.h"
#include "framework/run/worker/placement.h"
#include "tests/unit/model/random_layout.h"
#include "tests/unit/mpi/world_of_one.h"

namespace allprove {
namespace {

using UserOperatorsTest = WorldOfOne;

constexpr std::array kOps = {Op::user_sum, Op::user_affine, Op::user_matrix};

std::vector<std::byte> noise(std::int64_t bytes, RandomStream& random) {
  std::vector<std::byte> made(static_cast<std::size_t>(bytes));
  for (auto& byte : made) byte = static_cast<std::byte>(random.below(256));
  return made;
}

std::vector<std::byte> combined(Op op, Dtype dtype, const std::vector<std::byte>& first,
                                std::vector<std::byte> second) {
  combine_operands(op, dtype, first.data(), second.data(),
                   static_cast<std::int64_t>(second.size() / size_of(dtype)));
  return second;
}

void for_all(const std::function<void(Op, Dtype)>& check) {
  for (const Op op : kOps) {
    for (std::size_t d = 0; d < names_of<Dtype>().size(); ++d) {
      const auto dtype = static_cast<Dtype>(d);
      SCOPED_TRACE(std::string(name_of(op)) + " of " + std::string(name_of(dtype)));
      if (is_legal(op, dtype)) check(op, dtype);
    }
  }
}

TEST_F(UserOperatorsTest, combine_operands) {
  UserOperators operators;
  RandomStream random(1);
  for_all([&](Op op, Dtype dtype) {
    MPI_Op made = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    ASSERT_EQ(operators.find(op, dtype, made), MPI_SUCCESS);
    ASSERT_EQ(operators.operand_type(op, dtype, type), MPI_SUCCESS);
    const auto bytes = 50 * width_of(op) * static_cast<std::int64_t>(size_of(dtype));
    const auto first = noise(bytes, random);
    const auto second = noise(bytes, random);
    auto result = second;
    ASSERT_EQ(MPI_Reduce_local(first.data(), result.data(), 50, type, made), MPI_SUCCESS);
    EXPECT_EQ(result, combined(op, dtype, first, second));
  });
}

TEST_F(UserOperatorsTest, combine_operands_that_lie_apart_and_nothing_between_them) {
  UserOperators operators;
  RandomStream random(2);
  for_all([&](Op op, Dtype dtype) {
    const auto operand_bytes = size_of(dtype) * static_cast<std::size_t>(width_of(op));
    if (operand_bytes == 1) return;  // a library loses strides of -1 byte
    MPI_Op made = MPI_OP_NULL;
    MPI_Datatype operand = MPI_DATATYPE_NULL;
    ASSERT_EQ(operators.find(op, dtype, made), MPI_SUCCESS);
    ASSERT_EQ(operators.operand_type(op, dtype, operand), MPI_SUCCESS);
    for (int run = 0; run < 60; ++run) {
      auto layout = random_layout(random);
      if (layout.kind == LayoutKind::dense) layout.kind = LayoutKind::contiguous;
      const auto operands = random_elements(random);
      SCOPED_TRACE(text_of(layout, operands));
      const auto items = random.between(1, 4);
      DerivedType type;
      ASSERT_EQ(make_derived_type(layout, operand, operands, type), MPI_SUCCESS);
      const Placement placement(type_map(layout, operand_bytes, operands), {{0, items}});
      const auto span = placement.end_byte() - placement.first_byte();
      const auto first = noise(placement.packed_bytes(), random);
      const auto second = noise(placement.packed_bytes(), random);
      auto given = noise(span, random);
      auto result = noise(span, random);
      auto* const given_base = given.data() - placement.first_byte();
      auto* const result_base = result.data() - placement.first_byte();
      placement.arm_gaps(result_base, 1);
      placement.scatter(first.data(), given_base);
      placement.scatter(second.data(), result_base);
      ASSERT_EQ(
          MPI_Reduce_local(given_base, result_base, static_cast<int>(items), type.get(), made),
          MPI_SUCCESS);
      EXPECT_EQ(placement.inspect_gaps(result_base, 1), GapDamage{});
      std::vector<std::byte> packed(second.size());
      placement.gather(result_base, packed.data());
      ASSERT_EQ(packed, combined(op, dtype, first, second));
    }
  });
}

TEST_F(UserOperatorsTest, say_whether_they_commute_and_are_kept) {
  UserOperators operators;
  for_all([&](Op op, Dtype dtype) {
    MPI_Op made = MPI_OP_NULL;
    MPI_Op again = MPI_OP_NULL;
    ASSERT_EQ(operators.find(op, dtype, made), MPI_SUCCESS);
    ASSERT_EQ(operators.find(op, dtype, again), MPI_SUCCESS);
    EXPECT_EQ(made, again);
    int commutes = -1;
    MPI_Op_commutative(made, &commutes);
    EXPECT_EQ(commutes != 0, traits_of(op).commutative);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Datatype same = MPI_DATATYPE_NULL;
    ASSERT_EQ(operators.operand_type(op, dtype, type), MPI_SUCCESS);
    ASSERT_EQ(operators.operand_type(op, dtype, same), MPI_SUCCESS);
    EXPECT_EQ(type, same);
  });
  operators.clear();
}

}  // namespace
}  // namespace allprove
