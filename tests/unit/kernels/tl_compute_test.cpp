// dot, elementwise operations and reductions of the facade (chapter 06, section 9; P-56, P-100).
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
using Names = std::vector<std::string>;

struct TlCompute : ::testing::Test {
  RecordingPe pe;
  Context tl{pe, "demo"};
  TensorHandle a = tl.zeros({4, 8});
  TensorHandle b = tl.zeros({8, 2});
  TensorHandle c = tl.zeros({4, 8});

  const Command& last() { return pe.commands().back(); }
  std::vector<Extent> bytes_of(const TensorHandle& h) { return {{h.address(), h.nbytes()}}; }
  void expect_math(MathOp op, const TensorHandle& out, std::size_t inputs) {
    EXPECT_EQ(contract::engine_of(last()), engine::EngineId::math);
    EXPECT_EQ(last().row->name, math_op_name(op));
    EXPECT_EQ(last().math_op, op) << math_op_name(op);
    EXPECT_EQ(last().inputs.size(), inputs);
    EXPECT_EQ(last().inputs[0].extents, bytes_of(a));
    EXPECT_EQ(last().out.extents, bytes_of(out));
    EXPECT_EQ(last().out.shape, out.shape());
    EXPECT_EQ(last().out.dtype, out.dtype());
    EXPECT_EQ(out.address() % 16, 0u);  // P-58
    EXPECT_STREQ(last().call, math_op_name(op).data());
  }
};

TEST_F(TlCompute, DotIsOneGemm) {
  const TensorHandle out = tl.dot(a, b);
  ASSERT_EQ(pe.commands().size(), 1u);
  EXPECT_EQ(contract::engine_of(last()), engine::EngineId::gemm);
  EXPECT_EQ(last().m, 4);
  EXPECT_EQ(last().k, 8);
  EXPECT_EQ(last().n, 2);
  EXPECT_EQ(last().acc_dtype, Dtype::f32);
  EXPECT_EQ(last().inputs[0].extents, bytes_of(a));
  EXPECT_EQ(last().inputs[1].extents, bytes_of(b));
  EXPECT_EQ(last().out.extents, bytes_of(out));
  EXPECT_EQ(out.shape(), (Shape{4, 2}));
  EXPECT_EQ(out.dtype(), Dtype::f32);
}

TEST_F(TlCompute, DotTakesAnOutDtype) {
  EXPECT_EQ(tl.dot(a, b, Dtype::f16).dtype(), Dtype::f16);
  EXPECT_EQ(last().out.dtype, Dtype::f16);
  const TensorHandle i = tl.zeros({4, 4}, Dtype::i8);
  EXPECT_EQ(tl.dot(i, i).dtype(), Dtype::i32);
  EXPECT_EQ(tl.dot(i, i, Dtype::i8).dtype(), Dtype::i8);
  EXPECT_EQ(last().acc_dtype, Dtype::i32);
  tl.dot(i, i, Dtype::i64);
  EXPECT_EQ(last().acc_dtype, Dtype::i64);
}

TEST_F(TlCompute, DotAccumulatesInPlace) {
  const TensorHandle acc = tl.zeros({4, 2}, Dtype::f32);
  const TensorHandle result = tl.dot(a, b, acc);
  EXPECT_EQ(result.address(), acc.address());
  EXPECT_EQ(pe.command_names(), Names{"gemm"});
  EXPECT_TRUE(last().accumulate);
  EXPECT_EQ(last().out.dtype, Dtype::f32);
  EXPECT_EQ(last().out.extents, bytes_of(acc));
  EXPECT_STREQ(last().call, "dot");
}

TEST_F(TlCompute, DotIntoWritesTheTarget) {
  const TensorHandle out = tl.empty({4, 2}, Dtype::f32);
  tl.dot_into(out, a, b);
  EXPECT_EQ(pe.command_names(), Names{"gemm"});
  EXPECT_EQ(last().out.extents, bytes_of(out));
  EXPECT_EQ(last().out.dtype, Dtype::f32);
  EXPECT_EQ(pe.scratch_writes().size(), 3u);  // of the fixture; empty() seeds nothing
  expect_program_error([&] { tl.dot_into(tl.empty({2, 4}), a, b); }, "SHAPE_ERROR", {"operand 0", "(4, 2)"});
}

TEST_F(TlCompute, DotMistakes) {
  expect_program_error(
      [&] { tl.dot(a, c); }, "SHAPE_ERROR",
      {"kernel demo, tl.dot #4 at tl_compute_test.cpp:" + std::to_string(__LINE__ - 1) + ", sip0.cube0.pe0: ", "(4, 8)",
       "8 and 4"});
  expect_program_error([&] { tl.dot(a, tl.zeros({8})); }, "SHAPE_ERROR", {"two-dimensional"});
  expect_program_error([&] { tl.dot(a, tl.zeros({8, 2}, Dtype::bf16)); }, "DTYPE_ERROR", {"cast"});
  expect_program_error([&] { tl.dot(a, b, Dtype::i32); }, "DTYPE_ERROR", {"i32"});
  expect_program_error([&] { tl.dot(a, b, tl.zeros({2, 4}, Dtype::f32)); }, "SHAPE_ERROR", {"operand 3", "(4, 2)"});
  expect_program_error([&] { tl.dot(a, b, tl.trans(tl.zeros({2, 4}))); }, "KERNEL_ERROR", {"transposed"});
  EXPECT_TRUE(pe.commands().empty());
}

