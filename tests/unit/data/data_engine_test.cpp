// Modes of the data engine: what a kernel and the host may read, and that replay and eager agree (P-61 .. P-66, P-99).
#include "platform/data/data_engine.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "platform/contract/command.h"
#include "platform/contract/data_mode.h"
#include "platform/contract/i_translator.h"
#include "platform/contract/requests.h"
#include "platform/data/operation_recorder.h"
#include "platform/engine/built_in_engines.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::at;
using test::bytes_of;
using test::expect_error;
using test::record;

struct Sink final : IOpSink {
  std::vector<std::uint64_t> sequences;
  std::vector<std::string> names;
  void record(std::uint64_t sequence, const OpRecord& op) override {
    sequences.push_back(sequence);
    names.emplace_back(op.name());
  }
  void finish() override {}
};

struct Machine {
  explicit Machine(DataMode mode, bool strict = false, std::size_t max_pending = 65536, IOpSink* sink = nullptr)
      : memory(store_options(strict)), engine(mode, memory, engine_options(max_pending, sink)) {}
  static MemoryStore::Options store_options(bool strict) {
    MemoryStore::Options options;
    options.strict = strict;
    return options;
  }
  static DataEngine::Options engine_options(std::size_t max_pending, IOpSink* sink) {
    DataEngine::Options options;
    options.component_name = [](NodeId node) { return "pe" + std::to_string(node.value) + ".pe_math"; };
    options.pe_name = [](NodeId node) { return "pe" + std::to_string(node.value); };
    options.max_pending = max_pending;
    options.sink = sink;
    return options;
  }
  void host_write(std::uint64_t pa, std::vector<std::byte> bytes) {
    const Extent place{pa, bytes.size()};
    engine.complete(record(WriteOp{
        WriteName::host_write, {place}, {}, std::make_shared<const std::vector<std::byte>>(std::move(bytes)), 0}));
  }
  void copy(std::vector<Extent> from, std::vector<Extent> to) {
    engine.complete(record(CopyOp{CopyName::dma_read, std::move(from), std::move(to)}));
  }
  void add(std::uint64_t x, std::uint64_t y, std::uint64_t out, std::int64_t n) {
    engine.complete(
        record(MathOpRecord{MathOp::add, {at(x, {n}, Dtype::i8), at(y, {n}, Dtype::i8)}, at(out, {n}, Dtype::i8), {}},
               1, 0_fs, 82.06_ns, NodeId(3)));
  }
  void refused(const std::vector<Extent>& extents, const std::vector<std::string>& parts) {
    expect_error([&] { engine.kernel_read(extents); }, ErrorFamily::program, "DATA_ACCESS", parts);
  }
  MemoryStore memory;
  DataEngine engine;
};

TEST(DataEngine, OffComputesNothing) {
  Machine m(DataMode::off);
  EXPECT_FALSE(m.engine.needs_records());
  m.host_write(0, bytes_of({1, 2}));
  EXPECT_EQ(m.engine.completed(), 1u);
  EXPECT_EQ(m.engine.read({{0, 2}}), bytes_of({0, 0}));
  EXPECT_EQ(m.memory.pages(), 0u);
  m.refused({{0, 2}}, {"not known in data mode off", "--data eager"});
}

TEST(DataEngine, EveryModeReportsToTheLogInCompletionOrder) {
  for (DataMode mode : {DataMode::off, DataMode::replay, DataMode::eager}) {
    Sink sink;
    Machine m(mode, false, 65536, &sink);
    EXPECT_TRUE(m.engine.needs_records());
    m.host_write(0, bytes_of({1, 2, 3, 4}));
    m.add(0, 2, 8, 2);
    m.copy({{8, 2}}, {{16, 2}});
    EXPECT_EQ(sink.sequences, (std::vector<std::uint64_t>{0, 1, 2}));
    EXPECT_EQ(sink.names, (std::vector<std::string>{"host_write", "add", "dma_read"}));
  }
}

