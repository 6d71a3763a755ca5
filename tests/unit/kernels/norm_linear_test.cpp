// norm_linear on PEs without time: any shapes, divisions and blocks, against the formula in double.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <optional>
#include <tuple>

#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/norm_linear_case.h"

namespace kb::tests {
namespace {

using Case = NormLinearCase;
using Problem = NormLinearProblem;

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
