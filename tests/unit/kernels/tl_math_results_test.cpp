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
