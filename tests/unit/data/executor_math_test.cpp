// Every math operation in every dtype against plain loops in double (floats) and 128-bit integers (P-90, section 9).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "platform/data/executor.h"
#include "platform/data/math_kernels.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::at;
using test::expect_error;
using test::get;
using test::kAllDtypes;
using test::put;
using test::record;
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideBits;

constexpr std::uint64_t kX = 0x10000, kY = 0x20000, kZ = 0x30000, kOut = 0x40000;

double as_dtype(Dtype dtype, double value) {  // the engines round to f32, then to the dtype
  return to_doubles(dtype, from_doubles(dtype, {static_cast<double>(static_cast<float>(value))}))[0];
}

double wrapped(Dtype dtype, Wide value) {
  const int shift = 128 - static_cast<int>(item_size(dtype)) * 8;
  const auto high = static_cast<Wide>(static_cast<WideBits>(value) << shift);
  return static_cast<double>(high >> shift);
}

struct Oracle {
  std::function<double(double, double, double)> real;  // null: floats only or integers only
  std::function<Wide(Wide, Wide, Wide)> whole;
};

const std::map<MathOp, Oracle>& oracles() {
  static const std::map<MathOp, Oracle> table = {
      {MathOp::add, {[](double a, double b, double) { return a + b; }, [](Wide a, Wide b, Wide) { return a + b; }}},
      {MathOp::sub, {[](double a, double b, double) { return a - b; }, [](Wide a, Wide b, Wide) { return a - b; }}},
      {MathOp::mul, {[](double a, double b, double) { return a * b; }, [](Wide a, Wide b, Wide) { return a * b; }}},
      {MathOp::div, {[](double a, double b, double) { return a / b; }, [](Wide a, Wide b, Wide) { return a / b; }}},
      {MathOp::maximum,
       {[](double a, double b, double) { return a > b ? a : b; }, [](Wide a, Wide b, Wide) { return a > b ? a : b; }}},
      {MathOp::minimum,
       {[](double a, double b, double) { return a < b ? a : b; }, [](Wide a, Wide b, Wide) { return a < b ? a : b; }}},
      {MathOp::exp, {[](double a, double, double) { return std::exp(a); }, nullptr}},
      {MathOp::log, {[](double a, double, double) { return std::log(a); }, nullptr}},
      {MathOp::sqrt, {[](double a, double, double) { return std::sqrt(a); }, nullptr}},
      {MathOp::abs,
       {[](double a, double, double) { return std::fabs(a); }, [](Wide a, Wide, Wide) { return a < 0 ? -a : a; }}},
      {MathOp::neg, {[](double a, double, double) { return -a; }, [](Wide a, Wide, Wide) { return -a; }}},
      {MathOp::sigmoid, {[](double a, double, double) { return 1.0 / (1.0 + std::exp(-a)); }, nullptr}},
      {MathOp::cos, {[](double a, double, double) { return std::cos(a); }, nullptr}},
      {MathOp::sin, {[](double a, double, double) { return std::sin(a); }, nullptr}},
      {MathOp::relu,
       {[](double a, double, double) { return a > 0 ? a : 0.0; }, [](Wide a, Wide, Wide) { return a > 0 ? a : 0; }}},
      {MathOp::fma,
       {[](double a, double b, double c) { return std::fma(a, b, c); },
        [](Wide a, Wide b, Wide c) { return a * b + c; }}},
      {MathOp::clamp,
       {[](double a, double b, double c) { return std::min(std::max(a, b), c); },
        [](Wide a, Wide b, Wide c) { return std::min(std::max(a, b), c); }}},
      {MathOp::where,
       {[](double a, double b, double c) { return a != 0 ? b : c; },
        [](Wide a, Wide b, Wide c) { return a != 0 ? b : c; }}},
  };
  return table;
}

struct Case {
  MemoryStore memory;
  Executor executor{memory};
  void run(MathOp op, std::vector<OperandRef> inputs, OperandRef out, std::optional<int> axis = {}) {
    executor.execute(record(MathOpRecord{op, std::move(inputs), std::move(out), axis}));
  }
};

std::vector<double> sample(Dtype dtype, MathOp op, std::uint64_t seed, std::size_t count) {
  if (!is_float(dtype)) {
    std::vector<std::int64_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int64_t>(random_bits(seed, i)) >> 24;
    std::vector<double> out = to_doubles(dtype, from_integers(dtype, values));  // full range of the narrow types
    for (double& v : out) v = v == 0 && op == MathOp::div ? 1 : v;
    return out;
  }
  const bool positive = op == MathOp::log || op == MathOp::sqrt;
  std::vector<double> values = random_uniform(seed, count, positive ? 0.01 : -4.0, 4.0);
  if (op == MathOp::where) {
    for (std::size_t i = 0; i < count; i += 3) values[i] = 0.0;
  }
  return to_doubles(dtype, from_doubles(dtype, values));
}

