// GEMM in every dtype against plain loops (P-90), transposed operands (P-70), and bits that stay.
#include <gtest/gtest.h>

#include <cmath>

#include "platform/data/executor.h"
#include "platform/data/reference.h"
#include "platform/data/running_error.h"
#include "platform/data/verification.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::at;
using test::expect_error;
using test::get;
using test::kAllDtypes;
using test::put;
using test::record;

constexpr std::uint64_t kA = 0, kB = 64 * kMiB, kC = 128 * kMiB;

std::vector<double> transpose(const std::vector<double>& values, std::size_t rows, std::size_t cols) {
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) out[j * rows + i] = values[i * cols + j];
  }
  return out;
}

// Small whole numbers: every partial sum is exact in f32, so the order of the sum cannot matter.
void check_exact(Dtype dtype, std::size_t m, std::size_t k, std::size_t n, bool ta, bool tb) {
  MemoryStore memory;
  Executor executor(memory);
  const Shape sa{static_cast<std::int64_t>(m), static_cast<std::int64_t>(k)};
  const Shape sb{static_cast<std::int64_t>(k), static_cast<std::int64_t>(n)};
  const auto va = random_small_integers(1, m * k);
  const auto vb = random_small_integers(2, k * n);
  const OperandRef a = at(kA, sa, dtype, ta), b = at(kB, sb, dtype, tb);
  const OperandRef c = at(kC, {sa[0], sb[1]}, is_float(dtype) ? dtype : default_acc_dtype(dtype));
  put(memory, a, ta ? transpose(va, m, k) : va);
  put(memory, b, tb ? transpose(vb, k, n) : vb);
  executor.execute(record(GemmOp{a, b, c, default_acc_dtype(dtype)}));
  const auto got = get(memory, c);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += va[i * k + p] * vb[p * n + j];
      const double want = is_float(dtype) ? to_doubles(dtype, from_doubles(dtype, {sum}))[0] : sum;
      ASSERT_EQ(got[i * n + j], want) << dtype_name(dtype) << " " << m << "x" << k << "x" << n << " at " << i << ","
                                      << j;
    }
  }
}

TEST(ExecutorGemm, EveryDtypeShapeAndTranspose_P70_P90) {
  const std::size_t shapes[][3] = {{1, 1, 1},   {1, 64, 1},  {3, 5, 7},   {16, 16, 16},
                                   {17, 33, 9}, {1, 40, 50}, {50, 40, 1}, {64, 64, 64}};
  for (Dtype dtype : kAllDtypes) {
    for (const auto& s : shapes) {
      for (int t = 0; t < 4; ++t) check_exact(dtype, s[0], s[1], s[2], (t & 1) != 0, (t & 2) != 0);
    }
  }
}

TEST(ExecutorGemm, EmptyInnerDimensionGivesZero) {
  MemoryStore memory;
  Executor executor(memory);
  const OperandRef c = at(kC, {2, 2}, Dtype::f16);
  put(memory, c, {1, 2, 3, 4});
  executor.execute(record(GemmOp{at(kA, {2, 0}, Dtype::f16), at(kB, {0, 2}, Dtype::f16), c, Dtype::f32}));
  EXPECT_EQ(get(memory, c), (std::vector<double>(4, 0.0)));
}

TEST(ExecutorGemm, AccumulatesInF32AndRoundsOnce_P90) {
  MemoryStore memory;
  Executor executor(memory);
  // 2048 + 1 + 1: in f16 each addition of 1 would be lost.
  put(memory, at(kA, {1, 3}, Dtype::f16), {2048, 1, 1});
  put(memory, at(kB, {3, 1}, Dtype::f16), {1, 1, 1});
  const auto dot = [&](Dtype out) {
    const OperandRef c = at(kC, {1, 1}, out);
    executor.execute(record(GemmOp{at(kA, {1, 3}, Dtype::f16), at(kB, {3, 1}, Dtype::f16), c, Dtype::f32}));
    return get(memory, c)[0];
  };
  EXPECT_EQ(dot(Dtype::f16), 2050.0);
  put(memory, at(kA, {1, 3}, Dtype::f16), {2048, 1, 0});
  EXPECT_EQ(dot(Dtype::f16), 2048.0);  // 2049 to nearest even
  EXPECT_EQ(dot(Dtype::f32), 2049.0);
}

TEST(ExecutorGemm, IntegersMustFitTheAccumulatorAndTheResult_P90) {
  MemoryStore memory;
  Executor executor(memory);
  put(memory, at(kA, {1, 2}, Dtype::i32), {2147483647, 2});
  put(memory, at(kB, {2, 1}, Dtype::i32), {2, 1});
  const auto dot = [&](Dtype acc, Dtype out) {
    const OperandRef c = at(kC, {1, 1}, out);
    executor.execute(record(GemmOp{at(kA, {1, 2}, Dtype::i32), at(kB, {2, 1}, Dtype::i32), c, acc}));
    return get(memory, c)[0];
  };
  EXPECT_EQ(dot(Dtype::i64, Dtype::i64), 4294967296.0);
  expect_error([&] { dot(Dtype::i32, Dtype::i64); }, ErrorFamily::program, "VALUE_ERROR",
               {"the accumulator of dot: element (0, 0) is 4294967296, which does not fit into i32"});
  expect_error([&] { dot(Dtype::i64, Dtype::i32); }, ErrorFamily::program, "VALUE_ERROR",
               {"dot: element (0, 0) is 4294967296, which does not fit into i32"});
  put(memory, at(kA, {1, 2}, Dtype::i32), {2147483647, -2147483647});
  EXPECT_EQ(dot(Dtype::i32, Dtype::i32), 2147483647.0);  // 2 (2^31 - 1) on its way there
}

