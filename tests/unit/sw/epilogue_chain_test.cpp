// Composites with random chains of every element-wise operation of PE_MATH against the reference that workloads are
// verified by, which shares no arithmetic with the data engine (P-14, P-18, P-91).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/data/bounded_math.h"
#include "sw/workloads/epilogue_reference.h"
#include "tests/unit/kernels/device.h"

namespace kb::sw {
namespace {

using tests::Device;
using tests::FunctionalPe;
using tests::whole;

std::int64_t size(std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(1, most + 1);
}

struct Drawn {
  std::vector<EpilogueText> chain;
  std::deque<HostArray> operands;  // in the order of the chain
  bool floats = true;              // the result
};

// Values for which operations are defined: small whole numbers or eighths, never 0 where one divides or shifts.
std::vector<double> values_for(MathOp op, int place, std::size_t count, bool floats) {
  std::vector<double> values;
  const bool divisor = place == 1 && (op == MathOp::div || op == MathOp::mod);
  const bool shift = place == 1 && (op == MathOp::shl || op == MathOp::shr || op == MathOp::shr_logical);
  for (std::size_t i = 0; i < count; ++i) {
    const int whole = *rc::gen::inRange(divisor || shift ? 1 : -4, 5);
    values.push_back(floats && !divisor ? whole / 2.0 : whole);
  }
  return values;
}

// A step that may follow a product of this kind.
void add_step(Drawn& drawn, bool& floats, std::int64_t m, std::int64_t n) {
  std::vector<MathOp> fitting;
  for (int i = 0; i < kMathOps; ++i) {
    const auto op = static_cast<MathOp>(i);
    if (!is_elementwise(op) || math_domain(op) == (floats ? MathDomain::integers : MathDomain::floats)) continue;
    fitting.push_back(op);
  }
  EpilogueText step;
  step.op = EpilogueOp::math;
  step.math = *rc::gen::elementOf(fitting);
  step.scope = *rc::gen::element(EpilogueScope::output_tile, EpilogueScope::kernel);
  const int arity = math_arity(step.math);
  const bool divides = step.math == MathOp::div || step.math == MathOp::mod;
  const bool shifts = step.math == MathOp::shl || step.math == MathOp::shr || step.math == MathOp::shr_logical;
  step.place = divides || shifts ? 0 : *rc::gen::inRange(0, arity);
  // The condition of `where` may be of the other kind of numbers; what it chooses when the product is the condition,
  // too.
  const bool where = step.math == MathOp::where;
  const bool chosen_floats = where && step.place == 0 ? *rc::gen::arbitrary<bool>() : floats;
  bool has_tensor = false;
  for (int place = 0; place < arity; ++place) {
    if (place == step.place) continue;
    const bool real = where && place == 0 ? *rc::gen::arbitrary<bool>() : chosen_floats;
    EpilogueArgument argument;
    argument.spread = *rc::gen::element(OperandSpread::full, OperandSpread::row, OperandSpread::column);
    const Shape shape{argument.spread == OperandSpread::row ? 1 : m, argument.spread == OperandSpread::column ? 1 : n};
    const std::vector<double> values =
        values_for(step.math, place, static_cast<std::size_t>(element_count(shape)), real);
    if ((!where || has_tensor) && *rc::gen::inRange(0, 3) == 0) {
      if (real) {
        argument.number = values[0];
      } else {
        argument.number = static_cast<std::int64_t>(values[0]);
      }
    } else {
      const Dtype dtype = real ? *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32)
                               : *rc::gen::element(Dtype::i8, Dtype::i16, Dtype::i32);
      drawn.operands.push_back(HostArray::from_doubles(shape, dtype, values));
      has_tensor = true;
    }
    step.arguments.push_back(argument);
  }
  floats = chosen_floats;
  if (math_form(step.math) == MathForm::comparison) floats = false;
  drawn.chain.push_back(std::move(step));
}

// Steps of scope output_tile before those of scope kernel, so that the kinds that were drawn meet.
Drawn draw(bool floats, std::int64_t m, std::int64_t n) {
  Drawn drawn;
  for (int count = *rc::gen::inRange(1, 5); count > 0; --count) {
    add_step(drawn, floats, m, n);
    if (drawn.chain.size() > 1)
      drawn.chain.back().scope = std::max(drawn.chain.back().scope, drawn.chain.end()[-2].scope);
    if (!floats && *rc::gen::inRange(0, 3) == 0) {
      EpilogueText dequant;
      dequant.op = EpilogueOp::dequant;
      dequant.number = 0.5;
      dequant.scope = drawn.chain.back().scope;
      drawn.chain.push_back(dequant);
      floats = true;
    }
  }
  drawn.floats = floats;
  return drawn;
}

class Machine {
 public:
  // The array in memory as a tensor of its own, in the middle of a wider one, or transposed; or in scratch.
  tl::TensorHandle place(const HostArray& array) {
    const std::int64_t rows = array.shape()[0], columns = array.shape()[1];
    const std::vector<double> values = array.to_doubles();
    const bool turned = *rc::gen::inRange(0, 4) == 0;
    const std::int64_t stored_rows = turned ? columns : rows, stored_columns = turned ? rows : columns;
    const std::int64_t width = stored_columns + *rc::gen::inRange<std::int64_t>(0, 3);
    std::vector<double> stored(static_cast<std::size_t>(stored_rows * width), 99);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        stored[static_cast<std::size_t>(turned ? j * width + i : i * width + j)] =
            values[static_cast<std::size_t>(i * columns + j)];
      }
    }
    const tests::LayoutPtr layout = keep(whole("x", array.dtype(), {stored_rows, width}, next_));
    next_ += 0x100000;
    device.write(*layout, stored);
    if (!turned && *rc::gen::inRange(0, 3) == 0) return tl.load(tl::Ptr(*layout), {rows, columns}, {}, width);
    const tl::TensorHandle ref = tl.ref(tl::Ptr(*layout), {stored_rows, stored_columns}, {}, width);
    return turned ? tl.trans(ref) : ref;
  }
  std::vector<tl::Epilogue> epilogues(const Drawn& drawn) {
    std::vector<tl::Epilogue> out;
    std::size_t next = 0;
    for (const EpilogueText& step : drawn.chain) {
      std::deque<tl::TensorHandle> handles;
      std::vector<tl::Operand> operands;
      if (step.number) operands.emplace_back(std::get<double>(*step.number));
      for (const EpilogueArgument& argument : step.arguments) {
        if (argument.number) {
          operands.push_back(std::visit([](auto v) { return tl::Operand(v); }, *argument.number));
        } else {
          operands.emplace_back(handles.emplace_back(place(drawn.operands[next++])));
        }
      }
      out.push_back(tl::Epilogue::of(step, operands));
    }
    return out;
  }
  const tests::LayoutPtr& keep(tests::LayoutPtr layout) { return layouts_.emplace_back(std::move(layout)); }

  Device device;
  FunctionalPe pe{tl::RecordingPe::default_info(), device.recorder};
  tl::Context tl{pe, "demo"};

 private:
  std::deque<tests::LayoutPtr> layouts_;
  std::uint64_t next_ = 0x1000000;
};

