// Commands of engines that plug-ins bring: what the executor gives their rows, and what becomes of the results.
#include <gtest/gtest.h>

#include "platform/data/data_engine.h"
#include "platform/data/executor.h"
#include "platform/engine/engine_row.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::at;
using test::expect_error;
using test::get;
using test::put;
using test::record;

// Copies its operand as it sees it; the parameter is added to the first byte.
engine::CommandRow copy_row() {
  engine::CommandRow row;
  row.name = "copy";
  row.reads = {"x"};
  row.parameters = {{"add", 0, 0, 9, ""}};
  row.work = [](const engine::Call&) { return 1.0; };
  row.compute = [](const engine::Call& call, const std::vector<engine::Tensor>& inputs, engine::Tensor& out) {
    out.bytes = inputs[0].bytes;
    out.bytes[0] = static_cast<std::byte>(static_cast<int>(out.bytes[0]) + call.parameters[0]);
  };
  return row;
}

TEST(ExecutorEngine, SeesTransposedOperandsAsTheKernelDoes) {  // P-70, P-105
  const engine::CommandRow row = copy_row();
  for (const Dtype dtype : {Dtype::i8, Dtype::f16, Dtype::i32}) {
    MemoryStore memory;
    Executor executor(memory);
    const OperandRef stored = at(0, {2, 2, 3}, dtype), view = at(0, {2, 3, 2}, dtype, true);
    const OperandRef out = at(4096, {2, 3, 2}, dtype);
    put(memory, stored, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    executor.execute(record(EngineOp{engine::EngineId{}, &row, {view}, out, {0}}));
    EXPECT_EQ(get(memory, out), (std::vector<double>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11})) << dtype_name(dtype);
  }
}

TEST(ExecutorEngine, GivesParameters) {
  const engine::CommandRow row = copy_row();
  MemoryStore memory;
  Executor executor(memory);
  put(memory, at(0, {2}, Dtype::i8), {5, 6});
  executor.execute(record(EngineOp{engine::EngineId{}, &row, {at(0, {2}, Dtype::i8)}, at(64, {2}, Dtype::i8), {4}}));
  EXPECT_EQ(get(memory, at(64, {2}, Dtype::i8)), (std::vector<double>{9, 6}));
}

TEST(ExecutorEngine, NamesAFunctionThatFails) {
  engine::CommandRow row = copy_row();
  MemoryStore memory;
  put(memory, at(0, {2}, Dtype::i8), {5, 6});
  Executor executor(memory);
  const OpRecord op = record(EngineOp{engine::EngineId{}, &row, {at(0, {2}, Dtype::i8)}, at(64, {2}, Dtype::i8), {0}});
  row.compute = [](const engine::Call&, const std::vector<engine::Tensor>&, engine::Tensor& out) { out.bytes.clear(); };
  expect_error([&] { executor.execute(op); }, ErrorFamily::model, "MODEL_ERROR",
               {"`compute` of command 'copy' left 0 bytes in a result of 2"});
  row.compute = [](const engine::Call&, const std::vector<engine::Tensor>&, engine::Tensor&) {
    throw std::runtime_error("no such block");
  };
  expect_error([&] { executor.execute(op); }, ErrorFamily::model, "MODEL_ERROR",
               {"`compute` of command 'copy' failed: no such block"});
}

TEST(ExecutorEngine, IsWhatAKernelMustNotLookAtInReplay) {  // P-62
  const engine::CommandRow row = copy_row();
  MemoryStore memory;
  put(memory, at(0, {2}, Dtype::i8), {5, 6});
  DataEngine engine(DataMode::replay, memory);
  engine.complete(record(EngineOp{engine::EngineId{}, &row, {at(0, {2}, Dtype::i8)}, at(64, {2}, Dtype::i8), {0}}));
  expect_error([&] { engine.kernel_read({{64, 1}}); }, ErrorFamily::program, "DATA_ACCESS", {"that copy on node 0"});
  EXPECT_EQ(engine.contents({{64, 2}}), (std::vector<std::byte>{std::byte{5}, std::byte{6}}));
}

TEST(ExecutorEngine, MakesKnownIntegersUnknownInModeOff) {
  const engine::CommandRow row = copy_row();
  MemoryStore memory;
  DataEngine engine(DataMode::off, memory);
  const auto buffer = std::make_shared<const std::vector<std::byte>>(2);
  engine.complete(record(WriteOp{WriteName::scratch_write, {{64, 2}}, {}, buffer, 0, true}));
  ASSERT_TRUE(engine.contents({{64, 2}}));
  engine.complete(record(EngineOp{engine::EngineId{}, &row, {at(0, {2}, Dtype::i8)}, at(64, {2}, Dtype::i8), {0}}));
  EXPECT_FALSE(engine.contents({{64, 2}}));
}

}  // namespace
}  // namespace kb::data
