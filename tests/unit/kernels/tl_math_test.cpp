// Commands of topk, concat, rand and the functions of MathCalls (chapter 06, section 9; P-41, P-90).
#include <gtest/gtest.h>

#include "kernels/tl/context.h"
#include "kernels/tl/recording_pe.h"
#include "platform/contract/command.h"
#include "platform/engine/engine_row.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using contract::Command;
using contract::CommandKind;
using tl::Context;
using tl::RecordingPe;
using tl::TensorHandle;

struct TlMath : ::testing::Test {
  RecordingPe pe;
  Context tl{pe, "demo"};
  TensorHandle a = tl.zeros({4, 8});
  TensorHandle c = tl.zeros({4, 8});
  TensorHandle i = tl.zeros({4, 8}, Dtype::i8);

  const Command& last() { return pe.commands().back(); }
  void expect(MathOp op, const TensorHandle& out, const Shape& shape, Dtype dtype, std::size_t inputs) {
    EXPECT_EQ(contract::engine_of(last()), engine::EngineId::math);
    EXPECT_EQ(last().row->name, math_op_name(op));
    EXPECT_EQ(last().math_op, op) << math_op_name(op);
    EXPECT_STREQ(last().call, math_op_name(op).data());
    EXPECT_EQ(last().inputs.size(), inputs);
    EXPECT_EQ(last().out.shape, shape) << math_op_name(op);
    EXPECT_EQ(last().out.dtype, dtype) << math_op_name(op);
    EXPECT_EQ(out.shape(), shape);
    EXPECT_EQ(out.dtype(), dtype);
    EXPECT_EQ(last().out.extents, (std::vector<Extent>{{out.address(), out.nbytes()}}));
  }
};

TEST_F(TlMath, FunctionsKeepShapeAndDtype) {
  const Shape s{4, 8};
  expect(MathOp::rsqrt, tl.rsqrt(a), s, Dtype::f16, 1);
  expect(MathOp::tanh, tl.tanh(a), s, Dtype::f16, 1);
  expect(MathOp::erf, tl.erf(a), s, Dtype::f16, 1);
  expect(MathOp::gelu, tl.gelu(a), s, Dtype::f16, 1);
  expect(MathOp::gelu_tanh, tl.gelu_tanh(a), s, Dtype::f16, 1);
  expect(MathOp::silu, tl.silu(a), s, Dtype::f16, 1);
  expect(MathOp::floor, tl.floor(a), s, Dtype::f16, 1);
  expect(MathOp::ceil, tl.ceil(a), s, Dtype::f16, 1);
  expect(MathOp::round, tl.round(a), s, Dtype::f16, 1);
  expect(MathOp::mod, tl.mod(a, 2.5), s, Dtype::f16, 2);
  expect(MathOp::bit_not, tl.bit_not(i), s, Dtype::i8, 1);
  expect(MathOp::bit_and, tl.bit_and(i, 15), s, Dtype::i8, 2);
  expect(MathOp::bit_or, tl.bit_or(i, i), s, Dtype::i8, 2);
  expect(MathOp::bit_xor, tl.bit_xor(i, i), s, Dtype::i8, 2);
  expect(MathOp::shl, tl.shl(1, i), s, Dtype::i8, 2);
  expect(MathOp::shr, tl.shr(i, 1), s, Dtype::i8, 2);
  expect(MathOp::shr_logical, tl.shr_logical(i, 1), s, Dtype::i8, 2);
}

TEST_F(TlMath, ComparisonsGiveIntegersOfTheInputsWidth) {
  const Shape s{4, 8};
  expect(MathOp::eq, tl.eq(a, c), s, Dtype::i16, 2);
  expect(MathOp::ne, tl.ne(i, 3), s, Dtype::i8, 2);
  expect(MathOp::lt, tl.lt(a, tl.zeros({4, 1}, Dtype::f32)), s, Dtype::i32, 2);
  expect(MathOp::le, tl.le(0.5, a), s, Dtype::i16, 2);
  expect(MathOp::gt, tl.gt(tl.zeros({8}, Dtype::i64), 0), {8}, Dtype::i64, 2);
  expect(MathOp::ge, tl.ge(a, 0), s, Dtype::i16, 2);
  EXPECT_EQ(tl.where(tl.gt(a, 0), a, 0.0).dtype(), Dtype::f16);
}

TEST_F(TlMath, SixteenBitsAndF32GiveF32) {  // P-90
  const TensorHandle wide = tl.zeros({4, 8}, Dtype::f32);
  EXPECT_EQ((a + wide).dtype(), Dtype::f32);
  EXPECT_EQ((wide * tl.zeros({8}, Dtype::bf16)).dtype(), Dtype::f32);
  EXPECT_EQ(tl.fma(a, 0.1, wide).dtype(), Dtype::f32);
  EXPECT_EQ(last().inputs[1].dtype, Dtype::f32);  // the number, which f16 would round
  EXPECT_EQ(tl.where(i, 0.1, a).dtype(), Dtype::f16);
  EXPECT_EQ(tl.dot(a, tl.zeros({8, 2}, Dtype::f32)).dtype(), Dtype::f32);
  EXPECT_EQ(tl.dot(a, tl.zeros({8, 2}, Dtype::f32), Dtype::f16).dtype(), Dtype::f16);
  TensorHandle x = a;
  expect_program_error([&] { x += wide; }, "DTYPE_ERROR", {"operand 0", "f32 (4, 8)"});
  expect_program_error([&] { tl.dot(a, tl.zeros({8, 2}, Dtype::bf16)); }, "DTYPE_ERROR", {"cast"});
}