std::vector<const HostArray*> pointers(const std::deque<HostArray>& arrays) {
  std::vector<const HostArray*> out;
  for (const HostArray& array : arrays) out.push_back(&array);
  return out;
}

HostArray result_of(Machine& machine, const tests::LayoutPtr& layout) {
  return HostArray::from_doubles(layout->shape, layout->dtype, machine.device.read(*layout));
}

Dtype result_dtype(const Drawn& drawn) {
  return drawn.floats ? *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32) : Dtype::i32;
}

void expect_ok(const data::VerificationRow& row) {
  if (!row.ok) RC_LOG() << data::render_table({row});
  RC_ASSERT(row.ok);
}

TEST(EpilogueChain, ProductsAreThoseOfTheReference) {
  EXPECT_TRUE(rc::check("products", [] {
    const std::int64_t m = size(6), k = size(20), n = size(6);
    const bool floats = *rc::gen::arbitrary<bool>();
    const Dtype dtype = floats ? *rc::gen::element(Dtype::f16, Dtype::f32) : *rc::gen::element(Dtype::i8, Dtype::i32);
    const HostArray a = HostArray::random_integers({m, k}, dtype, *rc::gen::inRange<std::uint64_t>(0, 1000));
    HostArray b = HostArray::random_integers({k, n}, dtype, *rc::gen::inRange<std::uint64_t>(0, 1000));
    if (floats) {
      std::vector<double> values = b.to_doubles();
      for (double& value : values) value /= 32;
      b = HostArray::from_doubles(b.shape(), dtype, values);
    }
    const Drawn drawn = draw(floats, m, n);
    Machine machine;
    const tests::LayoutPtr c = machine.keep(whole("c", result_dtype(drawn), {m, n}, 0x300000));
    tl::CompositeOptions options;
    options.epilogue = machine.epilogues(drawn);
    const tl::TensorHandle left = machine.place(a), right = machine.place(b);
    machine.tl.wait(machine.tl.composite(left, right, tl::Ptr(*c), options));
    expect_ok(epilogue_row("C", EpilogueGemm{&a, &b, drawn.chain, nullptr, nullptr, 0, pointers(drawn.operands)},
                           result_of(machine, c)));
  }));
}

