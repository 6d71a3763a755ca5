// What a kernel sees of the operations of PE_MATH (P-62, P-90, P-99).
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/tl/tl.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using tl::Context;
using tl::TensorHandle;
using Values = std::vector<double>;

struct TlMathResults : ::testing::Test {
  Device device;
  FunctionalPe pe{tl::RecordingPe::default_info(), device.recorder};
  Context tl{pe, "demo"};
  TensorHandle n = tl.arange(0, 6);
  TensorHandle x = tl.cast(n, Dtype::f32) - 2;  // -2 -1 0 1 2 3
};

TEST_F(TlMathResults, MasksSelect) {
  EXPECT_EQ(tl.where(tl.gt(x, 0), x, -1.0).to_doubles(), (Values{-1, -1, -1, 1, 2, 3}));
  const TensorHandle odd = tl.eq(tl.mod(n, 2), 1), large = tl.ge(n, 3);
  EXPECT_EQ(tl.bit_and(odd, large).to_doubles(), (Values{0, 0, 0, 1, 0, 1}));
  EXPECT_EQ(tl.shl(n, 2).to_doubles(), (Values{0, 4, 8, 12, 16, 20}));
}

TEST_F(TlMathResults, AlongAnAxis) {
  EXPECT_EQ(tl.cumsum(x).to_doubles(), (Values{-2, -3, -3, -2, 0, 3}));
  EXPECT_EQ(tl.argmax(tl.view(x, 0, {2, 3}), 1).to_doubles(), (Values{2, 2}));
  EXPECT_EQ(tl.argmin(tl.abs(x)).item(), 2);
  const tl::TopK top = tl.topk(tl.abs(x), 3);
  EXPECT_EQ(top.values.to_doubles(), (Values{3, 2, 2}));
  EXPECT_EQ(top.indices.to_doubles(), (Values{5, 0, 4}));
  const TensorHandle m = tl.view(x, 0, {2, 3});
  EXPECT_EQ(tl.concat({tl.trans(m), tl.zeros({3, 1}, Dtype::f32)}, 1).to_doubles(),
            (Values{-2, 1, 0, -1, 2, 0, 0, 3, 0}));
}

TEST_F(TlMathResults, RandIsTheSameInPieces) {
  const Values whole = tl.rand({2, 8}, 3).to_doubles();
  EXPECT_EQ(tl.rand({8}, 3, 8).to_doubles(), Values(whole.begin() + 8, whole.end()));
  EXPECT_NE(tl.rand({8}, 4, 8).to_doubles(), Values(whole.begin() + 8, whole.end()));
}

TEST_F(TlMathResults, GeluOfItsPassesIsGelu) {  // what gelu_tanh is charged for
  const double slope = 2 * std::sqrt(2 / std::acos(-1.0));
  const TensorHandle z = x * tl.fma(x * x, -0.044715 * slope, -slope);
  const Values passes = (x / (tl.exp(z) + 1)).to_doubles(), one = tl.gelu_tanh(x).to_doubles();
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(passes[i], one[i], 1e-6);
}

TEST_F(TlMathResults, DotOfMixedFloats) {  // P-90
  const LayoutPtr m = whole("m", Dtype::f32, {1, 2}, 0x5000);
  device.write(*m, {1.0 + 0x1p-20, 3});
  const TensorHandle a = tl.load(tl::Ptr(*m), {1, 2});
  const TensorHandle b = tl.full({2, 1}, 2.0, Dtype::f16);
  EXPECT_EQ(tl.dot(a, b).item(), 8.0 + 0x1p-19);
  EXPECT_EQ(tl.dot(tl.trans(b), tl.trans(a)).item(), 8.0 + 0x1p-19);
}

TEST_F(TlMathResults, SumsOfNarrowIntegersAreI32) {
  const TensorHandle ones = tl.full({200}, 1.0, Dtype::i8);
  EXPECT_EQ(tl.sum(tl.gt(ones, 0)).dtype(), Dtype::i32);
  EXPECT_EQ(tl.sum(tl.gt(ones, 0)).item(), 200);
  EXPECT_EQ(tl.cumsum(ones).to_doubles().back(), 200);
  EXPECT_EQ(tl.sum(ones, 0, Dtype::i16).item(), 200);
  EXPECT_EQ(tl.max(ones * 100, 0, Dtype::i64).item(), 100);
  for (const Dtype narrow : {Dtype::i8}) {
    const std::vector<std::string> message{"element (0) is 200, which does not fit into i8", "out_dtype"};
    expect_program_error([&] { tl.sum(ones, 0, narrow); }, "VALUE_ERROR", message);
    expect_program_error([&] { tl.cumsum(ones, 0, narrow); }, "VALUE_ERROR", {"element (127) is 128"});
  }
  expect_program_error([&] { tl.argmax(tl.arange(0, 300), 0, Dtype::i8); }, "VALUE_ERROR", {"299", "i8"});
  const TensorHandle long_ones = tl.full({3}, std::int64_t{1} << 62, Dtype::i64);
  expect_program_error([&] { tl.sum(long_ones); }, "VALUE_ERROR", {"sum", "13835058055282163712", "i64"});
}

