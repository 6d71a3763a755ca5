// norm_linear on PEs without time: any shapes, divisions and blocks, against the formula in double.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "platform/contract/kernel_arguments.h"
#include "tests/unit/kernels/barrier_machine.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/placed.h"

namespace kb::tests {
namespace {

using Integer = std::int64_t;

constexpr double kEps = 0.01;

struct Case {
  Integer m = 3, k = 24, n = 20;
  int cubes = 2, pes = 2;
  Dtype dtype = Dtype::f32;
  bool residual = true, x = true, out = true, norm = true;
  std::string epilogue = "none";
  std::vector<Integer> rows;  // empty: all
  Integer room = 1 << 16;     // elements of a PE's partial sums
  std::uint64_t scratch = 1 << 20;
  double scale = 1, gain = 1;  // largest element of the input, of gamma
  double weight = 1;
  contract::PeRates rates;
};

double unit_of(Dtype dtype) {
  return dtype == Dtype::f32 ? 0x1p-24 : dtype == Dtype::f16 ? 0x1p-11 : 0x1p-8;
}

Numbers scaled(Numbers values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// The tensors of a case, the launch, and the expected results.
struct Problem {
  explicit Problem(const Case& c)
      : c_(c),
        height_(c.rows.empty() ? c.m : static_cast<Integer>(c.rows.size())),
        machine_(device_, c.cubes, c.pes, c.scratch, c.rates) {}

  void go() { machine_.run(*kernels::KernelCatalog().find("norm_linear"), args()); }

  std::vector<contract::NamedArg> args() {
    std::vector<contract::NamedArg> out{{"w", w.arg()}, {"y", y.arg()}, {"partials", partials.arg()}};
    const auto add = [&](bool wanted, const char* name, const Placed& tensor) {
      if (wanted) out.push_back({name, tensor.arg()});
    };
    add(c_.residual, "residual", residual);
    add(c_.x, "x", x);
    add(c_.out, "residual_out", residual_out);
    add(c_.norm, "gamma", gamma);
    add(c_.epilogue == "bias", "bias", bias);
    add(c_.epilogue == "swiglu", "w2", w2);
    add(!c_.rows.empty(), "rows", rows);
    if (c_.norm) out.push_back({"eps", kEps});
    return out;
  }

  void write() {
    x_ = x.write(device_, scaled(numbers(1, c_.m * c_.k), c_.scale));
    residual_ = residual.write(device_, scaled(numbers(2, c_.m * c_.k), c_.scale));
    gamma_ = gamma.write(device_, scaled(numbers(3, c_.k), c_.gain));
    w_ = w.write(device_, scaled(numbers(4, c_.n * c_.k), c_.weight));
    w2_ = w2.write(device_, scaled(numbers(5, c_.n * c_.k), c_.weight));
    bias_ = bias.write(device_, numbers(6, c_.n));
    partials.write(device_, Numbers(static_cast<std::size_t>(c_.cubes * c_.pes * c_.room)));
    if (!c_.rows.empty()) rows.write(device_, Numbers(c_.rows.begin(), c_.rows.end()));
  }

  Numbers sum() const {
    Numbers out = c_.residual ? residual_ : x_;
    for (std::size_t i = 0; i < out.size() && c_.residual && c_.x; ++i) out[i] += x_[i];
    return x.rounded(out);
  }
  // The product of a row with a row of the weights, and its largest error in f32 and in the rounding of input * gamma.
  void product(const Numbers& in, const Numbers& weights, Integer row, Integer column, double& value,
               double& error) const {
    double terms = 0, squares = 0, sizes = 0;
    value = 0;
    for (Integer i = 0; i < c_.k; ++i) {
      const double left = at(in, row * c_.k + i),
                   term = left * (c_.norm ? at(gamma_, i) : 1) * at(weights, column * c_.k + i);
      value += term;
      terms += std::abs(term);
      squares += left * left;
      sizes += std::abs(at(weights, column * c_.k + i));
    }
    const double factor = c_.norm ? 1 / std::sqrt(squares / static_cast<double>(c_.k) + kEps) : 1;
    value *= factor;
    error = terms * factor * ((c_.norm ? 1.01 * unit_of(c_.dtype) : 0) + static_cast<double>(c_.k + 20) * 0x1p-24);
    // Small numbers of f16 are rounded to multiples of 2^-24, after the division of gamma.
    if (c_.norm && c_.dtype == Dtype::f16) error += sizes * factor * 0x1p-25 * std::max(1.0, 2 * c_.gain);
  }
  bool has_no_partial_sums() {
    const Numbers sums = partials.read(device_);
    return std::all_of(sums.begin(), sums.end(), [](double sum) { return sum == 0; });
  }
  // The first wrong element of y, or -1.
  Integer first_wrong() {
    const Numbers in = sum(), actual = y.read(device_);
    for (Integer i = 0; i < height_ * c_.n; ++i) {
      const Integer row = c_.rows.empty() ? i / c_.n : c_.rows[static_cast<std::size_t>(i / c_.n)], column = i % c_.n;
      double value = 0, error = 0;
      product(in, w_, row, column, value, error);
      if (c_.epilogue == "bias") value += at(bias_, column);
      if (c_.epilogue == "swiglu") {
        double up = 0, up_error = 0;
        product(in, w2_, row, column, up, up_error);
        const double gate = value / (1 + std::exp(-value));
        error = 1.2 * error * (std::abs(up) + up_error) + (std::abs(gate) + 1.2 * error) * up_error;
        value = gate * up;
      }
      const double allowed = error + (std::abs(value) + error) * (unit_of(c_.dtype) + 0x1p-20) + 0x1p-24;
      if (!(std::abs(at(actual, i) - value) <= allowed)) return i;
    }
    return -1;
  }

  Placed make(const char* name, const Shape& shape, const sw::DPPolicy& policy, std::uint64_t number) const {
    return {name, c_.dtype, shape, policy, c_.cubes, c_.pes, number << 36};
  }

  Case c_;
  Integer height_;
  Device device_;
  BarrierMachine machine_;
  Placed x = make("x", {c_.m, c_.k}, tile_layout(), 1), residual = make("residual", {c_.m, c_.k}, copy_layout(), 2);
  Placed residual_out = make("residual_out", {c_.m, c_.k}, copy_layout(), 3);
  Placed gamma = make("gamma", {1, c_.k}, copy_layout(), 4), w = make("w", {c_.n, c_.k}, weight_layout(), 5);
  Placed w2 = make("w2", {c_.n, c_.k}, weight_layout(), 6), bias = make("bias", {1, c_.n}, tile_layout(), 7);
  Placed y = make("y", {height_, c_.n}, tile_layout(), 8);
  Placed partials{"partials", Dtype::f32, {c_.cubes * c_.pes, c_.room}, row_each_layout(),
                  c_.cubes,   c_.pes,     std::uint64_t{9} << 36};
  Placed rows{"rows", Dtype::i32, {1, height_}, everywhere(), c_.cubes, c_.pes, std::uint64_t{10} << 36};
  Numbers x_, residual_, gamma_, w_, w2_, bias_;
};

Case any_case() {
  Case c;
  c.m = *rc::gen::element<Integer>(1, 3, 33, 130);
  c.k = *rc::gen::inRange<Integer>(1, 150);
  c.n = *rc::gen::inRange<Integer>(1, 90);
  c.cubes = *rc::gen::inRange(1, 5);
  c.pes = *rc::gen::inRange(1, 5);
  c.dtype = *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32);
  c.residual = *rc::gen::arbitrary<bool>();
  c.x = !c.residual || *rc::gen::arbitrary<bool>();
  c.norm = *rc::gen::arbitrary<bool>();
  c.epilogue = *rc::gen::element<std::string>("none", "bias", "swiglu");
  if (*rc::gen::inRange(0, 4) == 0) {
    c.out = false;
    c.rows.resize(*rc::gen::inRange<std::size_t>(1, 40));
    for (Integer& row : c.rows) row = *rc::gen::inRange<Integer>(0, c.m);
  } else {
    c.out = *rc::gen::arbitrary<bool>();
  }
  // From just enough room for one row at a time to room for all.
  const Integer lines = 2 * ((c.n / c.cubes + 1) / c.pes + 1) + 1;
  c.room = 2 * c.pes * lines * *rc::gen::element<Integer>(1, 2, 7, 32, 64);
  c.scratch = std::uint64_t{1024} * *rc::gen::element<std::uint64_t>(128, 256, 1024);
  return c;
}

// K-200, K-201, K-202, K-203
TEST(NormLinear, EqualsTheFormulaForAnyShapesAndDivisions) {
  EXPECT_TRUE(rc::check("shapes, divisions, blocks", [] {
    const Case c = any_case();
    Problem problem(c);
    problem.write();
    problem.go();
    RC_LOG() << c.m << " x " << c.k << " -> " << c.n << ", " << c.cubes << " x " << c.pes << " PEs, room " << c.room
             << " scratch " << c.scratch << " norm " << c.norm << " " << c.epilogue << "\n";
    RC_ASSERT(problem.first_wrong() == -1);
    if (c.out) RC_ASSERT(problem.residual_out.read(problem.device_) == problem.sum());
  }));
}

// Weights of which only some chunks have room, so that they are loaded again for every block of rows.
TEST(NormLinear, StreamsWeightsThatHaveNoRoom) {
  for (const auto& [dtype, pes] : {std::pair(Dtype::bf16, 1), {Dtype::f32, 2}}) {
    Case c;
    c.m = 130;
    c.k = 2001;
    c.n = 101;
    c.cubes = 1;
    c.pes = pes;
    c.dtype = dtype;
    c.epilogue = "swiglu";
    c.scale = c.weight = 0.25;
    Problem problem(c);
    problem.write();
    problem.go();
    EXPECT_EQ(problem.first_wrong(), -1);
    EXPECT_EQ(problem.residual_out.read(problem.device_), problem.sum());
  }
}

// K-209: few outputs and many rows; 4 and 16 cubes compute parts of the rows for each other.
TEST(NormLinear, CubesShareRows) {
  for (const auto& [cubes, n, epilogue] :
       {std::tuple(4, 41, "none"), {4, 30, "swiglu"}, {16, 40, "bias"}, {16, 17, "swiglu"}, {16, 15, "none"}}) {
    Case c;
    c.m = 301;
    c.k = 77;
    c.n = n;
    c.cubes = cubes;
    c.pes = 3;
    c.out = false;
    c.epilogue = epilogue;
    Problem problem(c);
    problem.write();
    problem.go();
    EXPECT_EQ(problem.first_wrong(), -1) << cubes << " " << n << " " << epilogue;
  }
}

// More outputs than a PE completes, and than it stores, together.
TEST(NormLinear, CompletesManyOutputsInParts) {
  for (const Integer m : {Integer{64}, Integer{130}}) {
    Case c;
    c.m = m;
    c.k = 41;
    c.n = 601;
    c.cubes = 1;
    c.room = 1 << 18;
    c.epilogue = "bias";
    Problem problem(c);
    problem.write();
    problem.go();
    EXPECT_EQ(problem.first_wrong(), -1) << m;
  }
}

// K-210: what many rows are divided into, on machines of all speeds. Partial sums are then untouched.
TEST(NormLinear, DividesManyRowsByRowsAndOutputs) {
  int divided = 0, runs = 0;
  EXPECT_TRUE(rc::check("shapes, machines", [&] {
    Case c;
    c.m = *rc::gen::inRange<Integer>(30, 200);
    c.k = *rc::gen::inRange<Integer>(1, 200);
    c.n = *rc::gen::inRange<Integer>(1, 400);
    c.cubes = *rc::gen::inRange(1, 4);
    c.pes = *rc::gen::inRange(2, 7);
    c.dtype = *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32);
    c.residual = c.norm = c.out = false;
    c.epilogue = *rc::gen::element<std::string>("none", "bias", "swiglu");
    c.room = 1 << 17;
    c.scratch = std::uint64_t{1024} * *rc::gen::element<std::uint64_t>(128, 256, 1024);
    c.rates.memory_bytes_per_ns = *rc::gen::element(32, 256);
    c.rates.macs_per_ns = *rc::gen::element(4096, 32768);
    c.rates.stripe_bytes = *rc::gen::element(256u, 2048u);
    Problem problem(c);
    problem.write();
    problem.go();
    const Numbers sums = problem.partials.read(problem.device_);
    ++runs;
    if (std::all_of(sums.begin(), sums.end(), [](double sum) { return sum == 0; })) ++divided;
    RC_LOG() << c.m << " x " << c.k << " -> " << c.n << ", " << c.cubes << " x " << c.pes << " PEs, scratch "
             << c.scratch << " " << c.epilogue << "\n";
    RC_ASSERT(problem.first_wrong() == -1);
  }));
  EXPECT_GT(divided, runs / 4);
  EXPECT_LT(divided, runs);
}

// More rows, outputs and columns than a tile, a load and a store have.
TEST(NormLinear, TilesOfManyRowsAreRight) {
  Case c;
  c.m = 300;
  c.k = 1100;
  c.n = 700;
  c.cubes = 1;
  c.pes = 4;
  c.dtype = Dtype::bf16;
  c.residual = c.norm = c.out = false;
  c.epilogue = "swiglu";
  c.room = 1 << 20;
  c.scratch = 512 * 1024;
  c.weight = 0.25;
  Problem problem(c);
  problem.write();
  problem.go();
  const Numbers sums = problem.partials.read(problem.device_);
  EXPECT_TRUE(std::all_of(sums.begin(), sums.end(), [](double sum) { return sum == 0; }));
  EXPECT_EQ(problem.first_wrong(), -1);
}

TEST(NormLinear, TheResidualStreamMayBeOneTensor) {
  Case c;
  c.m = 130;
  Problem problem(c);
  problem.write();
  std::vector<contract::NamedArg> args = problem.args();
  for (contract::NamedArg& arg : args) {
    if (arg.name == "residual_out") arg.value = problem.residual.arg();
  }
  problem.machine_.run(*kernels::KernelCatalog().find("norm_linear"), args);
  EXPECT_EQ(problem.first_wrong(), -1);
  EXPECT_EQ(problem.residual.read(problem.device_), problem.sum());
}

// K-202: input * gamma would not fit f16, the result does.
TEST(NormLinear, LargeRowsAndGainsDoNotOverflow) {
  for (const auto& [scale, gain] : {std::pair(600.0, 200.0), {30000.0, 60000.0}, {65504.0, 1.0}, {6e-5, 1000.0}}) {
    Case c;
    c.m = 2;
    c.k = 64;
    c.dtype = Dtype::f16;
    c.residual = c.out = false;
    c.scale = scale;
    c.gain = gain;
    c.weight = 0x1p-7;
    Problem problem(c);
    problem.write();
    problem.go();
    EXPECT_EQ(problem.first_wrong(), -1) << scale << " " << gain;
  }
}

// A change of the problem, and what its error says (K-204).
TEST(NormLinear, MistakesAreExplained) {
  const auto refused = [](Case c, const std::function<void(Problem&)>& change, const std::vector<std::string>& pieces) {
    Problem problem(c);
    change(problem);
    problem.write();
    expect_program_error([&] { problem.go(); }, "KERNEL_ERROR", pieces);
  };
  const auto none = [](Problem&) {};
  Case c;
  c.residual = c.x = c.out = false;
  refused(c, none, {"kernel norm_linear", "x or residual must be given"});
  c = {};
  refused(c,
          [](Problem& p) {
            p.w = p.make("w", {20, 25}, weight_layout(), 5);
          },
          {"'residual' (3, 24) times the transpose of 'w' (20, 25) does not give 'y' (3, 20)"});
  refused(c,
          [](Problem& p) {
            p.x = p.make("x", {4, 24}, tile_layout(), 1);
          },
          {"'x' (4, 24) and 'residual' (3, 24) must have one shape"});
  refused(c,
          [](Problem& p) {
            p.gamma = p.make("gamma", {1, 23}, copy_layout(), 4);
          },
          {"'gamma' (1, 23) must be (1, 24), like a row of 'residual' (3, 24)"});
  refused(c,
          [](Problem& p) {
            p.y = p.make("y", {2, 20}, tile_layout(), 8);
          },
          {"'residual' (3, 24) and 'y' (2, 20) must have the same rows"});
  refused(c,
          [](Problem& p) {
            p.y = p.make("y", {3, 20}, everywhere(), 8);
          },
          {"'y' (3, 20) must be split by columns over cubes, as W is by rows"});
  refused(c,
          [](Problem& p) {
            p.w = p.make("w", {20, 24}, row_each_layout(), 5);
          },
          {"'w' (20, 24) must be split by rows over cubes and by columns over PEs"});
  refused(c,
          [](Problem& p) {
            p.residual_out = p.make("residual_out", {3, 24}, tile_layout(), 3);
          },
          {"'residual_out' (3, 24) must have a copy for each cube, split by columns as W is"});
  refused(c,
          [](Problem& p) {
            p.x = p.make("x", {3, 24}, split_by(sw::Split::row_wise, sw::Split::column_wise), 1);
          },
          {"'x' (3, 24) must be split by columns, over PEs or over cubes, and then by rows at most"});
  refused(c,
          [](Problem& p) {
            p.x = Placed("x", Dtype::f16, {3, 24}, tile_layout(), 2, 2, std::uint64_t{1} << 36);
          },
          {"one dtype: f16, bf16 or f32"});
  refused(c,
          [](Problem& p) {
            p.partials = Placed("partials", Dtype::f32, {4, 17}, row_each_layout(), 2, 2, std::uint64_t{9} << 36);
          },
          {"'partials' (4, 17) has 17 elements for each PE; 24 are needed for one row of 'y' (3, 20) at a time"});
  refused(c,
          [](Problem& p) {
            p.partials = Placed("partials", Dtype::f32, {1, 4096}, everywhere(), 2, 2, std::uint64_t{9} << 36);
          },
          {"'partials' (1, 4096) must be split by rows over cubes and PEs, a row each"});
  c.scratch = 4096;
  refused(c, none, {"12 columns of 'w' (20, 24) in one PE leave no room in scratch"});
  c = {};
  c.out = false;
  c.rows = {2, 3};
  refused(c, none, {"'rows' (1, 2) names row 3; there are rows 0 to 2"});
  c.out = true;
  refused(c, none, {"residual_out has all rows; leave it away with rows"});
}

}  // namespace
}  // namespace kb::tests
