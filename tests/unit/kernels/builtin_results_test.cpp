// What the built-in kernels compute, with the data engine behind a PE without time.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "kernels/linear/linear.h"
#include "platform/data/reference.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using data::random_small_integers;

struct Tiles {
  std::int64_t m, k, n;
};

void check_gemm(data::DataMode mode, Dtype dtype, std::int64_t m, std::int64_t k, std::int64_t n, std::uint32_t pes,
                Tiles tiles) {
  Device device(mode);
  const LayoutPtr a = row_wise("a", dtype, {m, k}, 0x10000000, pes);
  const LayoutPtr b = replicated("b", dtype, {k, n}, 0x20000000, 1, pes);
  const LayoutPtr c = row_wise("c", dtype, {m, n}, 0x30000000, pes);
  const auto va = random_small_integers(1, static_cast<std::size_t>(m * k));
  const auto vb = random_small_integers(2, static_cast<std::size_t>(k * n));
  device.write(*a, va);
  device.write(*b, vb);
  device.run(*kernels::KernelCatalog().find("gemm"),
             {{"a", as_arg(a)},
              {"b", as_arg(b)},
              {"c", as_arg(c)},
              {"m", m},
              {"k", k},
              {"n", n},
              {"tile_m", tiles.m},
              {"tile_k", tiles.k},
              {"tile_n", tiles.n}},
             pes);
  // At most 13 terms of at most 64: exact in every dtype used.
  RC_ASSERT(device.read(*c) == data::reference_gemm(va, vb, static_cast<std::size_t>(m), static_cast<std::size_t>(k),
                                                    static_cast<std::size_t>(n))
                                   .values);
}

TEST(GemmResult, EqualsTheReferenceForAnyShapeAndTiles) {  // P-99
  EXPECT_TRUE(rc::check("row-sharded gemm", [] {
    const auto dim = [] { return *rc::gen::inRange<std::int64_t>(1, 14); };
    const auto pes = *rc::gen::inRange<std::uint32_t>(1, 5);
    const Dtype dtype = *rc::gen::element(Dtype::f16, Dtype::f32, Dtype::i16, Dtype::i64);
    const auto mode = *rc::gen::element(data::DataMode::eager, data::DataMode::replay);
    const std::int64_t rows = dim() * pes;
    const std::int64_t k = dim();
    const std::int64_t n = dim();
    check_gemm(mode, dtype, rows, k, n, pes, {dim(), dim(), dim()});
  }));
}

TEST(GemmResult, AccumulatesF16InF32) {  // P-90: 2049 is not an f16; partial sums pass through it
  Device device;
  const LayoutPtr a = whole("a", Dtype::f16, {1, 3}, 0x10000000);
  const LayoutPtr b = whole("b", Dtype::f16, {3, 1}, 0x20000000);
  const LayoutPtr c = whole("c", Dtype::f16, {1, 1}, 0x30000000);
  device.write(*a, {2048, 1, 1});
  device.write(*b, {1, 1, 1});
  const std::int64_t one = 1;
  device.run(*kernels::KernelCatalog().find("gemm"), {{"a", as_arg(a)},
                                                      {"b", as_arg(b)},
                                                      {"c", as_arg(c)},
                                                      {"m", one},
                                                      {"k", std::int64_t{3}},
                                                      {"n", one},
                                                      {"tile_m", one},
                                                      {"tile_k", one},
                                                      {"tile_n", one}});
  EXPECT_EQ(device.read(*c), std::vector<double>{2050});
}

// X (2, 3), W (3, 4) with columns 1, 2, 3, 4 times (1, 1, 1), bias 10 .. 40.
struct LinearCase {
  LayoutPtr x = whole("x", Dtype::f32, {2, 3}, 0x10000000);
  LayoutPtr w = column_wise("w", Dtype::f32, {3, 4}, 0x20000000, 2);
  LayoutPtr y = column_wise("y", Dtype::f32, {2, 4}, 0x40000000, 2);
  Device device;
  LinearCase() {
    device.write(*x, {1, 2, 3, 4, 5, 6});
    device.write(*w, {1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4});  // in shard order
  }
  void run(const LayoutPtr& bias) {
    device.run(kernels::linear_kernel(),
               {{"x", as_arg(x)}, {"w", as_arg(w)}, {"y", as_arg(y)}, {"epilogue", "bias"}, {"bias", as_arg(bias)}}, 2);
  }
};

