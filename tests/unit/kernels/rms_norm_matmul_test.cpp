// rms_norm_matmul on PEs without time: any sizes, blocks and placements, against the formula in double.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "platform/contract/kernel_arguments.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/numbers.h"

namespace kb::tests {
namespace {

using Integer = std::int64_t;

struct Case {
  Integer m = 8, k = 12, n = 6;  // n: columns of a PE
  std::optional<Integer> rows, depth, columns;
  Integer buffers = 2;
  std::uint32_t pes = 1;
};

constexpr double kEps = 0.01;

// In shard order: the columns of one PE after those of another.
Numbers expected(const Case& c, const Numbers& x, const Numbers& g, const Numbers& w) {
  Numbers out;
  for (Integer pe = 0; pe < c.pes; ++pe) {
    for (Integer row = 0; row < c.m; ++row) {
      double squares = 0;
      for (Integer i = 0; i < c.k; ++i) squares += at(x, row * c.k + i) * at(x, row * c.k + i);
      for (Integer column = 0; column < c.n; ++column) {
        double sum = 0;
        for (Integer i = 0; i < c.k; ++i) {
          sum += at(x, row * c.k + i) * at(g, i) * at(w, (pe * c.k + i) * c.n + column);
        }
        out.push_back(sum / std::sqrt(squares / static_cast<double>(c.k) + kEps));
      }
    }
  }
  return out;
}

struct Machine {
  Device device;
  LayoutPtr x, g, w, y;

  explicit Machine(const Case& c, Dtype dtype = Dtype::f32)
      : x(whole("x", dtype, {c.m, c.k}, 0x100000000)),
        g(whole("g", dtype, {1, c.k}, 0x200000000)),
        w(column_wise("w", dtype, {c.k, c.n * c.pes}, 0x300000000, c.pes)),
        y(column_wise("y", dtype, {c.m, c.n * c.pes}, 0x400000000, c.pes)) {}
  void go(const Case& c) {
    std::vector<contract::NamedArg> args{{"x", as_arg(x)}, {"g", as_arg(g)}, {"w", as_arg(w)},
                                         {"y", as_arg(y)}, {"eps", kEps},    {"buffers", c.buffers}};
    if (c.rows) args.push_back({"rows", *c.rows});
    if (c.depth) args.push_back({"depth", *c.depth});
    if (c.columns) args.push_back({"columns", *c.columns});
    device.run(*kernels::KernelCatalog().find("rms_norm_matmul"), args, c.pes);
  }
  Numbers result(const Case& c) {
    device.write(*x, numbers(1, c.m * c.k));
    device.write(*g, numbers(2, c.k));
    device.write(*w, numbers(3, c.k * c.n * c.pes));
    go(c);
    return device.read(*y);
  }
};

TEST(RmsNormMatmul, EqualsTheReferenceForAnySizes) {
  EXPECT_TRUE(rc::check("sizes, blocks, buffers", [] {
    const auto some = [](Integer most) {
      return *rc::gen::inRange(0, 2) == 0 ? std::nullopt : std::optional<Integer>(*rc::gen::inRange<Integer>(1, most));
    };
    Case c;
    c.pes = *rc::gen::inRange<std::uint32_t>(1, 4);
    c.m = *rc::gen::inRange<Integer>(1, 90);
    c.k = *rc::gen::inRange<Integer>(1, 600);
    c.n = *rc::gen::inRange<Integer>(1, 40);
    c.rows = some(90);
    c.depth = some(90);
    c.columns = some(50);
    c.buffers = *rc::gen::inRange<Integer>(1, 3);
    Machine run(c);
    const Numbers actual = run.result(c);
    const Numbers want = expected(c, numbers(1, c.m * c.k), numbers(2, c.k), numbers(3, c.k * c.n * c.pes));
    for (std::size_t i = 0; i < want.size(); ++i) RC_ASSERT(std::abs(actual[i] - want[i]) < 2e-4);
  }));
}

TEST(RmsNormMatmul, BuffersChangeNothingButTime) {
  Case c;
  c.m = 70;
  c.depth = 5;
  c.columns = 4;
  Machine two(c);
  const Numbers ahead = two.result(c);
  c.buffers = 1;
  Machine one(c);
  EXPECT_EQ(one.result(c), ahead);
}

// x g would not fit f16, the result does.
TEST(RmsNormMatmul, LargeRowsAndGainsDoNotOverflow) {
  Case c;
  c.m = 2;
  c.k = 64;
  c.n = 3;
  for (const auto& [x, g] : {std::pair(600.0, 200.0), {60000.0, 60000.0}, {65504.0, 1.0}, {6e-5, 1000.0}}) {
    Machine run(c, Dtype::f16);
    const auto k = static_cast<std::size_t>(c.k);
    run.device.write(*run.x, Numbers(2 * k, x));
    run.device.write(*run.g, Numbers(k, g));
    run.device.write(*run.w, Numbers(3 * k, 0x1p-7));
    run.go(c);
    const double read = data::to_doubles(Dtype::f16, data::from_doubles(Dtype::f16, {x}))[0];
    const double want = g * 0.5 * read / std::sqrt(read * read + kEps);
    for (const double y : run.device.read(*run.y)) EXPECT_NEAR(y, want, want * 2e-3) << x << " " << g;
  }
}

TEST(RmsNormMatmul, MistakesAreExplained) {
  const auto refused = [](const Case& c, Machine& run, const char* piece) {
    expect_program_error([&] { run.go(c); }, "KERNEL_ERROR", {"kernel rms_norm_matmul", piece});
  };
  Case c;
  c.buffers = 3;
  Machine three(c);
  refused(c, three, "buffers is 1 (loads block) or 2 (loads run ahead)");
  c = {};
  c.rows = 0;
  Machine no_rows(c);
  refused(c, no_rows, "rows, depth and columns are at least 1");
  c = {};
  Machine short_gain(c);
  short_gain.g = whole("g", Dtype::f32, {1, 5}, 0x200000000);
  refused(c, short_gain, "'g' (1, 5) must have the 12 elements of a row of 'x' (8, 12)");
  Machine wrong_product(c);
  wrong_product.w = whole("w", Dtype::f32, {11, 6}, 0x300000000);
  refused(c, wrong_product, "'x' (8, 12) times 'w' (11, 6) does not give 'y' (8, 6)");
  Machine integers(c, Dtype::i32);
  refused(c, integers, "one dtype: f16, bf16 or f32");
  c.pes = 2;
  Machine rows(c);
  rows.w = row_wise("w", Dtype::f32, {12, 12}, 0x300000000, 2);
  refused(c, rows, "'w' (12, 12) and 'y' (8, 12) must both be whole or split by columns alike");
  c = {};
  c.m = 64;
  c.k = 8192;
  c.rows = 64;
  Machine large(c);
  refused(c, large, "64 rows of 8192 elements leave no room in scratch for columns of w; use fewer rows");
}

}  // namespace
}  // namespace kb::tests