TEST(DataEngine, EagerComputesAtCompletion) {
  Machine m(DataMode::eager);
  m.host_write(0, bytes_of({1, 2, 3, 4}));
  m.add(0, 2, 8, 2);
  EXPECT_EQ(m.engine.pending(), 0u);
  EXPECT_EQ(m.engine.kernel_read({{8, 2}}), bytes_of({4, 6}));
}

TEST(DataEngine, ReplayComputesWhenAsked_P66) {
  Machine m(DataMode::replay);
  m.host_write(0, bytes_of({1, 2, 3, 4}));
  m.add(0, 2, 8, 2);
  EXPECT_EQ(m.engine.pending(), 2u);
  EXPECT_EQ(m.memory.pages(), 0u);
  EXPECT_EQ(m.engine.read({{8, 2}}), bytes_of({4, 6}));
  EXPECT_EQ(m.engine.pending(), 0u);
}

TEST(DataEngine, ReplayQueueIsBounded) {
  Machine m(DataMode::replay, false, 4);
  for (int i = 0; i < 100; ++i) {
    m.host_write(static_cast<std::uint64_t>(i), bytes_of({i}));
    EXPECT_LE(m.engine.pending(), 4u);
  }
  EXPECT_EQ(m.engine.read({{99, 1}}), bytes_of({99}));
}

TEST(DataEngine, KernelsReadLoadedButNotComputedBytesInReplay_P62) {
  Machine m(DataMode::replay);
  m.host_write(0, bytes_of({1, 2, 3, 4}));
  m.copy({{0, 4}}, {{100, 4}});
  EXPECT_EQ(m.engine.kernel_read({{100, 4}}), bytes_of({1, 2, 3, 4}));
  m.add(100, 102, 104, 2);
  m.refused({{103, 2}}, {"0x68", "add on pe3.pe_math", "operation 2 of the log", "--data eager"});
  EXPECT_EQ(m.engine.kernel_read({{102, 2}}), bytes_of({3, 4}));
  // Computing them for the host does not make the kernel's program legal.
  EXPECT_EQ(m.engine.read({{104, 2}}), bytes_of({4, 6}));
  m.refused({{104, 1}}, {"add"});
}

TEST(DataEngine, CopiesCarryTaintByteForByte) {
  Machine m(DataMode::replay);
  m.host_write(0, bytes_of({1, 1, 1, 1, 1, 1, 1, 1}));
  m.add(0, 2, 10, 2);                             // tainted: 10, 11
  m.copy({{9, 4}}, {{20, 1}, {40, 2}, {30, 1}});  // -> 40, 41
  EXPECT_NO_THROW(m.engine.kernel_read({{20, 1}, {30, 1}, {39, 1}, {42, 1}}));
  m.refused({{40, 1}}, {"0x28"});
  m.refused({{20, 1}, {41, 1}}, {"0x29"});
  m.copy({{9, 2}, {0, 1}}, {{50, 3}});  // -> 51
  EXPECT_NO_THROW(m.engine.kernel_read({{50, 1}, {52, 1}}));
  m.refused({{51, 1}}, {"add"});
  m.copy({{0, 2}}, {{40, 2}});  // clean source
  EXPECT_NO_THROW(m.engine.kernel_read({{40, 2}}));
  m.host_write(10, bytes_of({7}));  // clean bytes from outside
  EXPECT_NO_THROW(m.engine.kernel_read({{10, 1}}));
  m.refused({{10, 2}}, {"0xb"});
  m.copy({{11, 2}}, {{10, 2}});  // overlapping: 11 -> 10, clean 12 -> 11
  m.refused({{10, 1}}, {"0xa"});
  EXPECT_NO_THROW(m.engine.kernel_read({{11, 2}}));
}

TEST(DataEngine, GemmResultsAreTaintedToo) {
  Machine m(DataMode::replay);
  m.engine.complete(
      record(GemmOp{at(0, {1, 1}, Dtype::f16), at(2, {1, 1}, Dtype::f16), at(4, {1, 1}, Dtype::f32), Dtype::f32}));
  m.refused({{7, 1}}, {"gemm with result f32 on pe0.pe_math"});
}

