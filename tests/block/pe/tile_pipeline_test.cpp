// Tiles of composites on their way through a PE: stages, order, buffers, failures.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "tests/block/pe/pipeline_machine.h"

namespace kb::test {
namespace {

using contract::CommandKind;
using testing::HasSubstr;

contract::Command elementwise(std::int64_t m, std::int64_t n) {
  contract::Command command;
  command.kind = CommandKind::composite_math;
  command.math_op = MathOp::exp;
  command.m = m;
  command.n = n;
  command.inputs = {matrix(0, m, n)};
  command.out = matrix(2u << 20, m, n);
  return command;
}

// One tile alone: A, B, FETCH 8192 B and STORE 2048 B over 512 GB/s, 16 ns of products, the answer to the write.
TEST(TilePipeline, OneTileTakesTheSumOfItsStages) {  // P-11, P-21
  PeMachine machine(pipeline());
  const Outcome outcome = machine.run({submit(0_fs, composite(32, 64, 32))}).at(0);
  const auto dma = [&](const char* name) { return machine.time(kPe + "pe_dma", name); };
  EXPECT_EQ(outcome.start, 0_fs);
  EXPECT_EQ(outcome.end, dma("read_busy") + (16 + 16 + 4) * kNs + dma("write_busy"));
  EXPECT_EQ(outcome.answered, outcome.end);
  expect_stages(machine, planned(composite(32, 64, 32)));
}

TEST(TilePipeline, IsReportedOnceAsAWhole) {  // P-72: tiles are not operations of their own
  PeMachine machine(pipeline());
  const Outcome outcome = machine.run({submit(5_fs, composite(64, 128, 64))}).at(0);
  ASSERT_EQ(machine.log.commands.size(), 1u);
  const OperationLog::Entry& entry = machine.log.commands[0];
  EXPECT_EQ(entry.kind, CommandKind::composite_gemm);
  EXPECT_EQ(entry.node, machine.node(kPe + "pe_scheduler"));
  EXPECT_EQ(entry.start, 5_fs);
  EXPECT_EQ(entry.end, outcome.end);
}

TEST(TilePipeline, EveryStageIsReportedByItsBlockWithItsServiceTime) {  // P-72, P-68
  PeMachine machine(pipeline());
  contract::Command command = composite(64, 128, 64);
  command.epilogues = {{EpilogueOp::relu, EpilogueScope::output_tile, {}}};
  machine.run({submit(5_fs, command)});
  std::array<std::uint64_t, plan::kStageTypes> count{};
  std::map<std::pair<plan::StageType, std::uint64_t>, TimeFs> ends;
  for (const OperationLog::StageEntry& stage : machine.log.stages) {
    ++count[static_cast<std::size_t>(stage.type)];
    EXPECT_EQ(machine.platform->graph().node(stage.node).kind, modules::block_of(stage.type));
    ends[{stage.type, stage.tile}] = stage.end;
    if (stage.type == plan::StageType::gemm) {
      EXPECT_EQ(stage.end - stage.start, 16 * kNs);
      const auto fetched = ends.find({plan::StageType::fetch, stage.tile});
      ASSERT_NE(fetched, ends.end());
      EXPECT_GE(stage.start, fetched->second);
    }
  }
  EXPECT_EQ(count, planned(command).stages);
}

TEST(TilePipeline, ReadsGoOnWhileOthersCompute) {  // P-11: the read channel never waits
  PeMachine machine(pipeline());
  const Outcome outcome = machine.run({submit(0_fs, composite(32, 64 * 20, 32))}).at(0);
  const auto dma = [&](const char* name) { return machine.time(kPe + "pe_dma", name); };
  EXPECT_EQ(machine.statistics(kPe + "pe_dma").at("read_commands"), 40);
  // Behind the last read only its own tile is left.
  EXPECT_EQ(outcome.end, dma("read_busy") + (16 + 16 + 4) * kNs + dma("write_busy"));
}

TEST(TilePipeline, ATileReadsAAndBInOneGo) {  // P-33
  PeMachine machine(pipeline());
  machine.run({submit(0_fs, composite(32, 128, 32))});
  std::vector<std::uint64_t> reads;
  for (const MemoryScript::Access& access : machine.memory.accesses) {
    if (access.op == payload::Op::read) reads.push_back(access.address - hbm(0));
  }
  EXPECT_THAT(reads, testing::ElementsAre(0, 1u << 20, 4096, (1u << 20) + 4096));
}

TEST(TilePipeline, PinnedOperandsAreNotRead) {  // P-23
  contract::Command command = composite(64, 128, 64);
  PeMachine probe(pipeline());
  command.pinned = {true, true};
  probe.run({submit(0_fs, command)});
  expect_stages(probe, planned(command));
  for (const MemoryScript::Access& access : probe.memory.accesses) EXPECT_EQ(access.op, payload::Op::write);
}

TEST(TilePipeline, TheCallsTileShapeCounts) {  // P-20
  PeMachine machine(pipeline());
  contract::Command command = composite(64, 64, 64);
  command.tile_shape = plan::TileShape{16, 16, 64};
  machine.run({submit(0_fs, command)});
  expect_stages(machine, planned(command, {16, 16, 64}));
}

TEST(TilePipeline, MathCompositesGoThroughPeMath) {  // P-24
  PeMachine machine(pipeline());
  machine.run({submit(0_fs, elementwise(64, 80))});
  expect_stages(machine, plan::math_plan({64, 80, Dtype::f16, Dtype::f16}, {}).counts());
}

TEST(TilePipeline, CompositesAreFedInSubmissionOrder) {  // P-32: no interleaving
  PeMachine machine(pipeline());
  contract::Command second = composite(32, 64 * 4, 32);
  second.inputs[0] = matrix(3u << 20, 32, 64 * 4);
  const std::vector<Outcome> o = machine.run({submit(0_fs, composite(32, 64 * 60, 32)), submit(0_fs, second)});
  EXPECT_LT(o[0].answered, o[1].answered);
  bool seen_second = false;
  for (const MemoryScript::Access& access : machine.memory.accesses) {
    if (access.op != payload::Op::read) continue;
    const bool of_second = access.address >= hbm(3u << 20);
    const bool of_first_a = access.address < hbm(1u << 20);
    seen_second = seen_second || of_second;
    EXPECT_FALSE(seen_second && of_first_a);
  }
}

TEST(TilePipeline, SimpleCommandsPassAComposite) {  // P-32: only the feeder waits
  PeMachine machine(pipeline());
  const std::vector<Outcome> o =
      machine.run({submit(0_fs, composite(32, 64 * 60, 32)), submit(kNs, math(MathOp::exp, {{256}}, {256}))});
  EXPECT_EQ(o[1].answered, 2 * kNs);
}

TEST(TilePipeline, BuffersBoundTheTilesUnderWay) {  // P-46: room for 2 tiles of 8 KiB and one output
  const std::vector<std::pair<std::string, std::string>> small = {
      {"cube.memory_map.tcm_scheduler_reserved_bytes", "18432"}};
  PeMachine machine(pipeline(small));
  machine.run({submit(0_fs, composite(32, 64 * 20, 32))});
  EXPECT_EQ(machine.statistics(kPe + "pe_scheduler").at("tile_buffer_least_free"), 0);
  expect_stages(machine, planned(composite(32, 64 * 20, 32)));
}

TEST(TilePipeline, TilesThatDoNotFitTheRegistersAreRefused) {  // P-43
  PeMachine machine(pipeline({{attribute("pe_fetch_store", "register_file_kb"), "23"}}));
  const Outcome outcome = machine.run({submit(3_fs, composite(32, 64, 32))}).at(0);
  EXPECT_EQ(outcome.answered, 3_fs);
  EXPECT_EQ(outcome.status.code, "OUT_OF_REGISTERS");
  EXPECT_THAT(outcome.status.message,
              HasSubstr("two tiles of 32 x 64 x 32 need 24576 B of registers, there are 23552"));
}

TEST(TilePipeline, ATileThatFitsNoBufferIsRefused) {
  PeMachine machine(pipeline({{attribute("pe_fetch_store", "register_file_kb"), "10000"}}));
  contract::Command command = composite(512, 512, 512);
  command.tile_shape = plan::TileShape{512, 512, 512};
  const Outcome outcome = machine.run({submit(3_fs, command)}).at(0);
  EXPECT_EQ(outcome.answered, 3_fs);
  EXPECT_EQ(outcome.status.code, "OUT_OF_SCRATCH");
  EXPECT_THAT(outcome.status.message, HasSubstr("choose a smaller tile shape"));
  EXPECT_TRUE(machine.log.commands.empty());
}

TEST(TilePipeline, AFailingTileEndsItsCompositeAlone) {
  PeMachine machine(pipeline());
  int reads = 0;
  machine.memory.status = [&](const payload::Transaction& t) {
    const bool fails = t.op == payload::Op::read && ++reads == 4;
    return fails ? payload::Status{false, "MEMORY_ERROR", "no such row"} : payload::Status{};
  };
  const std::vector<Outcome> o =
      machine.run({submit(0_fs, composite(32, 64 * 200, 32)), submit(0_fs, composite(32, 64, 32))});
  EXPECT_EQ(o[0].status.code, "MEMORY_ERROR");
  EXPECT_TRUE(o[1].status.ok);
  EXPECT_LT(machine.statistics(kPe + "pe_scheduler").at("tiles"), 100);
  ASSERT_EQ(machine.log.commands.size(), 1u);
}

}  // namespace
}  // namespace kb::test