TEST(EpilogueChain, ElementWiseCompositesAreThoseOfTheReference) {
  EXPECT_TRUE(rc::check("element-wise", [] {
    const std::int64_t m = size(6), n = size(6);
    const bool floats = *rc::gen::arbitrary<bool>();
    const Dtype dtype = floats ? *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32)
                               : *rc::gen::element(Dtype::i8, Dtype::i16, Dtype::i32);
    const MathOp op = floats ? *rc::gen::element(MathOp::gelu, MathOp::abs, MathOp::cast, MathOp::tanh)
                             : *rc::gen::element(MathOp::abs, MathOp::neg, MathOp::relu, MathOp::bit_not);
    const HostArray x = HostArray::random_integers({m, n}, dtype, *rc::gen::inRange<std::uint64_t>(0, 1000));
    const Drawn drawn = draw(floats, m, n);
    Machine machine;
    const Dtype out = result_dtype(drawn);
    const bool refused = op == MathOp::cast && !is_float(out);
    RC_PRE(!refused);
    const tests::LayoutPtr y = machine.keep(whole("y", out, {m, n}, 0x300000));
    tl::CompositeOptions options;
    options.epilogue = machine.epilogues(drawn);
    const tests::LayoutPtr from = machine.keep(whole("from", dtype, {m, n}, 0x400000));
    machine.device.write(*from, x.to_doubles());
    machine.tl.wait(machine.tl.composite(op, machine.tl.ref(tl::Ptr(*from), {m, n}), tl::Ptr(*y), options));
    expect_ok(
        epilogue_row("Y", EpilogueMath{op, out, &x, drawn.chain, pointers(drawn.operands)}, result_of(machine, y)));
  }));
}

// Rounded once, after the chain: in f16, 2048 + 1 is 2048 and 2049 - 2048 is 1.
TEST(EpilogueChain, RoundsOnceAtTheEnd) {  // P-18, P-90
  Machine machine;
  const tests::LayoutPtr x = machine.keep(whole("x", Dtype::f16, {1, 2}, 0x200000));
  const tests::LayoutPtr y = machine.keep(whole("y", Dtype::f16, {1, 2}, 0x300000));
  machine.device.write(*x, {2048, -2048});
  tl::CompositeOptions options;
  options.epilogue = {tl::Epilogue::bias(1.0), tl::Epilogue::math(MathOp::sub, 2048.0)};
  machine.tl.wait(machine.tl.composite(MathOp::abs, machine.tl.ref(tl::Ptr(*x), {1, 2}), tl::Ptr(*y), options));
  EXPECT_EQ(machine.device.read(*y), (std::vector<double>{1, 1}));
}

// Known values, from tables.
TEST(EpilogueChain, FunctionsHaveTheirValues) {
  Machine machine;
  const tests::LayoutPtr x = machine.keep(whole("x", Dtype::f32, {1, 3}, 0x200000));
  const tests::LayoutPtr y = machine.keep(whole("y", Dtype::f32, {1, 3}, 0x300000));
  machine.device.write(*x, {-1, 0, 2});
  const auto run = [&](const tl::Epilogue& epilogue) {
    tl::CompositeOptions options;
    options.epilogue = {epilogue};
    machine.tl.wait(machine.tl.composite(MathOp::cast, machine.tl.ref(tl::Ptr(*x), {1, 3}), tl::Ptr(*y), options));
    return machine.device.read(*y);
  };
  const auto near = [](const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  };
  near(run(tl::Epilogue::math(MathOp::gelu)), {-0.15865525, 0, 1.95449974});
  near(run(tl::Epilogue::math(MathOp::silu)), {-0.26894142, 0, 1.76159416});
  near(run(tl::Epilogue::math(MathOp::tanh)), {-0.76159416, 0, 0.96402758});
  near(run(tl::Epilogue::math(MathOp::sub, 1.0)), {-2, -1, 1});
  near(run(tl::Epilogue::math(MathOp::sub, 1.0).product_at(1)), {2, 1, -1});
  near(run(tl::Epilogue::math(MathOp::clamp, -0.5, 1.5)), {-0.5, 0, 1.5});
  near(run(tl::Epilogue::math(MathOp::where, 7.0, 9.0)), {7, 9, 7});
}

// Bounds contain what f32 gives for any number within the input's.
TEST(BoundedMath, ContainsEveryNumberWithinItsInput) {  // P-101
  EXPECT_TRUE(rc::check("bounds", [] {
    const MathOp op = *rc::gen::element(MathOp::exp, MathOp::tanh, MathOp::erf, MathOp::gelu, MathOp::gelu_tanh,
                                        MathOp::silu, MathOp::sigmoid, MathOp::cos, MathOp::sin, MathOp::abs,
                                        MathOp::floor, MathOp::ceil, MathOp::round, MathOp::relu, MathOp::neg);
    const double value = *rc::gen::inRange(-4000, 4000) / 1000.0, error = *rc::gen::inRange(0, 3000) / 1000.0;
    const data::Bounded bound = data::bounded_math(op, {value, error});
    for (int i = -8; i <= 8; ++i) {
      const double x = value + error * i / 8;
      const data::Bounded exact = data::bounded_math(op, {x, 0});
      RC_ASSERT(std::fabs(exact.value - bound.value) <= bound.error + exact.error + 1e-7);
    }
  }));
}

}  // namespace
}  // namespace kb::sw