TEST(DataEngine, ErrorsNameTheOperation) {
  for (DataMode mode : {DataMode::replay, DataMode::eager}) {
    Machine m(mode, true);
    m.host_write(0, bytes_of({1, 2}));
    expect_error(
        [&] {
          m.add(0, 64, 8, 2);
          m.engine.sync();
        },
        ErrorFamily::program, "UNWRITTEN_READ", {"0x40", "add on pe3.pe_math", "operation 1 of the log", "82.06 ns"});
    EXPECT_EQ(m.engine.pending(), 0u);
  }
}

TEST(DataEngine, PatternsContinueOverExtents) {
  Machine m(DataMode::eager);
  m.engine.complete(record(WriteOp{WriteName::host_write, {{0, 3}, {8, 2}, {16, 4}}, {0x04030201, 4}, nullptr, 0}));
  EXPECT_EQ(m.engine.read({{0, 3}, {8, 2}, {16, 4}}), bytes_of({1, 2, 3, 4, 1, 2, 3, 4, 1}));
}

TEST(DataEngine, RefusesInconsistentRecords) {
  Machine m(DataMode::eager);
  expect_error([&] { m.copy({{0, 3}}, {{8, 2}}); }, ErrorFamily::model, "MODEL_ERROR", {"3 bytes into 2"});
  const auto buffer = std::make_shared<const std::vector<std::byte>>(4);
  expect_error(
      [&] {
        m.engine.complete(record(WriteOp{WriteName::host_write, {{0, 4}}, {}, buffer, 1}));
      },
      ErrorFamily::model, "MODEL_ERROR", {"host buffer of 4 bytes"});
}

TEST(OperationRecorder, TurnsCommandsIntoRecords) {
  Machine m(DataMode::eager);
  OperationRecorder recorder(m.engine);
  contract::MemoryWrite write;
  write.pa = 0;
  write.nbytes = 4;
  write.pattern = {2, 1};
  recorder.on_host_write({}, write, 0_fs, 10_fs);
  recorder.on_scratch_write(NodeId(1), 100, Dtype::f16, bytes_of({1, 2, 3, 4}), 11_fs);
  contract::Command load;
  load.kind = contract::CommandKind::dma_read;
  load.memory = {{0, 4}};
  load.local = {{104, 4}};
  recorder.on_command(NodeId(1), load, nullptr, 11_fs, 12_fs);
  contract::Command math;
  math.kind = contract::CommandKind::engine;
  math.use(engine::math_command(MathOp::mul));
  math.math_op = MathOp::mul;
  math.inputs = {at(100, {4}, Dtype::i8), at(104, {4}, Dtype::i8)};
  math.out = at(108, {4}, Dtype::i8);
  recorder.on_command(NodeId(1), math, nullptr, 12_fs, 13_fs);
  contract::Command gemm;
  gemm.kind = contract::CommandKind::engine;
  gemm.use(engine::product_command());
  gemm.inputs = {at(108, {2, 2}, Dtype::i8), at(104, {2, 2}, Dtype::i8)};
  gemm.out = at(112, {2, 2}, Dtype::i8);
  gemm.acc_dtype = Dtype::i32;
  recorder.on_command(NodeId(1), gemm, nullptr, 13_fs, 14_fs);
  contract::Command store;
  store.kind = contract::CommandKind::dma_write;
  store.memory = {{8, 4}};
  store.local = {{112, 4}};
  recorder.on_command(NodeId(1), store, nullptr, 14_fs, 15_fs);
  recorder.on_command(NodeId(1), contract::Command{}, nullptr, 15_fs, 16_fs);  // cpu_overhead: timing only
  EXPECT_EQ(recorder.kernel_read({{8, 4}}), bytes_of({12, 12, 28, 28}));
  EXPECT_EQ(m.engine.completed(), 7u);
}

