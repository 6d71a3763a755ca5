// Epilogues of composites against plain loops (P-13 .. P-18, P-90).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "platform/data/executor.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::at;
using test::expect_error;
using test::get;
using test::put;
using test::record;

constexpr std::uint64_t kA = 0, kB = 64 * kMiB, kC = 128 * kMiB, kOperands = 192 * kMiB;

// An epilogue with the values of its operand; `values` has (k_tiles or 1) slices of (rows, columns).
struct Step {
  EpilogueOp op;
  EpilogueScope scope;
  bool number = false;
  std::int64_t k_tiles = 1, rows = 1, columns = 1;
  std::vector<double> values;

  double value(std::int64_t k_tile, std::int64_t row, std::int64_t column) const {
    const std::int64_t slice = k_tiles == 1 ? 0 : k_tile;
    const std::int64_t i = rows == 1 ? 0 : row, j = columns == 1 ? 0 : column;
    return values[static_cast<std::size_t>((slice * rows + i) * columns + j)];
  }
  double applied(double x, std::int64_t k_tile, std::int64_t row, std::int64_t column) const {
    if (op == EpilogueOp::relu) return std::max(x, 0.0);
    const double y = value(k_tile, row, column);
    return op == EpilogueOp::bias ? x + y : x * y;
  }
};

struct Case {
  std::int64_t m, k, n, tile_k;
  Dtype dtype, out;
  std::vector<Step> steps;
};

// What the composite computes, by the definition of the scopes; exact, because every value is a small number.
std::vector<double> expected(const Case& c, const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < c.m; ++i) {
    for (std::int64_t j = 0; j < c.n; ++j) {
      double sum = 0;
      for (std::int64_t begin = 0, tile = 0; begin < c.k; begin += c.tile_k, ++tile) {
        double partial = 0;
        for (std::int64_t p = begin; p < std::min(c.k, begin + c.tile_k); ++p) {
          partial += a[static_cast<std::size_t>(i * c.k + p)] * b[static_cast<std::size_t>(p * c.n + j)];
        }
        for (const Step& step : c.steps) {
          if (step.scope == EpilogueScope::k_tile) partial = step.applied(partial, tile, i, j);
        }
        sum += partial;
      }
      for (const EpilogueScope scope : {EpilogueScope::output_tile, EpilogueScope::kernel}) {
        for (const Step& step : c.steps) {
          if (step.scope == scope) sum = step.applied(sum, 0, i, j);
        }
      }
      out.push_back(sum);
    }
  }
  return out;
}

GemmOp build(MemoryStore& memory, const Case& c, const std::vector<double>& a, const std::vector<double>& b) {
  GemmOp op;
  op.a = at(kA, {c.m, c.k}, c.dtype);
  op.b = at(kB, {c.k, c.n}, c.dtype);
  op.out = at(kC, {c.m, c.n}, c.out);
  put(memory, op.a, a);
  put(memory, op.b, b);
  op.acc_dtype = default_acc_dtype(c.dtype);
  op.composite = true;
  op.tile_k = c.tile_k;
  std::uint64_t next = kOperands;
  for (const Step& step : c.steps) {
    Epilogue epilogue{step.op, step.scope, {}};
    if (step.number) {
      epilogue.operand = OperandRef::number(Scalar(step.values[0]), Dtype::f32);
    } else if (step.op != EpilogueOp::relu) {
      const bool floats = step.op == EpilogueOp::dequant || is_float(c.dtype);
      Shape shape{step.rows, step.columns};
      if (step.k_tiles > 1) shape.insert(shape.begin(), step.k_tiles);
      epilogue.operand = at(next, shape, floats ? Dtype::f32 : Dtype::i32);
      put(memory, *epilogue.operand, step.values);
      next += kMiB;
    }
    op.epilogues.push_back(epilogue);
  }
  return op;
}

Step any_step(const Case& c) {
  Step step;
  step.op = *rc::gen::element(EpilogueOp::bias, EpilogueOp::relu, EpilogueOp::scale);
  step.scope = *rc::gen::element(EpilogueScope::k_tile, EpilogueScope::output_tile, EpilogueScope::kernel);
  if (step.op == EpilogueOp::relu) return step;
  step.number = step.op == EpilogueOp::scale && is_float(c.dtype) && *rc::gen::arbitrary<bool>();
  if (!step.number) {
    const std::int64_t k_tiles = (c.k + c.tile_k - 1) / c.tile_k;
    step.k_tiles = step.scope == EpilogueScope::k_tile && *rc::gen::arbitrary<bool>() ? k_tiles : 1;
    step.rows = *rc::gen::element(std::int64_t{1}, c.m);
    step.columns = *rc::gen::element(std::int64_t{1}, c.n);
  }
  const auto count = static_cast<std::size_t>(step.k_tiles * step.rows * step.columns);
  step.values = random_small_integers(*rc::gen::inRange<std::uint64_t>(0, 1000), count);
  if (step.op == EpilogueOp::scale) {
    for (double& value : step.values) value = value > 0 ? 2 : -1;
  }
  return step;
}

