// Composites of the facade (chapter 06, sections 3 and 9): commands, results, mistakes.
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <tuple>

#include "kernels/tl/tl.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "platform/engine/engine_row.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using contract::Command;
using contract::CommandKind;
using testing::ElementsAre;
using tl::Context;
using tl::Future;
using tl::TensorHandle;
using Values = std::vector<double>;

struct TlComposite : ::testing::Test {
  tl::RecordingPe pe;
  Context tl{pe, "demo"};
  LayoutPtr a = whole("a", Dtype::f16, {40, 64}, 0x100000);
  LayoutPtr b = whole("b", Dtype::f16, {64, 16}, 0x200000);
  LayoutPtr c = whole("c", Dtype::f32, {40, 16}, 0x300000);
  TensorHandle left = tl.ref(tl::Ptr(*a), {40, 64});
  TensorHandle right = tl.ref(tl::Ptr(*b), {64, 16});
};

TEST_F(TlComposite, IsOneCommandFromMemoryToMemory) {  // P-10, P-57
  tl.composite(left, right, tl::Ptr(*c));
  ASSERT_EQ(pe.commands().size(), 1u);
  const Command& command = pe.commands()[0];
  EXPECT_EQ(command.kind, CommandKind::composite);
  EXPECT_EQ(command.engine, engine::EngineId::gemm);
  EXPECT_THAT((std::vector<std::int64_t>{command.m, command.k, command.n}), ElementsAre(40, 64, 16));
  EXPECT_THAT(command.inputs[0].extents, ElementsAre(Extent{0x100000, 40 * 64 * 2}));
  EXPECT_THAT(command.inputs[1].extents, ElementsAre(Extent{0x200000, 64 * 16 * 2}));
  EXPECT_THAT(command.out.extents, ElementsAre(Extent{0x300000, 40 * 16 * 4}));
  EXPECT_EQ(command.out.dtype, Dtype::f32);
  EXPECT_EQ(command.acc_dtype, Dtype::f32);
  EXPECT_EQ(command.tile_shape.k, pe.info().tile_shape.k);
  EXPECT_THAT(command.pinned, ElementsAre(false, false));
  EXPECT_STREQ(command.call, "composite");
}

// Never stale data: room that a running composite still reads is not handed out again.
TEST_F(TlComposite, OperandsOutliveTheirScopeOrTheCallFails) {
  tl::Future open;
  {
    tl::Scratch scope(tl);
    open = tl.composite(left, tl.load(tl::Ptr(*b), {64, 16}), tl::Ptr(*c));
  }
  expect_program_error([&] { tl.zeros({4}); }, "KERNEL_ERROR",
                       {"an operand of tl.composite #4", "is to be overwritten"});
  tl.wait(open);
  tl.zeros({4});
  {
    tl::Scratch scope(tl);
    tl::CompositeOptions options;
    options.epilogue = {tl::Epilogue::bias(tl.zeros({16}))};
    open = tl.composite(left, right, tl::Ptr(*c), options);
  }
  expect_program_error([&] { tl.load(tl::Ptr(*a), {8}); }, "KERNEL_ERROR", {"which was not waited for"});
  tl.wait();
  tl.load(tl::Ptr(*a), {8});
}

TEST_F(TlComposite, LoadedOperandsArePinned) {  // P-23
  const TensorHandle loaded = tl.load(tl::Ptr(*b), {64, 16});
  tl::CompositeOptions options;
  options.tile_shape = tl::TileShape{8, 16, 8};
  tl.composite(left, loaded, tl::Ptr(*c), options);
  const Command& command = pe.commands().back();
  EXPECT_THAT(command.pinned, ElementsAre(false, true));
  EXPECT_THAT(command.inputs[1].extents, ElementsAre(Extent{loaded.address(), loaded.nbytes()}));
  EXPECT_EQ(command.tile_shape.k, 16);
}

TEST_F(TlComposite, TakesTransposedAndStridedOperands) {
  const LayoutPtr wide = whole("wide", Dtype::f16, {64, 128}, 0x400000);
  tl.composite(tl.trans(tl.ref(tl::Ptr(*wide) + 8, {64, 40}, {}, 128)), right, tl::Ptr(*c));
  const Command& command = pe.commands().back();
  EXPECT_EQ(command.inputs[0].shape, (Shape{40, 64}));
  EXPECT_TRUE(command.inputs[0].transposed);
  EXPECT_THAT(command.strided, ElementsAre(true, false));
  ASSERT_EQ(command.inputs[0].extents.size(), 64u);
  EXPECT_EQ(command.inputs[0].extents[1], (Extent{0x400000 + (128 + 8) * 2, 80}));
}