TEST_F(TlMath, CumsumAndPositionsAlongAnAxis) {
  expect(MathOp::cumsum, tl.cumsum(a), {4, 8}, Dtype::f16, 1);
  EXPECT_EQ(last().axis, -1);
  expect(MathOp::cumsum, tl.cumsum(i, 0), {4, 8}, Dtype::i32, 1);
  expect(MathOp::cumsum, tl.cumsum(i, 0, Dtype::i16), {4, 8}, Dtype::i16, 1);
  expect(MathOp::sum, tl.sum(i, 0), {1, 8}, Dtype::i32, 1);
  expect(MathOp::sum, tl.sum(tl.gt(a, 0), 1), {4, 1}, Dtype::i32, 1);
  expect(MathOp::sum, tl.sum(tl.zeros({4, 8}, Dtype::i64), 1), {4, 1}, Dtype::i64, 1);
  expect(MathOp::sum, tl.sum(a, 1), {4, 1}, Dtype::f16, 1);
  expect(MathOp::max, tl.max(i, 1), {4, 1}, Dtype::i8, 1);
  expect(MathOp::argmax, tl.argmax(a, 1), {4, 1}, Dtype::i32, 1);
  expect(MathOp::argmin, tl.argmin(a), {1, 1}, Dtype::i32, 1);
  EXPECT_FALSE(last().axis.has_value());
  expect_program_error([&] { tl.cumsum(a, 2); }, "SHAPE_ERROR", {"kernel demo, tl.cumsum", "axis 2"});
}

TEST_F(TlMath, TopkHasTwoResults) {
  const tl::TopK top = tl.topk(a, 3);
  expect(MathOp::topk, top.values, {4, 3}, Dtype::f16, 2);
  EXPECT_EQ(top.indices.shape(), (Shape{4, 3}));
  EXPECT_EQ(top.indices.dtype(), Dtype::i32);
  ASSERT_TRUE(last().positions.has_value());
  EXPECT_EQ(last().positions->extents, (std::vector<Extent>{{top.indices.address(), 48}}));
  EXPECT_EQ(std::get<std::int64_t>(*last().inputs[1].immediate), 3);
  expect_program_error([&] { tl.topk(a, 9); }, "SHAPE_ERROR", {"tl.topk", "k is 9", "1 to 8"});
  expect_program_error([&] { tl.compute_into(c, MathOp::topk, {a, 3}); }, "KERNEL_ERROR", {"call tl.topk"});
}

TEST_F(TlMath, Int4IsTwoInAByte) {
  expect(MathOp::unpack_int4, tl.unpack_int4(i), {4, 16}, Dtype::i8, 1);
  expect(MathOp::pack_int4, tl.pack_int4(i), {4, 4}, Dtype::i8, 1);
  expect_program_error([&] { tl.unpack_int4(a); }, "DTYPE_ERROR", {"kernel demo, tl.unpack_int4", "f16"});
}

TEST_F(TlMath, ConcatTakesAnyNumber) {
  expect(MathOp::concat, tl.concat({a, c, a}), {12, 8}, Dtype::f16, 3);
  EXPECT_EQ(last().axis, 0);
  expect(MathOp::concat, tl.concat({a, tl.trans(tl.zeros({2, 4}))}, -1), {4, 10}, Dtype::f16, 2);
  EXPECT_TRUE(last().inputs[1].transposed);
  expect_program_error([&] { tl.concat({}); }, "SCHEMA_ERROR", {"tl.concat", "at least one"});
  expect_program_error([&] { tl.concat({a, i}); }, "DTYPE_ERROR", {"input 2 is i8"});
  expect_program_error([&] { tl.concat({a, tl.zeros({4, 4})}); }, "SHAPE_ERROR", {"inputs 1 and 2", "axis 0"});
}

TEST_F(TlMath, RandTakesSeedAndOffset) {
  expect(MathOp::rand, tl.rand({3, 5}, 7, 40), {3, 5}, Dtype::f32, 2);
  EXPECT_EQ(std::get<std::int64_t>(*last().inputs[0].immediate), 7);
  EXPECT_EQ(std::get<std::int64_t>(*last().inputs[1].immediate), 40);
  expect(MathOp::rand, tl.rand({3}, 7, 0, Dtype::i32), {3}, Dtype::i32, 2);
  expect_program_error([&] { tl.rand({3}, 7, 0, Dtype::i8); }, "DTYPE_ERROR", {"no random i8"});
  expect_program_error([&] { tl.rand({0}, 7); }, "SHAPE_ERROR", {"(0)"});
}

}  // namespace
}  // namespace kb::tests