TEST(ExecutorMath, EveryElementwiseOpInEveryDtype) {
  constexpr std::size_t kCount = 6 * 35;
  const Shape shape{6, 35};
  int computed = 0;
  for (const auto& [op, oracle] : oracles()) {
    for (Dtype dtype : kAllDtypes) {
      if (!is_float(dtype) && !oracle.whole) continue;
      Case c;
      const std::uint64_t places[] = {kX, kY, kZ};
      std::vector<OperandRef> inputs;
      std::vector<double> values[3];
      for (int i = 0; i < 3; ++i) {
        values[i] = sample(dtype, op, 7 + static_cast<unsigned>(i), kCount);
        if (i >= math_arity(op)) continue;
        inputs.push_back(at(places[i], shape, dtype));
        put(c.memory, inputs.back(), values[i]);
      }
      const OperandRef out = at(kOut, shape, dtype);
      c.run(op, inputs, out);
      const std::vector<double> got = get(c.memory, out);
      for (std::size_t i = 0; i < kCount; ++i) {
        const double x = values[0][i], y = values[1][i], z = values[2][i];
        const auto whole = [](double v) { return static_cast<Wide>(v); };
        const double want = is_float(dtype) ? as_dtype(dtype, oracle.real(x, y, z))
                                            : wrapped(dtype, oracle.whole(whole(x), whole(y), whole(z)));
        ASSERT_EQ(got[i], want) << math_op_name(op) << " " << dtype_name(dtype) << " element " << i << ": " << x << " "
                                << y << " " << z;
      }
      ++computed;
    }
  }
  EXPECT_EQ(computed, 12 * 7 + 6 * 3);
}

TEST(ExecutorMath, BroadcastsEveryCombination) {
  const Shape shapes[] = {{3, 4}, {1, 4}, {3, 1}, {4}, {1}, {1, 1}, {2, 3, 4}, {2, 1, 1}, {2, 1, 4}};
  for (const Shape& sx : shapes) {
    for (const Shape& sy : shapes) {
      Case c;
      const OperandRef x = at(kX, sx, Dtype::i32), y = at(kY, sy, Dtype::i32);
      const auto vx = random_small_integers(1, static_cast<std::size_t>(element_count(sx)));
      const auto vy = random_small_integers(2, static_cast<std::size_t>(element_count(sy)));
      put(c.memory, x, vx);
      put(c.memory, y, vy);
      const OperandRef out = at(kOut, math_result(MathOp::sub, {x, y}, {}).shape, Dtype::i32);
      c.run(MathOp::sub, {x, y}, out);
      Shape full = out.shape;
      full.insert(full.begin(), 3 - full.size(), 1);
      const auto element = [](const Shape& own, const std::vector<double>& values, std::int64_t i, std::int64_t j,
                              std::int64_t k) {
        Shape s = own;
        s.insert(s.begin(), 3 - s.size(), 1);
        return values[static_cast<std::size_t>(((i % s[0]) * s[1] + j % s[1]) * s[2] + k % s[2])];
      };
      const auto got = get(c.memory, out);
      std::size_t at_out = 0;
      for (std::int64_t i = 0; i < full[0]; ++i) {
        for (std::int64_t j = 0; j < full[1]; ++j) {
          for (std::int64_t k = 0; k < full[2]; ++k) {
            ASSERT_EQ(got[at_out++], element(sx, vx, i, j, k) - element(sy, vy, i, j, k))
                << format_shape(sx) << format_shape(sy);
          }
        }
      }
    }
  }
}

TEST(ExecutorMath, TransposedInputsAreReadTransposed_P70) {
  Case c;
  const OperandRef x = at(kX, {3, 2}, Dtype::f32, true);  // stored (2, 3)
  const OperandRef y = at(kY, {3, 2}, Dtype::f32);
  put(c.memory, at(kX, {2, 3}, Dtype::f32), {1, 2, 3, 4, 5, 6});
  put(c.memory, y, {10, 20, 30, 40, 50, 60});
  c.run(MathOp::add, {x, y}, at(kOut, {3, 2}, Dtype::f32));
  EXPECT_EQ(get(c.memory, at(kOut, {3, 2}, Dtype::f32)), (std::vector<double>{11, 24, 32, 45, 53, 66}));
  c.run(MathOp::sum, {x}, at(kOut, {3, 1}, Dtype::f32), 1);
  EXPECT_EQ(get(c.memory, at(kOut, {3, 1}, Dtype::f32)), (std::vector<double>{5, 7, 9}));
  c.run(MathOp::add, {x, at(kY, {1, 2}, Dtype::f32, true)}, at(kOut, {3, 2}, Dtype::f32));  // transposed and broadcast
  EXPECT_EQ(get(c.memory, at(kOut, {3, 2}, Dtype::f32)), (std::vector<double>{11, 24, 12, 25, 13, 26}));
}