TEST_F(TlComposite, LeavesItsResultInScratch) {
  const TensorHandle out = tl.empty({40, 16}, Dtype::f32);
  const tl::Future product = tl.composite(left, right, out);
  EXPECT_TRUE(pe.commands().back().out_pinned);
  EXPECT_THAT(pe.commands().back().out.extents, ElementsAre(Extent{out.address(), out.nbytes()}));
  expect_program_error([&] { tl.exp(out); }, "KERNEL_ERROR", {"tl.composite #", "was not waited for"});
  EXPECT_EQ(tl.wait(product).address(), out.address());
  tl.wait(tl.composite(MathOp::relu, out, out));  // in place
  EXPECT_THAT(pe.commands().back().pinned, ElementsAre(true, false));
}

TEST_F(TlComposite, TakesRowsOfTheLastDimension) {
  const LayoutPtr x = whole("x", Dtype::f16, {2, 3, 5}, 0x100000);
  const LayoutPtr y = whole("y", Dtype::f16, {2, 3, 5}, 0x200000);
  tl.composite(MathOp::exp, tl.ref(tl::Ptr(*x), {2, 3, 5}), tl::Ptr(*y));
  EXPECT_EQ(pe.commands()[0].kind, CommandKind::composite);
  EXPECT_EQ(pe.commands()[0].engine, engine::EngineId::math);
  EXPECT_EQ(pe.commands()[0].row->name, "exp");
  EXPECT_EQ(pe.commands()[0].m, 6);
  EXPECT_EQ(pe.commands()[0].n, 5);
}

TEST_F(TlComposite, MistakesNameCallAndOperand) {
  const tl::Ptr out(*c);
  expect_program_error([&] { tl.composite(right, left, out); }, "SHAPE_ERROR", {"kernel demo, tl.composite #"});
  expect_program_error([&] { tl.composite(MathOp::exp, tl.trans(left), out); }, "KERNEL_ERROR",
                       {"operand 1", "transposed view"});
  expect_program_error(
      [&] {
        tl.composite(left, right, tl.zeros({16, 40}, Dtype::f32));
      },
      "SHAPE_ERROR", {"operand 0", "(40, 16)"});
  expect_program_error(
      [&] {
        tl.composite(left, right, tl.trans(tl.zeros({16, 40}, Dtype::f32)));
      },
      "KERNEL_ERROR", {"cannot be written"});
  expect_program_error([&] { tl.composite(MathOp::sum, left, out); }, "KERNEL_ERROR", {"sum is not an element-wise"});
  expect_program_error([&] { tl.composite(MathOp::exp, left, out); }, "DTYPE_ERROR",
                       {"the result is f16, but in tensor 'c' it is f32"});
  expect_program_error([&] { tl.composite(left, right, tl::Ptr(*a)); }, "KERNEL_ERROR",
                       {"tl.composite #", "the result in tensor 'a' lies over operand 1"});
  tl::CompositeOptions options;
  options.tile_shape = tl::TileShape{0, 1, 1};
  expect_program_error([&] { tl.composite(left, right, out, options); }, "SHAPE_ERROR", {"0 x 1 x 1"});
  expect_program_error([&] { tl.wait(Future()); }, "KERNEL_ERROR", {"the future is empty"});
}

TEST_F(TlComposite, TilesThatDoNotFitAreErrorsAtTheCall) {  // P-43, P-46
  contract::PeInfo info = tl::RecordingPe::default_info();
  info.tile_capacity = {32768, 12288};
  tl::RecordingPe small(info);
  tl::Context on_small(small, "demo");
  const auto call = [&](tl::TileShape tile) {
    tl::CompositeOptions options;
    options.tile_shape = tile;
    on_small.composite(on_small.ref(tl::Ptr(*a), {40, 64}), on_small.ref(tl::Ptr(*b), {64, 16}), tl::Ptr(*c), options);
  };
  call({32, 64, 32});
  expect_program_error(
      [&] {
        call({32, 97, 32});
      },
      "OUT_OF_REGISTERS",
      {"kernel demo, tl.composite #", "f32 (40, 16) result in tensor 'c'",
       "two tiles of 32 x 97 x 32 need 33024 B of registers, there are 32768"});
  expect_program_error(
      [&] {
        call({16, 192, 16});
      },
      "OUT_OF_SCRATCH", {"a tile of 16 x 192 x 16 needs 13312 B of TCM, 12288 B are reserved"});
  EXPECT_EQ(small.commands().size(), 1u);
}

