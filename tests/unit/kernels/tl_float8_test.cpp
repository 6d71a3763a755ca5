// Tensors of 8-bit floats in kernels: what takes them, and what they give (P-90).
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/tl/tl.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;
using Values = std::vector<double>;

struct TlFloat8 : ::testing::Test {
  Device device;
  FunctionalPe pe{tl::RecordingPe::default_info(), device.recorder};
  Context tl{pe, "demo"};
  LayoutPtr x = whole("x", Dtype::e4m3, {2, 3}, 0x4000000), w = whole("w", Dtype::e5m2, {3, 2}, 0x5000000);
  void SetUp() override {
    device.write(*x, {1, -2, 0.5, 448, 3, 1.125});
    device.write(*w, {1, 2, -4, 0.25, 57344, 0});
  }
};

TEST_F(TlFloat8, TravelsAsBytesAndCastsBothWays) {
  const TensorHandle a = tl.load(Ptr(*x), {2, 3});
  EXPECT_EQ(a.nbytes(), 6u);
  EXPECT_EQ(a.to_doubles(), (Values{1, -2, 0.5, 448, 3, 1.125}));
  const TensorHandle h = tl.cast(a, Dtype::f16);
  EXPECT_EQ(h.to_doubles(), a.to_doubles());
  EXPECT_EQ(tl.cast(h * 1.03125, Dtype::e4m3).to_doubles()[0], 1);  // rounded to nearest even
  EXPECT_TRUE(std::isnan(tl.cast(h * 2, Dtype::e4m3).to_doubles()[3]));
  EXPECT_EQ(tl.cast(h * 2, Dtype::e5m2).to_doubles()[3], 896);
  tl.store(Ptr(*x), tl.cast(tl.clamp(h * 2, -448, 448), Dtype::e4m3));
  EXPECT_EQ(device.read(*x), (Values{2, -4, 1, 448, 6, 2.25}));
  EXPECT_EQ(tl.full({2}, 0.3, Dtype::e4m3).to_doubles(), (Values{0.3125, 0.3125}));
}

TEST_F(TlFloat8, DotComputesInF32) {
  const TensorHandle a = tl.load(Ptr(*x), {2, 3}), b = tl.load(Ptr(*w), {3, 2});
  const TensorHandle wide = tl.dot(a, b, Dtype::f32);
  EXPECT_EQ(wide.to_doubles(), (Values{1 + 8 + 28672, 2 - 0.5, 448 - 12 + 64512, 896 + 0.75}));
  EXPECT_EQ(tl.dot(a, b).dtype(), Dtype::f32);
  EXPECT_EQ(tl.dot(a, tl.cast(b, Dtype::bf16)).dtype(), Dtype::f32);
  const TensorHandle weights_only = tl.dot(tl.cast(a, Dtype::f32), b);
  EXPECT_EQ(weights_only.dtype(), Dtype::f32);
  EXPECT_EQ(weights_only.to_doubles(), wide.to_doubles());
  expect_program_error([&] { tl.dot(a, b, Dtype::e4m3); }, "DTYPE_ERROR", {"the result cannot be e4m3", "cast"});
  expect_program_error([&] { tl.dot(a, tl.zeros({3, 2}, Dtype::i8)); }, "DTYPE_ERROR", {"e4m3", "i8"});
}

TEST_F(TlFloat8, AComposite) {
  const LayoutPtr out = whole("out", Dtype::f32, {2, 2}, 0x6000000);
  tl::CompositeOptions options;
  options.epilogue = {tl::Epilogue::dequant(0.5)};
  tl.wait(tl.composite(tl.ref(Ptr(*x), {2, 3}), tl.ref(Ptr(*w), {3, 2}), Ptr(*out), options));
  EXPECT_EQ(device.read(*out), (Values{14340.5, 0.75, 32474, 448.375}));
  expect_program_error(
      [&] {
        tl.composite(tl.ref(Ptr(*x), {2, 3}), tl.ref(Ptr(*w), {3, 2}), Ptr(*x).as(Dtype::e5m2), options);
      },
      "DTYPE_ERROR", {"cannot be e5m2"});
}

TEST_F(TlFloat8, OtherOperationsAskForACast) {
  const TensorHandle a = tl.load(Ptr(*x), {2, 3});
  const std::vector<std::string> advice{"e4m3", "for storage", "tl.cast(x, Dtype::f16)"};
  expect_program_error([&] { a + 1; }, "DTYPE_ERROR", advice);
  expect_program_error([&] { a + tl.zeros({2, 3}, Dtype::f32); }, "DTYPE_ERROR", advice);
  expect_program_error([&] { tl.exp(a); }, "DTYPE_ERROR", advice);
  expect_program_error([&] { tl.sum(a); }, "DTYPE_ERROR", advice);
  expect_program_error([&] { tl.where(a, 1.0, tl.zeros({2, 3})); }, "DTYPE_ERROR", advice);
  expect_program_error([&] { tl.topk(a, 1); }, "DTYPE_ERROR", advice);
  expect_program_error([&] { tl.concat({a, a}); }, "DTYPE_ERROR", advice);
  expect_program_error([&] { tl.rand({2}, 1, 0, Dtype::e4m3); }, "DTYPE_ERROR", {"no random e4m3"});
  expect_program_error([&] { tl.atomic_add(Ptr(*x), a); }, "DTYPE_ERROR", {"tensor 'x' is e4m3", "memory adds"});
  EXPECT_EQ(tl.gather(Ptr(*x), std::vector<std::int64_t>{1}, 3).to_doubles(), (Values{448, 3, 1.125}));
}

}  // namespace
}  // namespace kb::tests