TEST(ExecutorMath, NumbersAndScatteredExtents) {
  Case c;
  OperandRef x = at(kX, {2, 2}, Dtype::i64);
  x.extents = {{kX, 12}, {kX + 100, 20}};  // an element lies across the pieces
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  const auto bytes = from_integers(Dtype::i64, {large, 2, 3, 4});
  c.memory.scatter(x.extents, bytes.data());
  const OperandRef out = at(kOut, {2, 2}, Dtype::i64);
  c.run(MathOp::mul, {x, OperandRef::number(std::int64_t{-3}, Dtype::i64)}, out);
  EXPECT_EQ(to_integers(Dtype::i64, c.memory.gather(out.extents)),
            (std::vector<std::int64_t>{-3 * large, -6, -9, -12}));
  put(c.memory, at(kY, {2}, Dtype::f16), {1.0, 3.0});
  c.run(MathOp::clamp,
        {at(kY, {2}, Dtype::f16), OperandRef::number(1.5, Dtype::f16), OperandRef::number(std::int64_t{2}, Dtype::f16)},
        at(kOut, {2}, Dtype::f16));
  EXPECT_EQ(get(c.memory, at(kOut, {2}, Dtype::f16)), (std::vector<double>{1.5, 2.0}));
}

TEST(ExecutorMath, ReductionsAlongEveryAxis) {
  const Shape shape{3, 4, 5};
  for (Dtype dtype : kAllDtypes) {
    for (MathOp op : {MathOp::sum, MathOp::max, MathOp::min}) {
      for (int axis = -3; axis <= 3; ++axis) {  // 3 stands for no axis
        Case c;
        const OperandRef x = at(kX, shape, dtype);
        put(c.memory, x, sample(dtype, op, 5, 60));
        if (dtype == Dtype::i32) c.run(MathOp::shr, {x, OperandRef::number(std::int64_t{8}, dtype)}, x);  // sums fit
        const auto values = get(c.memory, x);
        const std::optional<int> chosen = axis == 3 ? std::nullopt : std::optional<int>(axis);
        const TensorType result = math_result(op, {x}, chosen);
        const OperandRef out = at(kOut, result.shape, result.dtype);
        c.run(op, {x}, out, chosen);
        std::map<std::vector<int>, std::vector<double>> groups;
        for (int i = 0; i < 60; ++i) {
          std::vector<int> index{i / 20, i / 5 % 4, i % 5};
          if (axis == 3)
            index = {};
          else
            index[static_cast<std::size_t>((axis + 3) % 3)] = 0;
          groups[index].push_back(values[static_cast<std::size_t>(i)]);
        }
        const auto got = get(c.memory, out);
        ASSERT_EQ(got.size(), groups.size());
        std::size_t g = 0;
        for (const auto& [index, members] : groups) {  // row-major order of the result
          double want = members[0];
          Wide exact = static_cast<Wide>(want);
          for (std::size_t i = 1; i < members.size(); ++i) {
            want = op == MathOp::sum   ? static_cast<double>(static_cast<float>(want + members[i]))
                   : op == MathOp::max ? std::max(want, members[i])
                                       : std::min(want, members[i]);
            exact += static_cast<Wide>(members[i]);
          }
          if (op == MathOp::sum) want = is_float(dtype) ? as_dtype(dtype, want) : static_cast<double>(exact);
          ASSERT_EQ(got[g++], want) << math_op_name(op) << " " << dtype_name(dtype) << " axis " << axis;
        }
      }
    }
  }
}

TEST(ExecutorMath, SoftmaxSumsToOneAlongItsAxis) {
  for (Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32}) {
    Case c;
    const OperandRef x = at(kX, {4, 6}, dtype);
    put(c.memory, x, sample(dtype, MathOp::softmax, 3, 24));
    const auto values = get(c.memory, x);
    c.run(MathOp::softmax, {x}, at(kOut, {4, 6}, dtype), 0);
    const auto got = get(c.memory, at(kOut, {4, 6}, dtype));
    const double tolerance = dtype == Dtype::f16 ? 1e-3 : dtype == Dtype::bf16 ? 1e-2 : 1e-6;
    for (std::size_t column = 0; column < 6; ++column) {
      double sum = 0;
      for (std::size_t row = 0; row < 4; ++row) sum += std::exp(values[row * 6 + column]);
      for (std::size_t row = 0; row < 4; ++row) {
        EXPECT_NEAR(got[row * 6 + column], std::exp(values[row * 6 + column]) / sum, tolerance);
      }
    }
  }
  Case c;  // large inputs do not overflow
  put(c.memory, at(kX, {2}, Dtype::f32), {1e30, 1e30});
  c.run(MathOp::softmax, {at(kX, {2}, Dtype::f32)}, at(kOut, {2}, Dtype::f32));
  EXPECT_EQ(get(c.memory, at(kOut, {2}, Dtype::f32)), (std::vector<double>{0.5, 0.5}));
}