TEST_F(TlComposite, EpiloguesTravelWithTheCommand) {  // P-12, P-14, P-15
  const LayoutPtr bias = whole("bias", Dtype::f16, {1, 16}, 0x500000);
  const TensorHandle row = tl.load(tl::Ptr(*bias), {1, 16});
  tl::CompositeOptions options;
  options.epilogue = {tl::Epilogue::scale(0.5, EpilogueScope::k_tile), tl::Epilogue::bias(row), tl::Epilogue::relu()};
  tl.composite(left, right, tl::Ptr(*c), options);
  const std::vector<kb::Epilogue>& epilogues = pe.commands().back().epilogues;
  ASSERT_EQ(epilogues.size(), 3u);
  EXPECT_EQ(epilogues[0].scope, EpilogueScope::k_tile);
  EXPECT_EQ(epilogues[1].scope, EpilogueScope::output_tile);
  EXPECT_EQ(epilogues[0].operand->immediate, Scalar(0.5));
  EXPECT_THAT(epilogues[1].operand->extents, ElementsAre(Extent{row.address(), 32}));
  EXPECT_EQ(epilogues[2].op, EpilogueOp::relu);
}

TEST_F(TlComposite, EpiloguesTakeOperationsAndTensorsInMemory) {  // P-14
  const LayoutPtr wide = whole("wide", Dtype::f16, {40, 128}, 0x500000);
  const LayoutPtr gate = whole("gate", Dtype::f32, {16, 40}, 0x600000);
  const LayoutPtr row = whole("row", Dtype::bf16, {16}, 0x700000);
  tl::CompositeOptions options;
  options.epilogue = {tl::Epilogue::math(MathOp::gelu),
                      tl::Epilogue::math(MathOp::add, tl.ref(tl::Ptr(*wide) + 8, {40, 16}, {}, 128)),
                      tl::Epilogue::math(MathOp::where, tl.trans(tl.ref(tl::Ptr(*gate), {16, 40})), 0.0).product_at(1),
                      tl::Epilogue::bias(tl.ref(tl::Ptr(*row), {16}), EpilogueScope::k_tile)};
  tl.composite(left, right, tl::Ptr(*c), options);
  const std::vector<kb::Epilogue>& epilogues = pe.commands().back().epilogues;
  ASSERT_EQ(epilogues.size(), 4u);
  EXPECT_EQ(epilogues[0].math, MathOp::gelu);
  EXPECT_FALSE(epilogues[0].operand);
  EXPECT_EQ(epilogues[1].operand->extents.size(), 40u);
  EXPECT_EQ(epilogues[1].operand->extents[1], (Extent{0x500000 + (128 + 8) * 2, 32}));
  EXPECT_THAT(epilogues[1].in_memory, ElementsAre(true, false));
  EXPECT_THAT(epilogues[1].strided, ElementsAre(true, false));
  EXPECT_EQ(epilogues[2].place, 1);
  EXPECT_TRUE(epilogues[2].operand->transposed);
  EXPECT_EQ(epilogues[2].operand->shape, (Shape{40, 16}));
  EXPECT_EQ(epilogues[2].second->immediate, Scalar(0.0));
  EXPECT_THAT(epilogues[2].strided, ElementsAre(false, false));
  EXPECT_THAT(epilogues[3].operand->extents, ElementsAre(Extent{0x700000, 32}));
}

TEST_F(TlComposite, SaysWhetherAIsKept) {  // P-102: the call, or the PE
  tl.composite(left, right, tl::Ptr(*c));
  EXPECT_EQ(pe.commands().back().reuse_a, ReuseA::automatic);
  tl::CompositeOptions options;
  options.reuse_a = ReuseA::off;
  tl.composite(left, right, tl::Ptr(*c), options);
  EXPECT_EQ(pe.commands().back().reuse_a, ReuseA::off);
  contract::PeInfo info = tl::RecordingPe::default_info();
  info.reuse_a = ReuseA::off;
  tl::RecordingPe other(info);
  tl::Context on_other(other, "demo");
  on_other.composite(on_other.ref(tl::Ptr(*a), {40, 64}), on_other.ref(tl::Ptr(*b), {64, 16}), tl::Ptr(*c));
  EXPECT_EQ(other.commands().back().reuse_a, ReuseA::off);
}