TEST_F(TlCompute, UnaryOperations) {
  expect_math(MathOp::exp, tl.exp(a), 1);
  expect_math(MathOp::log, tl.log(a), 1);
  expect_math(MathOp::sqrt, tl.sqrt(a), 1);
  expect_math(MathOp::abs, tl.abs(a), 1);
  expect_math(MathOp::neg, tl.neg(a), 1);
  expect_math(MathOp::neg, -a, 1);
  expect_math(MathOp::sigmoid, tl.sigmoid(a), 1);
  expect_math(MathOp::cos, tl.cos(a), 1);
  expect_math(MathOp::sin, tl.sin(a), 1);
  expect_math(MathOp::relu, tl.relu(a), 1);
  expect_math(MathOp::cast, tl.cast(a, Dtype::f32), 1);
  EXPECT_EQ(last().out.dtype, Dtype::f32);
}

TEST_F(TlCompute, BinaryOperationsAndOperators) {
  expect_math(MathOp::add, tl.add(a, c), 2);
  expect_math(MathOp::add, a + c, 2);
  expect_math(MathOp::sub, tl.sub(a, c), 2);
  expect_math(MathOp::sub, a - c, 2);
  expect_math(MathOp::mul, tl.mul(a, c), 2);
  expect_math(MathOp::mul, a * c, 2);
  expect_math(MathOp::div, tl.div(a, c), 2);
  expect_math(MathOp::div, a / c, 2);
  expect_math(MathOp::maximum, tl.maximum(a, c), 2);
  expect_math(MathOp::minimum, tl.minimum(a, c), 2);
}

TEST_F(TlCompute, TernaryOperations) {
  expect_math(MathOp::fma, tl.fma(a, c, 1), 3);
  expect_math(MathOp::clamp, tl.clamp(a, -1.0, 1.0), 3);
  expect_math(MathOp::where, tl.where(a, c, 0), 3);
}

TEST_F(TlCompute, NumbersTakeTheDtypeOfTheTensors) {
  expect_math(MathOp::mul, a * 2.5, 2);
  EXPECT_EQ(last().inputs[1].dtype, Dtype::f16);
  EXPECT_EQ(std::get<double>(*last().inputs[1].immediate), 2.5);
  tl.sub(1, a);
  EXPECT_EQ(std::get<std::int64_t>(*last().inputs[0].immediate), 1);
  const TensorHandle mask = tl.zeros({4, 8}, Dtype::i8);
  EXPECT_EQ(tl.where(mask, 1.0, a).dtype(), Dtype::f16);
  EXPECT_EQ(last().inputs[1].dtype, Dtype::f16);
  expect_program_error([&] { tl.arange(0, 4) * 0.5; }, "DTYPE_ERROR", {"0.5", "i32"});
  expect_program_error([&] { tl.add(1, 2); }, "SHAPE_ERROR", {"at least one input must be a tensor"});
}

TEST_F(TlCompute, ElementwiseBroadcasts) {
  EXPECT_EQ((a + tl.zeros({4, 1})).shape(), (Shape{4, 8}));
  EXPECT_EQ((tl.zeros({8}) + a).shape(), (Shape{4, 8}));
}

TEST_F(TlCompute, ElementwiseMistakes) {
  expect_program_error([&] { a + b; }, "SHAPE_ERROR", {"kernel demo", "tl.add", "(4, 8)", "(8, 2)"});
  expect_program_error([&] { a + tl.zeros({4, 8}, Dtype::bf16); }, "DTYPE_ERROR", {"f16", "bf16", "cast"});
  expect_program_error([&] { tl.exp(tl.arange(0, 3)); }, "DTYPE_ERROR", {"exp", "i32"});
  EXPECT_TRUE(pe.commands().empty());
}

TEST_F(TlCompute, UpdatesGoWhereTheHandleIs) {
  TensorHandle x = a;
  x += c;
  expect_math(MathOp::add, a, 2);
  x -= 1;
  expect_math(MathOp::sub, a, 2);
  x *= c;
  expect_math(MathOp::mul, a, 2);
  x /= 2.0;
  expect_math(MathOp::div, a, 2);
  EXPECT_EQ(x.address(), a.address());
  TensorHandle narrow = tl.zeros({4, 1});
  expect_program_error([&] { narrow += a; }, "SHAPE_ERROR", {"operand 0", "(4, 1)", "(4, 8)"});
  tl.compute_into(x, MathOp::fma, {c, c, 1});
  EXPECT_EQ(last().math_op, MathOp::fma);
  EXPECT_EQ(last().out.extents, bytes_of(a));
}