TEST(ExecutorMath, CastsBetweenClasses) {
  Case c;
  const OperandRef f = at(kX, {4}, Dtype::f32);
  put(c.memory, f, {1.75, -2.5, 300, 65520});
  const auto cast = [&](const OperandRef& in, Dtype to) {
    c.run(MathOp::cast, {in}, at(kOut, in.shape, to));
    return get(c.memory, at(kOut, in.shape, to));
  };
  EXPECT_EQ(cast(f, Dtype::i32), (std::vector<double>{1, -2, 300, 65520}));
  EXPECT_EQ(cast(f, Dtype::f16), (std::vector<double>{1.75, -2.5, 300, HUGE_VAL}));
  expect_error([&] { cast(f, Dtype::i8); }, ErrorFamily::program, "VALUE_ERROR", {"300 does not fit into i8"});
  const OperandRef i = at(kY, {2}, Dtype::i32);
  put(c.memory, i, {300, -1});
  EXPECT_EQ(cast(i, Dtype::i8), (std::vector<double>{44, -1}));  // integers keep their low bits
  EXPECT_EQ(cast(i, Dtype::bf16), (std::vector<double>{300, -1}));
}

TEST(ExecutorMath, SpecialValues) {
  Case c;
  const double nan = std::nan(""), inf = HUGE_VAL;
  const OperandRef x = at(kX, {4}, Dtype::f16), y = at(kY, {4}, Dtype::f16), out = at(kOut, {4}, Dtype::f16);
  put(c.memory, x, {nan, 1, -1, 0});
  put(c.memory, y, {2, nan, 0, 0});
  c.run(MathOp::maximum, {x, y}, out);
  EXPECT_TRUE(std::isnan(get(c.memory, out)[0]));
  EXPECT_TRUE(std::isnan(get(c.memory, out)[1]));
  c.run(MathOp::div, {x, y}, out);
  EXPECT_EQ(get(c.memory, out)[2], -inf);
  // Every NaN is stored in one form, whatever the CPU made of it.
  EXPECT_EQ(c.memory.gather({{kOut, 2}}), test::bytes_of({0x00, 0x7e}));
  EXPECT_EQ(c.memory.gather({{kOut + 6, 2}}), test::bytes_of({0x00, 0x7e}));
  const OperandRef i = at(kX, {2}, Dtype::i8);
  put(c.memory, i, {-128, 5});
  c.run(MathOp::div, {i, OperandRef::number(std::int64_t{-1}, Dtype::i8)}, at(kOut, {2}, Dtype::i8));
  EXPECT_EQ(get(c.memory, at(kOut, {2}, Dtype::i8)), (std::vector<double>{-128, -5}));
}

TEST(ExecutorMath, RefusesWhatCannotBeComputed) {
  Case c;
  const OperandRef i = at(kX, {2}, Dtype::i32);
  put(c.memory, i, {7, 8});
  put(c.memory, at(kY, {2}, Dtype::i32), {1, 0});
  expect_error(
      [&] {
        c.run(MathOp::div, {i, at(kY, {2}, Dtype::i32)}, at(kOut, {2}, Dtype::i32));
      },
      ErrorFamily::program, "DIVISION_BY_ZERO", {"element 1 divides 8 by zero"});
  expect_error([&] { c.run(MathOp::neg, {i}, at(kOut, {3}, Dtype::i32)); }, ErrorFamily::program, "SHAPE_ERROR",
               {"neg", "(2)", "(3)"});
  expect_error([&] { c.run(MathOp::neg, {i}, at(kOut, {2}, Dtype::i64)); }, ErrorFamily::program, "DTYPE_ERROR",
               {"cast it first"});
  OperandRef cut = i;
  cut.extents[0].nbytes = 6;
  expect_error([&] { c.run(MathOp::neg, {cut}, at(kOut, {2}, Dtype::i32)); }, ErrorFamily::model, "MODEL_ERROR",
               {"6 bytes instead of 8"});
}

}  // namespace
}  // namespace kb::data