TEST_F(TlComposite, AResidualMayBeAddedInPlaceAndNothingElse) {
  const LayoutPtr residual = whole("residual", Dtype::f32, {40, 16}, 0x300000);
  const auto call = [&](const tl::Epilogue& epilogue) {
    tl::CompositeOptions options;
    options.epilogue = {epilogue};
    tl.composite(left, right, tl::Ptr(*c), options);
  };
  call(tl::Epilogue::math(MathOp::add, tl.ref(tl::Ptr(*residual), {40, 16})));
  const auto refused = [&](const tl::Epilogue& epilogue) {
    expect_program_error([&] { call(epilogue); }, "KERNEL_ERROR",
                         {"in tensor 'c' lies over the operand of epilogue add"});
  };
  refused(tl::Epilogue::math(MathOp::add, tl.ref(tl::Ptr(*residual), {40, 16}), EpilogueScope::k_tile));
  refused(tl::Epilogue::math(MathOp::add, tl.ref(tl::Ptr(*residual), {40, 1}, {}, 16)));
  refused(tl::Epilogue::math(MathOp::add, tl.ref(tl::Ptr(*residual), {1, 16})));
}

TEST_F(TlComposite, EpilogueMistakesAreErrorsAtTheCall) {  // P-14
  const auto call = [&](const tl::Epilogue& epilogue) {
    tl::CompositeOptions options;
    options.epilogue = {epilogue};
    tl.composite(left, right, tl::Ptr(*c), options);
  };
  expect_program_error([&] { call(tl::Epilogue::bias(tl.zeros({40}))); }, "SHAPE_ERROR",
                       {"kernel demo, tl.composite #", "epilogue bias", "product (40, 16)"});
  expect_program_error([&] { call(tl::Epilogue::bias(left)); }, "SHAPE_ERROR", {"epilogue bias", "(40, 64)"});
  expect_program_error([&] { call(tl::Epilogue::math(MathOp::sum)); }, "SCHEMA_ERROR",
                       {"epilogue sum", "not element-wise"});
  expect_program_error([&] { call(tl::Epilogue::math(MathOp::add)); }, "SCHEMA_ERROR",
                       {"epilogue add", "takes 1 operand beside the product, not 0"});
  expect_program_error([&] { call(tl::Epilogue::math(MathOp::gelu).product_at(1)); }, "SCHEMA_ERROR",
                       {"to be its input 2; it has 1"});
  expect_program_error([&] { call(tl::Epilogue::math(MathOp::bit_not)); }, "DTYPE_ERROR",
                       {"epilogue bit_not", "the product is a float"});
  expect_program_error(
      [&] {
        call(tl::Epilogue::bias(tl.trans(tl.zeros({16, 40}))));
      },
      "KERNEL_ERROR", {"transposed view"});
  tl::CompositeOptions options;
  options.epilogue = {tl::Epilogue::relu()};
  options.epilogue = {tl::Epilogue::math(MathOp::gt, 0.0)};
  expect_program_error([&] { tl.composite(MathOp::abs, left, tl::Ptr(*a), options); }, "DTYPE_ERROR",
                       {"end in integer numbers, the result cannot be f16"});
  options.epilogue = {tl::Epilogue::bias(tl.zeros({3}))};
  expect_program_error([&] { tl.composite(MathOp::abs, left, tl::Ptr(*a), options); }, "SHAPE_ERROR",
                       {"does not broadcast to the product (40, 64)"});
}

// Waits are passed on once per composite, in order.
struct CountingPe final : contract::IPe {
  contract::PeInfo info_ = tl::RecordingPe::default_info();
  std::vector<Ticket> waits;
  Ticket next = 100;
  const contract::PeInfo& info() const override { return info_; }
  void execute(const Command&) override {}
  Ticket submit(const Command&) override { return next++; }
  void wait(Ticket ticket, account::PlaceId) override { waits.push_back(ticket); }
  void write_scratch(std::uint64_t, Dtype, std::vector<std::byte>) override {}
  std::vector<std::byte> read(const std::vector<Extent>&) override { return {}; }
};

TEST_F(TlComposite, WaitsForOneOrForAll) {
  CountingPe counting;
  Context context(counting, "waiting");
  const auto go = [&] {
    return context.composite(context.ref(tl::Ptr(*a), {40, 64}), context.ref(tl::Ptr(*b), {64, 16}), tl::Ptr(*c));
  };
  go();
  const Future second = go();
  go();
  context.wait(second);
  context.wait();
  context.wait();
  EXPECT_THAT(counting.waits, ElementsAre(101, 100, 102));
}