TEST_F(TlMathResults, DotHasTheWidthOfItsAccumulator) {
  const TensorHandle large = tl.full({1, 2}, 60000.0), ones = tl.full({2, 1}, 1.0);
  EXPECT_EQ(tl.dot(large, ones).item(), 120000);
  EXPECT_EQ(tl.dot(large, ones, Dtype::f16).item(), HUGE_VAL);
  const TensorHandle twenty = tl.full({1, 1}, 20.0, Dtype::i8);
  EXPECT_EQ(tl.dot(twenty, twenty).item(), 400);
  expect_program_error([&] { tl.dot(twenty, twenty, Dtype::i8); }, "VALUE_ERROR",
                       {"kernel demo, tl.dot", "element (0, 0) is 400, which does not fit into i8"});
  const TensorHandle acc = tl.full({1, 1}, 2147483000.0, Dtype::i32);
  expect_program_error([&] { tl.dot(twenty * 6, twenty * 6, acc); }, "VALUE_ERROR", {"2147497400", "i32"});
  EXPECT_EQ(tl.dot(twenty, twenty, acc).item(), 2147483400);
}

TEST_F(TlMathResults, AStoreCastsToTheDtypeOfTheTensor) {
  const LayoutPtr halves = whole("halves", Dtype::f16, {4}, 0x7000), bytes = whole("bytes", Dtype::i8, {4}, 0x8000);
  const LayoutPtr eighths = whole("eighths", Dtype::e4m3, {4}, 0x9000);
  tl.store(tl::Ptr(*halves), tl.cast(tl.arange(0, 4), Dtype::f32) / 3);
  EXPECT_EQ(device.read(*halves), (Values{0, 0.333251953125, 0.66650390625, 1}));
  tl.store(tl::Ptr(*eighths), tl.full({4}, 0.3, Dtype::f32));
  EXPECT_EQ(device.read(*eighths), (Values{0.3125, 0.3125, 0.3125, 0.3125}));
  tl.store(tl::Ptr(*bytes), tl.arange(-3, 1));
  EXPECT_EQ(device.read(*bytes), (Values{-3, -2, -1, 0}));
  tl.wait(tl.store_async(tl::Ptr(*bytes), tl.arange(5, 9)));
  EXPECT_EQ(device.read(*bytes), (Values{5, 6, 7, 8}));
  tl.scatter(tl::Ptr(*bytes), std::vector<std::int64_t>{3, 0}, tl.arange(1, 3));
  tl.store(tl::Ptr(*bytes), tl.arange(20, 24), std::vector<bool>{false, true, false, false});
  EXPECT_EQ(device.read(*bytes), (Values{2, 21, 7, 1}));
  expect_program_error([&] { tl.store(tl::Ptr(*bytes), tl.arange(126, 130)); }, "VALUE_ERROR",
                       {"kernel demo, tl.store", "element (2) is 128, which does not fit into i8",
                        "tl.cast(x, Dtype::i8) before keeps the low bits, a tensor of i32 holds all"});
  EXPECT_EQ(device.read(*bytes), (Values{2, 21, 7, 1}));
  expect_program_error([&] { tl.store(tl::Ptr(*bytes), tl.full({4}, 1.0)); }, "DTYPE_ERROR",
                       {"f16", "tensor 'bytes', which is i8", "tl.cast it first"});
  EXPECT_EQ(tl.cast(tl.arange(126, 130), Dtype::i8).to_doubles(), (Values{126, 127, -128, -127}));
}

TEST(TlMathContents, PositionsAreOutOfReachInReplay) {  // P-62
  Device device(data::DataMode::replay);
  FunctionalPe pe(tl::RecordingPe::default_info(), device.recorder);
  Context tl(pe, "demo");
  const tl::TopK top = tl.topk(tl.arange(0, 5), 2);
  expect_program_error([&] { top.indices.to_doubles(); }, "DATA_ACCESS", {"topk"});
  expect_program_error([&] { top.values.to_doubles(); }, "DATA_ACCESS", {"topk"});
}

}  // namespace
}  // namespace kb::tests