// What is not logged has contents like everything else, takes no number and leaves no gap.
TEST(DataEngine, OutsideWritesMayStayOutOfTheLog) {
  for (const DataMode mode : {DataMode::eager, DataMode::replay}) {
    Sink sink;
    Machine m(mode, true, 65536, &sink);
    OperationRecorder recorder(m.engine, DataEngine::Logged::no);
    const auto write = [&](std::uint64_t pa) {
      recorder.on_outside_write(NodeId(1), {{pa, 4}}, std::make_shared<std::vector<std::byte>>(bytes_of({1, 2, 3, 4})),
                                1_fs, 2_fs);
    };
    write(0);
    m.copy({{0, 4}}, {{8, 4}});
    write(16);
    EXPECT_EQ(m.engine.read({{8, 4}}), bytes_of({1, 2, 3, 4}));
    EXPECT_EQ(m.engine.read({{16, 4}}), bytes_of({1, 2, 3, 4}));
    write(24);
    expect_error(
        [&] {
          m.copy({{100, 4}}, {{8, 4}});  // strict: nobody has written there
          m.engine.sync();
        },
        ErrorFamily::program, "UNWRITTEN_READ", {"operation 1 of the log"});
    EXPECT_EQ(sink.sequences, (std::vector<std::uint64_t>{0, 1}));
    EXPECT_EQ(sink.names, (std::vector<std::string>{"dma_read", "dma_read"}));
  }
}

// Virtual addresses 1000 and up, tagged, lie at 0 in reverse order of 4-byte pieces.
class Reversing final : public contract::ITranslator {
 public:
  std::optional<std::uint64_t> translate(const Extent& extent, std::vector<Extent>& physical) const override {
    if (extent.pa < kTag) {
      physical.push_back(extent);
      return std::nullopt;
    }
    for (std::uint64_t at = 0; at < extent.nbytes; at += 4) physical.push_back({kTag + 1012 - extent.pa - at, 4});
    if (extent.pa - kTag > 1012) return extent.pa;
    return std::nullopt;
  }
  TimeFs access_overhead() const override { return 0_fs; }
  static constexpr std::uint64_t kTag = std::uint64_t{1} << 62;
};

// P-78: the data engine sees the memory behind a virtual address; composites are reported with whole operands.
TEST(OperationRecorder, MakesAddressesPhysical) {
  Machine m(DataMode::eager);
  OperationRecorder recorder(m.engine);
  const Reversing mmu;
  recorder.on_scratch_write(NodeId(1), 0, Dtype::f16, bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
                            0_fs);
  contract::Command load;
  load.kind = contract::CommandKind::dma_read;
  load.memory = {{Reversing::kTag + 1004, 8}};
  load.local = {{100, 8}};
  recorder.on_command(NodeId(1), load, &mmu, 0_fs, 1_fs);
  EXPECT_EQ(recorder.kernel_read({{100, 8}}), bytes_of({9, 10, 11, 12, 5, 6, 7, 8}));

  contract::Command composite;
  composite.kind = contract::CommandKind::composite;
  composite.use(engine::math_command(MathOp::neg));
  composite.math_op = MathOp::neg;
  composite.inputs = {at(Reversing::kTag + 1000, {4}, Dtype::i8)};
  composite.out = at(Reversing::kTag + 1012, {4}, Dtype::i8);
  recorder.on_command(NodeId(1), composite, &mmu, 1_fs, 2_fs);
  EXPECT_EQ(recorder.kernel_read({{0, 4}}), bytes_of({243, 242, 241, 240}));

  load.memory = {{Reversing::kTag + 1016, 8}};
  try {
    recorder.on_command(NodeId(1), load, &mmu, 2_fs, 3_fs);
    FAIL() << "the mapping is gone";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "PAGE_FAULT");
  }
}