RC_GTEST_PROP(ExecutorEpilogue, EqualsPlainLoopsOnRandomChains_P13_P18, ()) {
  Case c;
  c.m = *rc::gen::inRange(1, 12);
  c.k = *rc::gen::inRange(1, 40);
  c.n = *rc::gen::inRange(1, 12);
  c.tile_k = *rc::gen::inRange(1, 20);
  c.dtype = *rc::gen::element(Dtype::f16, Dtype::f32, Dtype::i8, Dtype::i32);
  c.out = is_float(c.dtype) ? Dtype::f32 : Dtype::i32;
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) c.steps.push_back(any_step(c));
  if (!is_float(c.dtype) && *rc::gen::arbitrary<bool>()) {  // floats from here on
    c.steps.push_back({EpilogueOp::dequant, EpilogueScope::kernel, false, 1, 1, c.n, {}});
    c.steps.back().values.assign(static_cast<std::size_t>(c.n), 0.5);
    c.out = Dtype::f32;
  }
  MemoryStore memory;
  Executor executor(memory);
  const auto a = random_small_integers(1, static_cast<std::size_t>(c.m * c.k));
  const auto b = random_small_integers(2, static_cast<std::size_t>(c.k * c.n));
  const GemmOp op = build(memory, c, a, b);
  executor.execute(record(op));
  RC_ASSERT(get(memory, op.out) == expected(c, a, b));
}

TEST(ExecutorEpilogue, GroupWiseDequantScalesEachKTile_P14) {
  Case c{1, 4, 2, 2, Dtype::i8, Dtype::f32, {{EpilogueOp::dequant, EpilogueScope::k_tile, false, 2, 1, 2, {}}}};
  c.steps[0].values = {0.5, 1, 2, 4};
  MemoryStore memory;
  const GemmOp op = build(memory, c, {1, 1, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  Executor(memory).execute(record(op));
  EXPECT_EQ(get(memory, op.out), (std::vector<double>{0.5 * 4 + 2 * 12, 1 * 6 + 4 * 14}));
}

TEST(ExecutorEpilogue, RoundsOnceAfterTheChain_P90) {
  // 2048 + 1 is lost in f16; the product 2049 must reach the bias in f32.
  Case c{1, 2, 1, 2, Dtype::f16, Dtype::f16, {{EpilogueOp::bias, EpilogueScope::output_tile, false, 1, 1, 1, {1}}}};
  MemoryStore memory;
  const GemmOp op = build(memory, c, {2048, 1}, {1, 1});
  Executor(memory).execute(record(op));
  EXPECT_EQ(get(memory, op.out), std::vector<double>{2050});
}

TEST(ExecutorEpilogue, MistakesNameTheEpilogue_P14) {
  const OperandRef a = at(kA, {4, 6}, Dtype::f16), b = at(kB, {6, 8}, Dtype::f16);
  const auto check = [&](Epilogue epilogue, const std::string& code, const std::vector<std::string>& parts) {
    expect_error([&] { composite_gemm_result(a, b, {epilogue}, 3, Dtype::f16); }, ErrorFamily::program, code, parts);
  };
  check({EpilogueOp::bias, EpilogueScope::output_tile, {}}, "SCHEMA_ERROR", {"epilogue bias", "needs its bias"});
  check({EpilogueOp::relu, EpilogueScope::kernel, at(kC, {8}, Dtype::f16)}, "SCHEMA_ERROR", {"takes no operand"});
  check({EpilogueOp::bias, EpilogueScope::output_tile, at(kC, {7}, Dtype::f16)}, "SHAPE_ERROR",
        {"shape (7)", "product (4, 8)"});
  check({EpilogueOp::dequant, EpilogueScope::k_tile, at(kC, {2, 1, 8}, Dtype::f32)}, "SHAPE_ERROR", {"3 K tiles"});
  check({EpilogueOp::bias, EpilogueScope::output_tile, at(kC, {8}, Dtype::i32)}, "DTYPE_ERROR", {"float operand"});
  const OperandRef ia = at(kA, {4, 6}, Dtype::i8), ib = at(kB, {6, 8}, Dtype::i8);
  const Epilogue scale{EpilogueOp::scale, EpilogueScope::output_tile, OperandRef::number(0.5, Dtype::f32)};
  expect_error([&] { composite_gemm_result(ia, ib, {scale}, 1, Dtype::i8); }, ErrorFamily::program, "DTYPE_ERROR",
               {"scale", "dequant it before"});
  const Epilogue dequant{EpilogueOp::dequant, EpilogueScope::output_tile, OperandRef::number(0.5, Dtype::f32)};
  expect_error([&] { composite_gemm_result(ia, ib, {dequant}, 1, Dtype::i8); }, ErrorFamily::program, "DTYPE_ERROR",
               {"end in float numbers"});
  EXPECT_EQ(composite_gemm_result(ia, ib, {dequant}, 1, Dtype::f16).dtype, Dtype::f16);
}

}  // namespace
}  // namespace kb::data
