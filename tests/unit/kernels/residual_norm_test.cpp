// residual_norm on PEs without time: any shapes and divisions, against the formula in double.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <functional>

#include "platform/contract/kernel_arguments.h"
#include "tests/unit/kernels/barrier_machine.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/placed.h"

namespace kb::tests {
namespace {

using Integer = std::int64_t;

constexpr double kEps = 0.01;

struct Case {
  Integer m = 4, h = 30;
  int cubes = 2, pes = 2;
  Dtype dtype = Dtype::f32;
  bool residual = true, out = true;
  std::uint64_t scratch = 1 << 20;
};

struct Problem {
  explicit Problem(const Case& c) : c_(c), machine_(device_, c.cubes, c.pes, c.scratch) {}

  Placed make(const char* name, Dtype dtype, const Shape& shape, const sw::DPPolicy& policy,
              std::uint64_t number) const {
    return {name, dtype, shape, policy, c_.cubes, c_.pes, number << 36};
  }
  void go() {
    x_ = x.write(device_, numbers(1, c_.m * c_.h));
    residual_ = residual.write(device_, numbers(2, c_.m * c_.h));
    gamma_ = gamma.write(device_, numbers(3, c_.h));
    std::vector<contract::NamedArg> args{
        {"x", x.arg()}, {"gamma", gamma.arg()}, {"y", y.arg()}, {"squares", squares.arg()}, {"eps", kEps}};
    if (c_.residual) args.push_back({"residual", residual.arg()});
    if (c_.out) args.push_back({"residual_out", c_.residual ? residual.arg() : sum.arg()});
    machine_.run(*kernels::KernelCatalog().find("residual_norm"), args);
  }
  Numbers expected_sum() const {
    Numbers out = x_;
    for (std::size_t i = 0; i < out.size() && c_.residual; ++i) out[i] += residual_[i];
    return x.rounded(out);
  }
  // The first wrong element of y, or -1.
  Integer first_wrong() {
    const Numbers in = expected_sum(), actual = y.read(device_);
    const double unit = c_.dtype == Dtype::f32 ? 0x1p-24 : c_.dtype == Dtype::f16 ? 0x1p-11 : 0x1p-8;
    for (Integer i = 0; i < c_.m * c_.h; ++i) {
      double sum_of_squares = 0;
      for (Integer j = 0; j < c_.h; ++j) sum_of_squares += std::pow(at(in, i / c_.h * c_.h + j), 2);
      const double value =
          at(in, i) * at(gamma_, i % c_.h) / std::sqrt(sum_of_squares / static_cast<double>(c_.h) + kEps);
      const double allowed = std::abs(value) * (unit + static_cast<double>(c_.h + 20) * 0x1p-24) + 0x1p-24;
      if (!(std::abs(at(actual, i) - value) <= allowed)) return i;
    }
    return -1;
  }

  Case c_;
  Device device_;
  BarrierMachine machine_;
  Placed x = make("x", c_.dtype, {c_.m, c_.h}, tile_layout(), 1);
  Placed residual = make("residual", c_.dtype, {c_.m, c_.h}, tile_layout(), 2);
  Placed sum = make("sum", c_.dtype, {c_.m, c_.h}, tile_layout(), 3);
  Placed gamma = make("gamma", c_.dtype, {1, c_.h}, copy_layout(), 4);
  Placed y = make("y", c_.dtype, {c_.m, c_.h}, tile_layout(), 5);
  Placed squares = make("squares", Dtype::f32, {c_.cubes, c_.m}, row_each_layout(), 6);
  Numbers x_, residual_, gamma_;
};

// K-208
TEST(ResidualNorm, EqualsTheFormulaForAnyShapesAndDivisions) {
  EXPECT_TRUE(rc::check("shapes, divisions, parts", [] {
    Case c;
    c.m = *rc::gen::element<Integer>(1, 3, 33, 130);
    c.h = *rc::gen::inRange<Integer>(1, 150);
    c.cubes = *rc::gen::inRange(1, 4);
    c.pes = *rc::gen::inRange(1, 5);
    c.dtype = *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32);
    c.residual = *rc::gen::arbitrary<bool>();
    c.out = c.residual || *rc::gen::arbitrary<bool>();
    c.scratch = std::uint64_t{1024} * *rc::gen::element<std::uint64_t>(32, 1024);  // several parts, or one
    Problem problem(c);
    problem.go();
    RC_LOG() << c.m << " x " << c.h << ", " << c.cubes << " x " << c.pes << " PEs, scratch " << c.scratch << "\n";
    RC_ASSERT(problem.first_wrong() == -1);
    if (c.out) RC_ASSERT((c.residual ? problem.residual : problem.sum).read(problem.device_) == problem.expected_sum());
  }));
}

TEST(ResidualNorm, MistakesAreExplained) {
  const auto refused = [](const std::function<void(Problem&)>& change, const char* piece, bool out = true) {
    Case c;
    c.out = out;
    Problem problem(c);
    change(problem);
    expect_program_error([&] { problem.go(); }, "KERNEL_ERROR", {"kernel residual_norm", piece});
  };
  const auto bf16 = Dtype::bf16;
  refused(
      [&](Problem& p) {
        p.y = p.make("y", bf16, {4, 30}, tile_layout(), 5);
      },
      "'y' (4, 30) must have the shape, the layout and the dtype of 'x' (4, 30)");
  refused(
      [](Problem& p) {
        p.residual = p.make("residual", Dtype::f32, {4, 30}, copy_layout(), 2);
      },
      "'residual' (4, 30) must have the shape, the layout and the dtype of 'x' (4, 30)");
  refused([](Problem&) {}, "a residual stream needs residual_out, for the sum", false);
  refused(
      [](Problem& p) {
        p.gamma = p.make("gamma", Dtype::f32, {1, 29}, copy_layout(), 4);
      },
      "'gamma' (1, 29) must be (1, 30) of f32, like a row of 'x' (4, 30)");
  refused(
      [](Problem& p) {
        p.squares = p.make("squares", Dtype::f32, {2, 5}, row_each_layout(), 6);
      },
      "'squares' (2, 5) must be (tiles, 4) of f32, whole or split by rows");
  refused(
      [](Problem& p) {
        p.squares = p.make("squares", Dtype::f32, {1, 4}, row_each_layout(), 6);
      },
      "'squares' (1, 4) has fewer rows than the 2 tiles of 'x' (4, 30)");
  refused(
      [](Problem& p) {
        p.squares = p.make("squares", Dtype::f32, {2, 4}, everywhere(), 6);
      },
      "'squares' (2, 4) must be a single copy");
}

}  // namespace
}  // namespace kb::tests