// P-99: replay equals eager for every byte, whatever the sequence of operations and however the queue was cut.
void random_operation(Machine& a, Machine& b) {
  const auto place = [] { return *rc::gen::inRange<std::uint64_t>(0, 96) * 4 + 65536 - 200; };
  const auto both = [&](OpRecord op) {
    OpRecord again = op;
    a.engine.complete(std::move(op));
    b.engine.complete(std::move(again));
  };
  switch (*rc::gen::inRange(0, 4)) {
    case 0: {
      const auto values = *rc::gen::container<std::vector<std::uint8_t>>(24, rc::gen::arbitrary<std::uint8_t>());
      auto bytes = std::make_shared<std::vector<std::byte>>();
      for (auto v : values) bytes->push_back(static_cast<std::byte>(v));
      return both(record(WriteOp{WriteName::host_write, {{place(), 20}}, {}, std::move(bytes), 3}));
    }
    case 1: {
      const std::uint64_t n = *rc::gen::inRange<std::uint64_t>(1, 40);
      const std::uint64_t cut = *rc::gen::inRange<std::uint64_t>(0, n + 1);
      return both(record(CopyOp{CopyName::dma_write, {{place(), n}}, {{place(), cut}, {place() + 1, n - cut}}}));
    }
    case 2: {
      const Dtype dtype = *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i8, Dtype::i16);
      const Dtype sums = is_float(dtype) ? Dtype::f32 : Dtype::i64;  // any integers fit
      const bool ta = *rc::gen::arbitrary<bool>();
      return both(record(GemmOp{at(place(), {3, 2}, dtype, ta), at(place(), {2, 4}, dtype),
                                at(place(), {3, 4}, is_float(dtype) ? dtype : sums), sums}));
    }
    default: {
      const MathOp op =
          *rc::gen::element(MathOp::add, MathOp::mul, MathOp::maximum, MathOp::exp, MathOp::softmax, MathOp::sum);
      const Dtype dtype = *rc::gen::element(Dtype::f16, Dtype::bf16, Dtype::f32);
      std::vector<OperandRef> inputs{at(place(), {3, 4}, dtype)};
      if (math_arity(op) == 2) inputs.push_back(at(place(), {1, 4}, dtype));
      const std::optional<int> axis = op == MathOp::sum ? std::optional<int>(1) : std::nullopt;
      const OperandRef out = at(place(), math_result(op, inputs, axis).shape, dtype);
      return both(record(MathOpRecord{op, inputs, out, axis}));
    }
  }
}

RC_GTEST_PROP(DataEngineProperty, ReplayEqualsEagerBitForBit, ()) {
  Machine eager(DataMode::eager), replay(DataMode::replay, false, *rc::gen::inRange<std::size_t>(0, 10));
  const std::vector<Extent> all{{65536 - 256, 1024}};
  const int steps = *rc::gen::inRange(1, 40);
  for (int step = 0; step < steps; ++step) {
    random_operation(eager, replay);
    if (*rc::gen::inRange(0, 8) == 0) replay.engine.sync();
  }
  RC_ASSERT(eager.engine.read(all) == replay.engine.read(all));
}

// Legal kernel reads see the same bytes in both modes; illegal ones are exactly those that depend on computation.
RC_GTEST_PROP(DataEngineProperty, LegalReadsAgreeWithEager, ()) {
  Machine eager(DataMode::eager), replay(DataMode::replay);
  const int steps = *rc::gen::inRange(1, 30);
  int legal = 0;
  for (int step = 0; step < steps; ++step) {
    random_operation(eager, replay);
    const std::vector<Extent> extents{{*rc::gen::inRange<std::uint64_t>(65536 - 200, 65536 + 200), 4}};
    try {
      RC_ASSERT(replay.engine.kernel_read(extents) == eager.engine.kernel_read(extents));
      ++legal;
    } catch (const Error& error) {
      RC_ASSERT(error.code() == "DATA_ACCESS");
    }
  }
  RC_CLASSIFY(legal > 0, "with legal reads");
}

}  // namespace
}  // namespace kb::data
