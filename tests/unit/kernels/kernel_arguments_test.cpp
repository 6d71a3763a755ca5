// Arguments by name: from a launch to the function of a kernel.
#include "platform/contract/kernel_arguments.h"

#include <gtest/gtest.h>

#include "kernels/catalog.h"
#include "kernels/tl/kernel.h"
#include "kernels/tl/recording_pe.h"
#include "platform/contract/kernel.h"
#include "platform/contract/tensor_layout.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {
namespace {

using contract::KernelArg;
using contract::NamedArg;
using tl::RecordingPe;
using Args = std::vector<NamedArg>;
using Strings = std::vector<std::string>;

struct Seen {
  std::string kernel, tensor;
  std::int64_t m = 0;
  int small = 0;
  double alpha = 0;
  std::optional<std::int64_t> tile;
  std::optional<std::string> op;
};

// As a function with parameters, and as one that takes a struct.
contract::Kernel of_function(Seen& seen) {
  return tl::make_kernel(
      "demo", "what it is", {"x", "m", "small", "alpha", "tile", "op"},
      [&seen](tl::Context& tl, tl::Ptr x, std::int64_t m, int small, double alpha, std::optional<std::int64_t> tile,
              std::optional<std::string> op) { seen = {tl.kernel(), x.tensor().name, m, small, alpha, tile, op}; });
}

struct Common {
  tl::Ptr x;
  std::int64_t m = 0;
};
struct DemoArgs : Common {
  int small = 0;
  double alpha = 0;
  std::optional<std::int64_t> tile;
  std::optional<std::string> op;
};

contract::Kernel of_struct(Seen& seen) {
  return tl::make_kernel("demo", "what it is",
                         tl::Parameters<DemoArgs>{{"x", &DemoArgs::x},
                                                  {"m", &DemoArgs::m},
                                                  {"small", &DemoArgs::small},
                                                  {"alpha", &DemoArgs::alpha},
                                                  {"tile", &DemoArgs::tile},
                                                  {"op", &DemoArgs::op}},
                         [&seen](tl::Context& tl, const DemoArgs& a) {
                           seen = {tl.kernel(), a.x.tensor().name, a.m, a.small, a.alpha, a.tile, a.op};
                         });
}

KernelArg tensor_arg() {
  return std::shared_ptr<const contract::TensorLayout>(whole("t", Dtype::f16, {2, 2}, 0));
}

Args good() {
  return {{"x", tensor_arg()}, {"m", std::int64_t{1} << 40}, {"small", std::int64_t{-3}}, {"alpha", 0.5}};
}

Args with(const std::string& name, KernelArg value) {
  Args args = good();
  for (NamedArg& arg : args) {
    if (arg.name == name) arg.value = value;
  }
  return args;
}

void expect_refused(const Args& args, const Strings& pieces) {
  Seen seen;
  RecordingPe pe;
  for (const contract::Kernel& kernel : {of_function(seen), of_struct(seen)}) {
    expect_program_error([&] { kernel.run(pe, args); }, "SCHEMA_ERROR", pieces);
  }
  EXPECT_EQ(seen.kernel, "");  // no body has run
}

TEST(KernelArguments, TheSignatureHoldsNamesAndKinds) {
  Seen seen;
  for (const contract::Kernel& kernel : {of_function(seen), of_struct(seen)}) {
    EXPECT_EQ(kernel.name, "demo");
    EXPECT_EQ(kernel.description, "what it is");
    Strings texts;
    for (const contract::KernelParameter& parameter : kernel.parameters) texts.push_back(parameter.text());
    EXPECT_EQ(texts, (Strings{"x: tensor", "m: int", "small: int", "alpha: float", "tile: int (optional)",
                              "op: text (optional)"}));
  }
}

TEST(KernelArguments, AreBoundByNameInAnyOrder) {  // P-50
  Seen seen;
  RecordingPe pe;
  for (const contract::Kernel& kernel : {of_function(seen), of_struct(seen)}) {
    kernel.run(pe, {{"op", "max"},
                    {"alpha", 0.5},
                    {"small", std::int64_t{-3}},
                    {"m", std::int64_t{1} << 40},
                    {"x", tensor_arg()}});
    EXPECT_EQ(seen.kernel, "demo");
    EXPECT_EQ(seen.tensor, "t");
    EXPECT_EQ(seen.m, std::int64_t{1} << 40);
    EXPECT_EQ(seen.small, -3);
    EXPECT_EQ(seen.alpha, 0.5);
    EXPECT_FALSE(seen.tile.has_value());  // left out although a later one is given
    EXPECT_EQ(seen.op, std::optional<std::string>("max"));
    kernel.run(pe, with("alpha", std::int64_t{7}));  // a whole number for a float
    EXPECT_EQ(seen.alpha, 7.0);
    EXPECT_FALSE(seen.op.has_value());
  }
}

TEST(KernelArguments, AnUnknownNameComesWithTheNearestOne) {
  Args args = good();
  args.push_back({"tiles", std::int64_t{4}});
  expect_refused(args, {"kernel demo: there is no argument 'tiles'; did you mean 'tile'?"});
  args = good();
  args[1].name = "mm";
  expect_refused(args, {"there is no argument 'mm'; did you mean 'm'?"});
  args[1].name = "something else";
  expect_refused(args, {"there is no argument 'something else'; known: x, m, small, alpha, tile, op"});
  // Rather one that has no value yet: 'tile_m' is as near, but given.
  const kernels::KernelCatalog catalog;
  RecordingPe pe;
  expect_program_error(
      [&] {
        catalog.find("gemm")->run(pe, {{"tile_m", std::int64_t{1}}, {"tile_q", std::int64_t{1}}});
      },
      "SCHEMA_ERROR", {"kernel gemm: there is no argument 'tile_q'; did you mean 'tile_k'?"});
  expect_program_error(
      [&] {
        catalog.find("noop")->run(pe, {{"cylces", std::int64_t{1}}});
      },
      "SCHEMA_ERROR", {"kernel noop: there is no argument 'cylces'; did you mean 'cycles'?"});
  expect_program_error(
      [&] {
        tl::make_kernel("bare", "", {}, [](tl::Context&) {}).run(pe, {{"x", std::int64_t{1}}});
      },
      "SCHEMA_ERROR", {"kernel bare: there is no argument 'x'; it takes none"});
}

TEST(KernelArguments, AMissingOneIsNamedWithTheList) {
  Args args = good();
  args.erase(args.begin() + 1);
  expect_refused(args, {"kernel demo: argument 'm' is missing; it takes x: tensor, m: int, small: int, alpha: float, "
                        "tile: int (optional), op: text (optional)"});
}

TEST(KernelArguments, OneGivenTwiceIsRefused) {
  Args args = good();
  args.push_back({"m", std::int64_t{1}});
  expect_refused(args, {"kernel demo: argument 'm' is given twice"});
  args[2].name = "m";
  expect_refused(args, {"argument 'm' is given twice; 'small' is missing"});
}

TEST(KernelArguments, AnotherKindIsRefused) {
  expect_refused(with("x", std::int64_t{1}), {"kernel demo: argument 'x' must be a tensor; the integer 1 was given"});
  expect_refused(with("m", 1.5), {"argument 'm' must be an int; the number 1.5 was given"});
  expect_refused(with("m", "many"), {"argument 'm' must be an int; the text 'many' was given"});
  expect_refused(with("alpha", tensor_arg()), {"argument 'alpha' must be a float; tensor 't' was given"});
  expect_refused(with("small", std::int64_t{1} << 31), {"argument 'small' = 2147483648 does not fit into 32 bits"});
  expect_refused(with("x", std::shared_ptr<const contract::TensorLayout>()), {"a null tensor was given"});
  expect_refused(with("m", KernelArg()), {"nothing was given"});
}

TEST(KernelArguments, OnlyBoundValuesReachABody) {
  Seen seen;
  RecordingPe pe;
  for (const contract::Kernel& kernel : {of_function(seen), of_struct(seen)}) {
    expect_program_error([&] { kernel.body(pe, {tensor_arg()}); }, "SCHEMA_ERROR",
                         {"kernel demo: 1 values for 6 parameters"});
    std::vector<KernelArg> values = contract::bind_arguments(kernel.name, kernel.parameters, good());
    ASSERT_EQ(values.size(), 6u);
    contract::check_bound(kernel.name, kernel.parameters, values);
    values[1] = KernelArg();
    expect_program_error([&] { contract::check_bound(kernel.name, kernel.parameters, values); }, "SCHEMA_ERROR",
                         {"argument 'm' is missing"});
    values[1] = 0.5;
    expect_program_error([&] { contract::check_bound(kernel.name, kernel.parameters, values); }, "SCHEMA_ERROR",
                         {"argument 'm' must be an int"});
    values.pop_back();
    expect_program_error([&] { contract::check_bound(kernel.name, kernel.parameters, values); }, "SCHEMA_ERROR",
                         {"5 values for 6 parameters"});
  }
}

TEST(KernelArguments, EveryParameterOfAFunctionHasAName) {
  expect_program_error([] { tl::make_kernel("demo", "", {"x"}, [](tl::Context&) {}); }, "SCHEMA_ERROR",
                       {"kernel demo: 1 parameter names for 0 parameters"});
}

}  // namespace
}  // namespace kb::tests
