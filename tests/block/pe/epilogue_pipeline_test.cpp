// Epilogues of composites in a PE: time, place and the turns of the accel_slot.
#include <gmock/gmock.h>

#include <algorithm>

#include "platform/contract/command.h"
#include "platform/engine/built_in_engines.h"
#include "tests/block/pe/pipeline_machine.h"

namespace kb::test {
namespace {

using contract::CommandKind;

TEST(TilePipeline, EpiloguesRunInPeMathBeforeTheStore) {  // P-13, P-16: 1024 elements of f32, 8 ns each
  PeMachine machine(pipeline());
  contract::Command command = composite(32, 64, 32);
  command.epilogues = {{EpilogueOp::bias, EpilogueScope::output_tile, matrix(3u << 20, 1, 32)}, kRelu};
  const Outcome outcome = machine.run({submit(0_fs, command)}).at(0);
  const auto dma = [&](const char* name) { return machine.time(kPe + "pe_dma", name); };
  const TimeFs bias = Bandwidth(512).occupancy(64);  // fetched with the operands
  EXPECT_EQ(outcome.end, dma("read_busy") + (16 + 16 + 2 * 8 + 4) * kNs + bias + dma("write_busy"));
  expect_stages(machine, planned(command));
}

Epilogue added(std::uint64_t offset, std::int64_t rows, std::int64_t columns) {
  Epilogue epilogue{EpilogueOp::math, EpilogueScope::output_tile, matrix(offset, rows, columns), MathOp::add};
  epilogue.in_memory = {true, false};
  return epilogue;
}

// A tile reads its part of an operand in memory behind A and B, and fetches it with them.
TEST(TilePipeline, OperandsInMemoryAreReadPerOutputTile) {  // P-14, P-21, P-27
  PeMachine machine(pipeline());
  contract::Command command = composite(64, 128, 64);
  command.epilogues = {added(3u << 20, 64, 64), added(4u << 20, 1, 64), added(5u << 20, 64, 1)};
  machine.run({submit(0_fs, command)});
  expect_stages(machine, planned(command));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> reads;  // beside A and B
  for (const MemoryScript::Access& access : machine.memory.accesses) {
    if (access.op == payload::Op::read && access.address >= hbm(3u << 20)) {
      reads.emplace_back(access.address - hbm(0), access.bytes);
    }
  }
  const std::uint64_t full = 3u << 20, row = 4u << 20, column = 5u << 20;
  EXPECT_THAT(reads, testing::ElementsAre(
                         std::pair(full, 2048u), std::pair(row, 64u), std::pair(column, 64u),              //
                         std::pair(full + 2048, 2048u), std::pair(row + 64, 64u), std::pair(column, 64u),  //
                         std::pair(full + 4096, 2048u), std::pair(row, 64u), std::pair(column + 64, 64u),  //
                         std::pair(full + 6144, 2048u), std::pair(row + 64, 64u), std::pair(column + 64, 64u)));
}

TEST(TilePipeline, AMathCompositeTakesEpiloguesToo) {  // P-12, P-24: exp on f32, then an addition of two tensors
  PeMachine machine(pipeline());
  contract::Command command;
  command.kind = CommandKind::composite;
  command.use(engine::math_command(MathOp::exp));
  command.math_op = MathOp::exp;
  command.m = command.n = 32;
  command.inputs = {matrix(0, 32, 32)};
  command.out = matrix(2u << 20, 32, 32);
  command.epilogues = {added(3u << 20, 32, 32)};
  const Outcome outcome = machine.run({submit(0_fs, command)}).at(0);
  const auto dma = [&](const char* name) { return machine.time(kPe + "pe_dma", name); };
  EXPECT_EQ(machine.statistics(kPe + "pe_dma").at("read_commands"), 2);
  EXPECT_EQ(outcome.end, dma("read_busy") + (2 * 4 + 2 * 8 + 4) * kNs + dma("write_busy"));
}

// A, B and the output are 10240 B, an operand 2048 B.
payload::Status with_operand_in(int bytes) {
  PeMachine machine(pipeline({{"cube.memory_map.tcm_scheduler_reserved_bytes", std::to_string(bytes)}}));
  contract::Command command = composite(64, 128, 64);
  command.epilogues = {added(3u << 20, 64, 64)};
  return machine.run({submit(0_fs, command)}).at(0).status;
}
TEST(TilePipeline, OperandsInMemoryTakeTileBuffers) {  // P-46
  EXPECT_TRUE(with_operand_in(12288).ok);
}
TEST(TilePipeline, OperandsInMemoryThatDoNotFitTheBuffersAreRefused) {
  const payload::Status refused = with_operand_in(12272);
  EXPECT_EQ(refused.code, "OUT_OF_SCRATCH");
  EXPECT_THAT(refused.message, testing::HasSubstr("needs 12288 B of TCM (2048 B of it for operands of epilogues), "
                                                  "12272 B are reserved"));
}

TEST(TilePipeline, EpiloguesCostWhatTheirOperationsWeigh) {  // P-41
  PeMachine machine(pipeline({{"cube.pe_template.components.pe_math.attrs.weight_relu", "3"},
                              {"cube.pe_template.components.pe_math.attrs.weight_mul", "5"}}));
  contract::Command command = composite(32, 64, 32);
  command.epilogues = {kRelu, {EpilogueOp::scale, EpilogueScope::output_tile, OperandRef::number(0.5, Dtype::f32)}};
  machine.run({submit(0_fs, command)});
  EXPECT_EQ(machine.time(kPe + "pe_math", "busy"), (3 + 5) * 8 * kNs);
}

TEST(TilePipeline, AKernelEpilogueWorksOnTheWholeOutputInTheLastTile) {  // P-13
  PeMachine machine(pipeline());
  contract::Command command = composite(64, 64, 64);
  command.epilogues = {{EpilogueOp::relu, EpilogueScope::kernel, {}}};
  machine.run({submit(0_fs, command)});
  EXPECT_EQ(machine.statistics(kPe + "pe_math").at("commands"), 1);
  EXPECT_EQ(machine.time(kPe + "pe_math", "busy"), 32 * kNs);
}

// When a MATH command that came during the first product gets the slot.
TimeFs start_of_math_beside(const Epilogue& epilogue,
                            const std::vector<std::pair<std::string, std::string>>& set = {}) {
  PeMachine machine(pipeline(set));
  contract::Command command = composite(32, 128, 32);
  command.pinned = {true, true};
  command.epilogues = {epilogue};
  machine.run({submit(0_fs, command), submit(17 * kNs, math(MathOp::exp, {{64}}, {64}))});
  const auto found = std::find_if(machine.log.commands.begin(), machine.log.commands.end(),
                                  [](const OperationLog::Entry& entry) { return entry.kind == CommandKind::engine; });
  return found == machine.log.commands.end() ? -1_fs : found->start;
}

TEST(TilePipeline, ATileKeepsTheSlotThroughItsKTileEpilogues) {  // P-17: FETCH 16, GEMM 16, MATH 8, then the other
  EXPECT_EQ(start_of_math_beside(kReluPerTile), 40 * kNs);
}

std::vector<std::pair<std::string, std::string>> slots_apart() {
  return {{attribute("pe_gemm", "shared_resource"), "none"}, {attribute("pe_math", "shared_resource"), "none"}};
}

TEST(TilePipeline, WithoutASharedSlotAMathCommandRunsBesideAProduct) {  // P-39
  EXPECT_EQ(start_of_math_beside(kReluPerTile, slots_apart()), 17 * kNs);
}

// The next tile must not accumulate before the epilogue has ended all the same.
TEST(TilePipeline, ATileKeepsThePlaceOfItsProductThroughItsKTileEpilogues) {  // P-17
  PeMachine machine(pipeline(slots_apart()));
  contract::Command command = composite(32, 128, 32);
  command.pinned = {true, true};
  command.epilogues = {kReluPerTile};
  machine.run({submit(0_fs, command)});
  std::vector<TimeFs> products;
  for (const OperationLog::StageEntry& stage : machine.log.stages) {
    if (stage.type == plan::stage_type_of(engine::EngineId::gemm)) products.push_back(stage.start);
  }
  EXPECT_THAT(products, testing::ElementsAre(16 * kNs, 40 * kNs));  // FETCH 16, GEMM 16, MATH 8, GEMM
}

TEST(TilePipeline, ATileGivesTheSlotBackBeforeItsOutputEpilogues) {  // P-16
  EXPECT_EQ(start_of_math_beside(kRelu), 32 * kNs);
}

}  // namespace
}  // namespace kb::test
