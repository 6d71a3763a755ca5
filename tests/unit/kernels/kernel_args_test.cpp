#include <gtest/gtest.h>

#include "kernels/tl/kernel.h"
#include "kernels/tl/recording_pe.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {
namespace {

using contract::KernelArg;
using tl::RecordingPe;
using Strings = std::vector<std::string>;

struct Seen {
  std::string kernel, tensor;
  std::int64_t m = 0;
  int small = 0;
  double alpha = 0;
  std::optional<std::int64_t> tile;
};

contract::Kernel demo(Seen& seen) {
  return tl::make_kernel(
      "demo", "what it is", {"x", "m", "small", "alpha", "tile"},
      [&seen](tl::Context& tl, tl::Ptr x, std::int64_t m, int small, double alpha, std::optional<std::int64_t> tile) {
        seen = {tl.kernel(), x.tensor().name, m, small, alpha, tile};
      });
}

KernelArg tensor_arg() {
  return std::shared_ptr<const contract::TensorLayout>(whole("t", Dtype::f16, {2, 2}, 0));
}

TEST(MakeKernel, DescribesItsParameters) {
  Seen seen;
  const contract::Kernel kernel = demo(seen);
  EXPECT_EQ(kernel.name, "demo");
  EXPECT_EQ(kernel.description, "what it is");
  EXPECT_EQ(kernel.parameters, (Strings{"x: tensor", "m: int", "small: int", "alpha: float", "tile: int (optional)"}));
}

TEST(MakeKernel, UnpacksArgumentsInOrder) {  // P-50
  Seen seen;
  const contract::Kernel kernel = demo(seen);
  RecordingPe pe;
  kernel.body(pe, {tensor_arg(), std::int64_t{1} << 40, std::int64_t{-3}, 0.5, std::int64_t{64}});
  EXPECT_EQ(seen.kernel, "demo");
  EXPECT_EQ(seen.tensor, "t");
  EXPECT_EQ(seen.m, std::int64_t{1} << 40);
  EXPECT_EQ(seen.small, -3);
  EXPECT_EQ(seen.alpha, 0.5);
  EXPECT_EQ(seen.tile, std::optional<std::int64_t>(64));
  kernel.body(pe, {tensor_arg(), std::int64_t{1}, std::int64_t{2}, std::int64_t{7}});  // a whole number for a float
  EXPECT_EQ(seen.alpha, 7.0);
  EXPECT_FALSE(seen.tile.has_value());
}

TEST(MakeKernel, WrongCountListsTheParameters) {
  Seen seen;
  const contract::Kernel kernel = demo(seen);
  RecordingPe pe;
  expect_program_error([&] { kernel.body(pe, {tensor_arg()}); }, "SCHEMA_ERROR",
                       {"kernel demo", "4 to 5 argument(s)", "x: tensor, m: int", "1 given"});
  expect_program_error([&] { kernel.body(pe, std::vector<KernelArg>(6, std::int64_t{0})); }, "SCHEMA_ERROR",
                       {"6 given"});
}

TEST(MakeKernel, WrongTypeNamesThePosition) {
  Seen seen;
  const contract::Kernel kernel = demo(seen);
  RecordingPe pe;
  const std::int64_t one = 1;
  expect_program_error(
      [&] {
        kernel.body(pe, {one, one, one, 0.5});
      },
      "SCHEMA_ERROR", {"kernel demo: argument 1 'x' must be a tensor", "the integer 1"});
  expect_program_error(
      [&] {
        kernel.body(pe, {tensor_arg(), 1.5, one, 0.5});
      },
      "SCHEMA_ERROR", {"argument 2 'm' must be a int", "the number 1.5"});
  expect_program_error(
      [&] {
        kernel.body(pe, {tensor_arg(), one, one, tensor_arg()});
      },
      "SCHEMA_ERROR", {"argument 4 'alpha' must be a float", "tensor 't'"});
  expect_program_error(
      [&] {
        kernel.body(pe, {tensor_arg(), one, std::int64_t{1} << 31, 0.5});
      },
      "SCHEMA_ERROR", {"argument 3 'small' = 2147483648", "32 bits"});
  const KernelArg null = std::shared_ptr<const contract::TensorLayout>();
  expect_program_error([&] { kernel.body(pe, {null, one, one, 0.5}); }, "SCHEMA_ERROR", {"a null tensor"});
}

TEST(MakeKernel, ParameterNamesMustMatchTheFunction) {
  expect_program_error([] { tl::make_kernel("demo", "", {"x"}, [](tl::Context&) {}); }, "SCHEMA_ERROR",
                       {"kernel demo", "1 parameter names for 0 parameters"});
}

}  // namespace
}  // namespace kb::tests