TEST(LinearResult, TakesItsColumnsOfASplitOrAReplicatedBias) {
  // Rows of X add up to 6 and 15; Y in shard order: columns 0 and 1 of both rows, then 2 and 3.
  const std::vector<double> expected{16, 32, 25, 50, 48, 64, 75, 100};
  for (const bool split : {true, false}) {
    LinearCase c;
    const LayoutPtr bias = split ? column_wise("bias", Dtype::f32, {1, 4}, 0x30000000, 2)
                                 : replicated("bias", Dtype::f32, {1, 4}, 0x30000000, 1, 2);
    c.device.write(*bias, {10, 20, 30, 40});
    c.run(bias);
    EXPECT_EQ(c.device.read(*c.y), expected) << split;
  }
}

TEST(LinearResult, RefusesLayoutsThatItWouldReadInAnotherOrder) {
  LinearCase c;
  const LayoutPtr bias = whole("bias", Dtype::f32, {1, 4}, 0x30000000);
  c.x = column_wise("x", Dtype::f32, {2, 4}, 0x10000000, 2);
  c.w = whole("w", Dtype::f32, {4, 4}, 0x20000000);
  c.y = row_wise("y", Dtype::f32, {2, 4}, 0x40000000, 2);
  expect_program_error([&] { c.run(bias); }, "KERNEL_ERROR", {"'x' is split by columns where its rows are read"});
}

TEST(VectorAddResult, AddsAcrossPes) {
  Device device;
  const LayoutPtr a = row_wise("a", Dtype::f32, {6, 5}, 0x10000000, 3);
  const LayoutPtr b = row_wise("b", Dtype::f32, {6, 5}, 0x20000000, 3);
  const LayoutPtr c = row_wise("c", Dtype::f32, {6, 5}, 0x30000000, 3);
  const auto va = random_small_integers(3, 30);
  const auto vb = random_small_integers(4, 30);
  device.write(*a, va);
  device.write(*b, vb);
  device.run(*kernels::KernelCatalog().find("vector_add"),
             {{"a", as_arg(a)}, {"b", as_arg(b)}, {"c", as_arg(c)}, {"tile", std::int64_t{4}}}, 3);
  std::vector<double> expected;
  for (std::size_t i = 0; i < 30; ++i) expected.push_back(va[i] + vb[i]);
  EXPECT_EQ(device.read(*c), expected);
}

TEST(CopyResult, MovesDataBetweenPlacements) {
  Device device;
  const LayoutPtr src = row_wise("src", Dtype::i16, {8, 3}, 0x10000000, 4);
  const LayoutPtr dst = row_wise("dst", Dtype::i16, {8, 3}, 0x20000000, 2);
  const LayoutPtr third = whole("third", Dtype::i16, {8, 3}, 0x30000000);
  const auto values = random_small_integers(5, 24);
  device.write(*src, values);
  device.run(*kernels::KernelCatalog().find("pull"), {{"src", as_arg(src)}, {"dst", as_arg(dst)}}, 2);
  EXPECT_EQ(device.read(*dst), values);
  device.run(*kernels::KernelCatalog().find("copy"), {{"src", as_arg(dst)},
                                                      {"dst", as_arg(third)},
                                                      {"elements", std::int64_t{24}},
                                                      {"src_offset", std::int64_t{0}},
                                                      {"dst_offset", std::int64_t{0}},
                                                      {"tile", std::int64_t{7}}});
  EXPECT_EQ(device.read(*third), values);
}

TEST(StreamResult, KeepsTheContents) {
  Device device;
  const LayoutPtr data = whole("data", Dtype::f16, {4, 32}, 0x10000000);
  const auto values = random_small_integers(6, 128);
  device.write(*data, values);
  EXPECT_EQ(
      device.run(*kernels::KernelCatalog().find("stream"), {{"data", as_arg(data)}, {"calls", std::int64_t{100}}}),
      100u);
  EXPECT_EQ(device.read(*data), values);
}

}  // namespace
}  // namespace kb::tests