TEST_F(TlCompute, AssignConvertsIntoTheTarget) {
  const TensorHandle wide = tl.zeros({4, 8}, Dtype::f32);
  tl.assign(wide, a);
  EXPECT_EQ(last().math_op, MathOp::cast);
  EXPECT_EQ(last().inputs[0].dtype, Dtype::f16);
  EXPECT_EQ(last().out.dtype, Dtype::f32);
  EXPECT_STREQ(last().call, "assign");
  expect_program_error([&] { tl.assign(wide, b); }, "SHAPE_ERROR", {"(8, 2)"});
}

TEST_F(TlCompute, ReductionsMakeTheAxisOne) {
  EXPECT_EQ(tl.sum(a, 0).shape(), (Shape{1, 8}));
  EXPECT_EQ(last().axis, std::optional<int>(0));
  EXPECT_EQ(tl.max(a, -1).shape(), (Shape{4, 1}));
  EXPECT_EQ(last().math_op, MathOp::max);
  EXPECT_EQ(tl.min(a, 1).shape(), (Shape{4, 1}));
  EXPECT_EQ(last().math_op, MathOp::min);
  EXPECT_EQ(tl.sum(a).shape(), (Shape{1, 1}));
  EXPECT_FALSE(last().axis.has_value());
  EXPECT_EQ(tl.softmax(a).shape(), (Shape{4, 8}));
  EXPECT_EQ(last().axis, std::optional<int>(-1));
  EXPECT_EQ(tl.sum(a, 0, Dtype::f32).dtype(), Dtype::f32);
  EXPECT_EQ(last().out.dtype, Dtype::f32);
  tl.wait(tl.math_async(MathOp::max, {a}, 1, Dtype::bf16));
  EXPECT_EQ(last().out.dtype, Dtype::bf16);
  const TensorHandle total = tl.empty({1, 1}, Dtype::f32);
  tl.compute_into(total, MathOp::sum, {a});
  EXPECT_EQ(last().out.dtype, Dtype::f32);
  expect_program_error([&] { tl.sum(a, 0, Dtype::i32); }, "DTYPE_ERROR",
                       {"kernel demo, tl.sum", "cannot be i32", "floats stay floats"});
  expect_program_error([&] { tl.argmax(a, 0, Dtype::f32); }, "DTYPE_ERROR",
                       {"cannot be f32", "positions are integers"});
  expect_program_error([&] { tl.max(a, 0, Dtype::e4m3); }, "DTYPE_ERROR", {"cannot be e4m3", "for storage"});
  expect_program_error([&] { tl.math_async(MathOp::exp, {a}, std::nullopt, Dtype::f32); }, "DTYPE_ERROR",
                       {"exp(f16 (4, 8))", "takes no out_dtype"});
  expect_program_error([&] { tl.sum(a, 2); }, "SHAPE_ERROR", {"kernel demo, tl.sum", "axis 2", "-2 .. 1"});
  expect_program_error([&] { tl.softmax(a, -3); }, "SHAPE_ERROR", {"axis -3"});
}

TEST_F(TlCompute, TransSwapsAndCarriesTheFlag) {
  const TensorHandle t = tl.trans(b);
  EXPECT_TRUE(pe.commands().empty());
  EXPECT_EQ(t.shape(), (Shape{2, 8}));
  EXPECT_EQ(t.address(), b.address());
  tl.dot(a, tl.trans(tl.zeros({2, 8})));
  EXPECT_TRUE(last().inputs[1].transposed);  // P-70
  EXPECT_EQ(last().inputs[1].shape, (Shape{8, 2}));
  EXPECT_FALSE(tl.trans(t).transposed());
  expect_program_error([&] { tl.trans(tl.zeros({3})); }, "SHAPE_ERROR", {"two dimensions"});
  TensorHandle view = tl.trans(tl.zeros({8, 4}));
  expect_program_error([&] { view += a; }, "KERNEL_ERROR", {"transposed"});
}

TEST_F(TlCompute, ViewNamesElementsOfATensor) {
  const TensorHandle part = tl.view(a, 5, {3, 2});
  EXPECT_TRUE(pe.commands().empty());
  EXPECT_EQ(part.shape(), (Shape{3, 2}));
  EXPECT_EQ(part.dtype(), Dtype::f16);
  EXPECT_EQ(part.address(), a.address() + 10);
  EXPECT_EQ(tl.view(part, 2, {4}).address(), a.address() + 14);
  tl.assign(tl.view(a, 0, {8, 2}), b);
  EXPECT_EQ(last().out.extents, (std::vector<Extent>{{a.address(), 32}}));
  tl.view(a, 31, {1});
  for (const std::int64_t first : {-1, 30, 32}) {
    expect_program_error([&] { tl.view(a, first, {3}); }, "SHAPE_ERROR", {"tl.view", "3 elements", "which has 32"});
  }
  expect_program_error([&] { tl.view(a, 0, {0}); }, "SHAPE_ERROR", {"(0)"});
  expect_program_error([&] { tl.view(tl.trans(a), 0, {3}); }, "KERNEL_ERROR", {"transposed", "cast"});
  const TensorHandle message = tl.recv("E", {4});
  expect_program_error([&] { tl.assign(tl.view(message, 1, {2}), tl.zeros({2})); }, "KERNEL_ERROR", {"received"});
}

}  // namespace
}  // namespace kb::tests