TEST(TlCompositeResults, EqualLoadDotStore) {  // P-90
  Device device;
  FunctionalPe pe(tl::RecordingPe::default_info(), device.recorder);
  Context tl(pe, "demo");
  const LayoutPtr a = whole("a", Dtype::f16, {3, 4}, 0x100000);
  const LayoutPtr b = whole("b", Dtype::f16, {4, 2}, 0x200000);
  const LayoutPtr c = whole("c", Dtype::f32, {3, 2}, 0x300000);
  const LayoutPtr d = whole("d", Dtype::f32, {3, 2}, 0x400000);
  const LayoutPtr e = whole("e", Dtype::f32, {3, 2}, 0x500000);
  device.write(*a, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  device.write(*b, {1, -1, 2, -2, 3, -3, 4, 0.5});
  const TensorHandle left = tl.ref(tl::Ptr(*a), {3, 4});
  const TensorHandle right = tl.load(tl::Ptr(*b), {4, 2});
  tl.wait(tl.composite(left, right, tl::Ptr(*c)));
  tl.store(tl::Ptr(*d), tl.dot(tl.load(tl::Ptr(*a), {3, 4}), right, Dtype::f32));
  EXPECT_EQ(device.read(*c), device.read(*d));
  EXPECT_EQ(device.read(*c), (Values{30, -12, 70, -34, 110, -56}));
  tl.wait(tl.composite(MathOp::relu, tl.ref(tl::Ptr(*c), {3, 2}), tl::Ptr(*e)));
  EXPECT_EQ(device.read(*e), (Values{30, 0, 70, 0, 110, 0}));

  tl::CompositeOptions options;  // 2 * x + 12, then no negative numbers
  options.epilogue = {tl::Epilogue::scale(2.0), tl::Epilogue::bias(12.0), tl::Epilogue::relu()};
  tl.wait(tl.composite(left, right, tl::Ptr(*e), options));
  EXPECT_EQ(device.read(*e), (Values{72, 0, 152, 0, 232, 0}));
}

// Any mixture of operands in memory and in scratch, transposed, out of wider matrices: what load, dot and store give.
TEST(TlCompositeResults, EqualLoadDotStoreForAnyOperands) {
  EXPECT_TRUE(rc::check("operands", [] {
    Device device;
    FunctionalPe pe(tl::RecordingPe::default_info(), device.recorder);
    Context tl(pe, "demo");
    const auto size = [] { return *rc::gen::inRange<std::int64_t>(1, 20); };
    const std::int64_t m = size(), k = size(), n = size();
    const auto operand = [&](const char* name, std::int64_t rows, std::int64_t cols, std::uint64_t pa) {
      const bool turned = *rc::gen::arbitrary<bool>();
      if (turned) std::swap(rows, cols);
      const std::int64_t margin = *rc::gen::inRange<std::int64_t>(0, 3), width = cols + margin;
      const auto layout = whole(name, Dtype::f16, {rows, width}, pa);
      Values values;
      for (std::int64_t i = 0; i < rows * width; ++i) values.push_back(static_cast<double>((i * 7 + rows) % 11 - 5));
      device.write(*layout, values);
      const tl::Ptr from = tl::Ptr(*layout) + *rc::gen::inRange<std::int64_t>(0, margin + 1);
      const TensorHandle loaded = tl.load(from, {rows, cols}, {}, width);
      TensorHandle given = *rc::gen::arbitrary<bool>() ? loaded : tl.ref(from, {rows, cols}, {}, width);
      const auto view = [&](const TensorHandle& x) { return turned ? tl.trans(x) : x; };
      return std::tuple{layout, view(given), view(loaded)};
    };
    const auto [keep_a, a, loaded_a] = operand("a", m, k, 0x100000);
    const auto [keep_b, b, loaded_b] = operand("b", k, n, 0x200000);
    const Values expected = tl.dot(loaded_a, loaded_b, Dtype::f32).to_doubles();
    const LayoutPtr c = whole("c", Dtype::f32, {m, n}, 0x300000);
    tl.wait(tl.composite(a, b, tl::Ptr(*c)));
    RC_ASSERT(device.read(*c) == expected);
    tl::CompositeOptions options;
    options.epilogue = {tl::Epilogue::scale(2.0)};
    const TensorHandle twice = tl.wait(tl.composite(a, b, tl.empty({m, n}, Dtype::f32), options));
    RC_ASSERT((twice / 2).to_doubles() == expected);
  }));
}

}  // namespace
}  // namespace kb::tests