TEST(ExecutorGemm, RefusesOtherAccumulators) {
  MemoryStore memory;
  Executor executor(memory);
  expect_error(
      [&] {
        executor.execute(record(
            GemmOp{at(kA, {1, 1}, Dtype::f16), at(kB, {1, 1}, Dtype::f16), at(kC, {1, 1}, Dtype::f16), Dtype::f16}));
      },
      ErrorFamily::program, "DTYPE_ERROR", {"dot of f16 cannot accumulate in f16"});
  expect_error(
      [&] {
        executor.execute(record(
            GemmOp{at(kA, {1, 1}, Dtype::f16), at(kB, {1, 1}, Dtype::f16), at(kC, {1, 2}, Dtype::f16), Dtype::f32}));
      },
      ErrorFamily::program, "SHAPE_ERROR", {"the result is (1, 1)"});
}

// Design rule: the same bits with every compiler, build type and CPU. The sums are inexact, so their order shows.
std::uint64_t digest(const std::vector<std::byte>& bytes, std::uint64_t hash = 0xcbf29ce484222325u) {
  for (std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;  // FNV-1a
  return hash;
}

TEST(ExecutorGemm, BitsAreTheSameEverywhere) {
  std::uint64_t products = 0xcbf29ce484222325u, functions = products;
  const std::int64_t shapes[][3] = {{1, 100, 1}, {7, 300, 5}, {1, 64, 33}, {33, 64, 1}, {64, 64, 64}, {130, 520, 70}};
  for (Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32}) {
    MemoryStore memory;
    Executor executor(memory);
    for (const auto& s : shapes) {
      for (bool t : {false, true}) {
        const OperandRef a = at(kA, {s[0], s[1]}, dtype, t), b = at(kB, {s[1], s[2]}, dtype, t);
        const OperandRef c = at(kC, {s[0], s[2]}, dtype);
        put(memory, a, random_uniform(1, static_cast<std::size_t>(s[0] * s[1]), -1, 1));
        put(memory, b, random_uniform(2, static_cast<std::size_t>(s[1] * s[2]), -1, 1));
        executor.execute(record(GemmOp{a, b, c, Dtype::f32}));
        products = digest(memory.gather(c.extents), products);
      }
    }
    const OperandRef x = at(kA, {40, 50}, dtype), y = at(kB, {40, 50}, dtype);
    put(memory, x, random_uniform(3, 2000, 0.001, 9));
    for (MathOp op :
         {MathOp::exp, MathOp::log, MathOp::sqrt, MathOp::sigmoid, MathOp::cos, MathOp::sin, MathOp::softmax}) {
      executor.execute(record(MathOpRecord{op, {x}, y, {}}));
      functions = digest(memory.gather(y.extents), functions);
    }
    executor.execute(record(MathOpRecord{MathOp::sum, {x}, at(kC, {1, 1}, dtype), {}}));
    functions = digest(memory.gather({{kC, item_size(dtype)}}), functions);
  }
  EXPECT_EQ(products, 12758001829595330622u);
  EXPECT_EQ(functions, 135410587335366655u);
}

// 256 x 256 x 256 as 64 x 64 x 64 dots on row-wise tiles, accumulated in f32 by adds, as a kernel does it.
class TiledGemm : public ::testing::TestWithParam<Dtype> {};

TEST_P(TiledGemm, MatchesTheReferenceWithinRounding) {
  const Dtype dtype = GetParam();
  constexpr std::int64_t kN = 256, kT = 64;
  MemoryStore memory;
  Executor executor(memory);
  const std::size_t count = kN * kN;
  const OperandRef a = at(kA, {kN, kN}, dtype), b = at(kB, {kN, kN}, dtype);
  put(memory, a, random_uniform(1, count, -1, 1));
  put(memory, b, random_uniform(2, count, -1, 1));
  const auto tile = [&](const OperandRef& whole, std::int64_t row, std::int64_t col) {
    OperandRef t = OperandRef::tensor({}, {kT, kT}, whole.dtype);
    const std::uint64_t item = item_size(whole.dtype);
    for (std::int64_t r = 0; r < kT; ++r) {
      const auto element = static_cast<std::uint64_t>((row * kT + r) * kN + col * kT);
      t.extents.push_back({whole.extents[0].pa + element * item, kT * item});
    }
    return t;
  };
  const OperandRef c = at(kC, {kN, kN}, Dtype::f32), part = at(kC + 4 * kMiB, {kT, kT}, Dtype::f32);
  for (std::int64_t i = 0; i < kN / kT; ++i) {
    for (std::int64_t j = 0; j < kN / kT; ++j) {
      const OperandRef out = tile(c, i, j);
      for (std::int64_t p = 0; p < kN / kT; ++p) {
        executor.execute(record(GemmOp{tile(a, i, p), tile(b, p, j), p == 0 ? out : part, Dtype::f32}));
        if (p > 0) executor.execute(record(MathOpRecord{MathOp::add, {out, part}, out, {}}));
      }
    }
  }
  const BoundedMatrix expected =
      product(exact_matrix(kN, kN, get(memory, a)), exact_matrix(kN, kN, get(memory, b)), kN / kT);
  ErrorBound bound;
  bound.errors = expected.errors;
  const auto row = compare("c", Dtype::f32, c.shape, memory.gather(c.extents), expected.values, bound);
  EXPECT_TRUE(row.ok) << render_table({row});
  EXPECT_LT(row.max_of_bound, 0.2);
}
INSTANTIATE_TEST_SUITE_P(ExecutorGemm, TiledGemm, ::testing::Values(Dtype::f16, Dtype::bf16, Dtype::f32),
                         [](const auto& p) { return std::string(dtype_name(p.param)); });

}  // namespace
}  // namespace kb::data
