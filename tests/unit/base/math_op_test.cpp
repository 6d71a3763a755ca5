// What operations of PE_MATH cost (P-41).
#include "platform/ops/math_op.h"

#include <gtest/gtest.h>

#include <map>

#include "platform/ops/op_types.h"

namespace kb {
namespace {

TEST(MathPasses, ConsistOfOperationsOfOnePass) {
  for (int i = 0; i < kMathOps; ++i) {
    const auto op = static_cast<MathOp>(i);
    for (const MathOp pass : math_passes(op)) EXPECT_EQ(math_passes(pass).size(), 1u) << math_op_name(op);
  }
}

TEST(MathPasses, AreAsManyAsDocumented) {
  const std::map<MathOp, std::size_t> several{
      {MathOp::softmax, 5}, {MathOp::sigmoid, 4},     {MathOp::silu, 4},      {MathOp::tanh, 5},
      {MathOp::erf, 12},    {MathOp::gelu, 15},       {MathOp::mod, 3},       {MathOp::gelu_tanh, 6},
      {MathOp::cumsum, 2},  {MathOp::argmax, 2},      {MathOp::argmin, 2},    {MathOp::topk, 4},
      {MathOp::rand, 21},   {MathOp::unpack_int4, 2}, {MathOp::pack_int4, 5},
  };
  for (int i = 0; i < kMathOps; ++i) {
    const auto op = static_cast<MathOp>(i);
    const auto found = several.find(op);
    EXPECT_EQ(math_passes(op).size(), found == several.end() ? 1 : found->second) << math_op_name(op);
  }
}

TEST(MathElements, AreTheMostOfAllOperands) {
  const auto tensor = [](Shape shape) { return OperandRef::tensor({}, std::move(shape), Dtype::f16); };
  const OperandRef k = OperandRef::number(std::int64_t{3}, Dtype::i32);
  EXPECT_EQ(math_elements(MathOp::sum, {tensor({4, 8})}, {4, 1}), 32);
  EXPECT_EQ(math_elements(MathOp::add, {tensor({4, 1}), tensor({8})}, {4, 8}), 32);
  EXPECT_EQ(math_elements(MathOp::concat, {tensor({4}), tensor({8})}, {12}), 12);
  EXPECT_EQ(math_elements(MathOp::topk, {tensor({4, 8}), k}, {4, 3}), 3 * 32);
  const OperandRef bytes = OperandRef::tensor({}, {4, 8}, Dtype::i8);
  EXPECT_EQ(math_elements(MathOp::unpack_int4, {bytes}, {4, 16}), 64);
  EXPECT_EQ(math_elements(MathOp::pack_int4, {bytes}, {4, 4}), 32);
  EXPECT_EQ(math_elements(MathOp::rand, {k, k}, {7, 9}), 63);
}

TEST(MathOp, HasADomainAndAForm) {
  EXPECT_EQ(math_domain(MathOp::gelu), MathDomain::floats);
  EXPECT_EQ(math_domain(MathOp::shl), MathDomain::integers);
  EXPECT_EQ(math_domain(MathOp::mod), MathDomain::any);
  EXPECT_TRUE(is_elementwise(MathOp::where));
  EXPECT_TRUE(is_elementwise(MathOp::ge));
  for (const MathOp op : {MathOp::cast, MathOp::sum, MathOp::softmax, MathOp::cumsum, MathOp::argmax, MathOp::topk,
                          MathOp::concat, MathOp::unpack_int4, MathOp::pack_int4, MathOp::rand}) {
    EXPECT_FALSE(is_elementwise(op)) << math_op_name(op);
  }
}

TEST(Promotion, OfSixteenBitFloatsAndF32_P90) {
  EXPECT_EQ(promoted(Dtype::f16, Dtype::f32), Dtype::f32);
  EXPECT_EQ(promoted(Dtype::f32, Dtype::bf16), Dtype::f32);
  EXPECT_EQ(promoted(Dtype::i8, Dtype::i8), Dtype::i8);
  EXPECT_EQ(promoted(Dtype::f16, Dtype::bf16), std::nullopt);
  EXPECT_EQ(promoted(Dtype::i32, Dtype::i64), std::nullopt);
  EXPECT_EQ(promoted(Dtype::i32, Dtype::f32), std::nullopt);
}

}  // namespace
}  // namespace kb
