// Contents of facade results as a kernel sees them, computed by the data engine (P-62, P-99).
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

struct TlResults : ::testing::Test {
  Device device;
  FunctionalPe pe{tl::RecordingPe::default_info(), device.recorder};
  Context tl{pe, "demo"};
  TensorHandle x = tl.cast(tl.arange(0, 4), Dtype::f32);  // 0 1 2 3
};

TEST_F(TlResults, ElementwiseAndOperators) {
  EXPECT_EQ((x + x * 2 - 1).to_doubles(), (Values{-1, 2, 5, 8}));
  EXPECT_EQ((1 - x).to_doubles(), (Values{1, 0, -1, -2}));
  EXPECT_EQ((-x / 2).to_doubles(), (Values{0, -0.5, -1, -1.5}));
  EXPECT_EQ(tl.maximum(x, 2).to_doubles(), (Values{2, 2, 2, 3}));
  EXPECT_EQ(tl.clamp(x, 1, 2).to_doubles(), (Values{1, 1, 2, 2}));
  EXPECT_EQ(tl.where(tl.arange(0, 4) * 1, x, -5.0).to_doubles(), (Values{-5, 1, 2, 3}));
  EXPECT_EQ(tl.fma(x, x, 1).to_doubles(), (Values{1, 2, 5, 10}));
  EXPECT_EQ(tl.sqrt(x * x).to_doubles(), x.to_doubles());
  EXPECT_EQ(tl.sum(x).item(), 6);
  EXPECT_EQ(tl.max(x, 0).item(), 3);
}

TEST_F(TlResults, UpdatesAreSeenByCopies) {
  TensorHandle y = x;
  y *= 10;
  EXPECT_EQ(x.to_doubles(), (Values{0, 10, 20, 30}));
  const TensorHandle kept = tl.zeros({4}, Dtype::f32);
  {
    const tl::Scratch scope(tl);
    tl.assign(kept, y + 1);
  }
  EXPECT_EQ(kept.read<int>(), (std::vector<int>{1, 11, 21, 31}));
}

TEST_F(TlResults, TransposedViewsComputeTransposed) {  // P-70
  const LayoutPtr m = whole("m", Dtype::f32, {2, 3}, 0x5000);
  device.write(*m, {1, 2, 3, 4, 5, 6});
  const TensorHandle a = tl.load(tl::Ptr(*m), {2, 3});
  const TensorHandle t = tl.trans(a);
  EXPECT_EQ(t.to_doubles(), (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(tl.dot(a, t).to_doubles(), (Values{14, 32, 32, 77}));
  EXPECT_EQ(tl.cast(t, Dtype::f32).to_doubles(), t.to_doubles());
  EXPECT_EQ((t + tl.zeros({3, 2}, Dtype::f32)).to_doubles(), t.to_doubles());
}

TEST_F(TlResults, SoftmaxSumsToOne) {
  EXPECT_NEAR(tl.sum(tl.softmax(x)).item(), 1.0, 1e-6);
}

TEST(TlContents, ComputedValuesAreOutOfReachInReplay) {  // P-62
  Device device(data::DataMode::replay);
  FunctionalPe pe(tl::RecordingPe::default_info(), device.recorder);
  Context tl(pe, "demo");
  const TensorHandle known = tl.arange(0, 3);
  EXPECT_EQ(known.to_doubles(), (Values{0, 1, 2}));
  const TensorHandle computed = known + 1;
  expect_program_error([&] { computed.to_doubles(); }, "DATA_ACCESS", {"kernel demo, tl.read"});
}

}  // namespace
}  // namespace kb::tests
