// Tiles of composites on their way through a PE: stages, order, buffers, failures.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "platform/contract/command.h"
#include "platform/engine/built_in_engines.h"
#include "tests/block/pe/pipeline_machine.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using contract::CommandKind;
using testing::HasSubstr;

contract::Command elementwise(std::int64_t m, std::int64_t n) {
  contract::Command command;
  command.kind = CommandKind::composite;
  command.use(engine::math_command(MathOp::exp));
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
  EXPECT_EQ(entry.kind, CommandKind::composite);
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
    plan::Stage of_type;
    of_type.type = stage.type;
    EXPECT_EQ(machine.platform->graph().node(stage.node).kind, modules::block_of(of_type));
    ends[{stage.type, stage.tile}] = stage.end;
    if (stage.type == plan::stage_type_of(engine::EngineId::gemm)) {
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
  // After the last read only its own tile is left.
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

// 2 x 2 x 3 tiles: A is read by the first column of tiles, B by all of them, and the second column waits for A.
TEST(TilePipeline, TheFirstColumnOfTilesBringsAForTheOthers) {  // P-102
  PeMachine machine(pipeline());
  contract::Command command = composite(64, 3 * 64, 64);
  command.reuse_a = ReuseA::automatic;
  machine.run({submit(0_fs, command)});
  expect_stages(machine, planned(command, {}, 512u * 1024));
  std::vector<std::uint64_t> of_a;
  for (const MemoryScript::Access& access : machine.memory.accesses) {
    if (access.op == payload::Op::read && access.address < hbm(1u << 20)) of_a.push_back(access.address - hbm(0));
  }
  EXPECT_THAT(of_a, testing::ElementsAre(0, 4096, 2 * 4096, 3 * 4096, 4 * 4096, 5 * 4096));
}

// With B in the TCM a tile of the second column has nothing to read: it is fetched when A is there, not before.
void expect_a_before_fetch(const char* read_engines) {
  PeMachine machine(pipeline({{attribute("pe_dma", "rd_engines"), read_engines}}));
  contract::Command command = composite(64, 2 * 64, 5 * 32);
  command.pinned = {false, true};
  command.reuse_a = ReuseA::automatic;
  machine.run({submit(0_fs, command)});
  std::map<std::uint64_t, TimeFs> a_read;
  int fetched = 0;
  for (const OperationLog::StageEntry& stage : machine.log.stages) {
    if (stage.type == plan::StageType::dma_read) a_read[stage.tile] = stage.end;
    if (stage.type != plan::StageType::fetch) continue;
    const std::uint64_t bringer = stage.tile / 10 * 10 + stage.tile % 2;  // same row of tiles and depth, first column
    ASSERT_TRUE(a_read.count(bringer)) << stage.tile;
    EXPECT_GE(stage.start, a_read[bringer]);
    ++fetched;
  }
  EXPECT_EQ(fetched, 20);
  EXPECT_EQ(a_read.size(), 4u);
}
TEST(TilePipeline, NoTileIsFetchedBeforeItsA) {  // P-102
  expect_a_before_fetch("1");
}
TEST(TilePipeline, NoTileIsFetchedBeforeItsAWithSeveralReadChannels) {
  expect_a_before_fetch("4");
}

// The panel and two tiles fit exactly, or do not.
TEST(TilePipeline, APanelThatDoesNotFitIsNotKept) {  // P-102
  const auto reads = [](int bytes) {
    return test::in_own_process([&] {
      PeMachine machine(pipeline({{"cube.memory_map.tcm_scheduler_reserved_bytes", std::to_string(bytes)}}));
      contract::Command command = composite(64, 2 * 64, 64);
      command.reuse_a = ReuseA::automatic;
      const bool ok = machine.run({submit(0_fs, command)}).at(0).status.ok;
      return ok ? machine.statistics(kPe + "pe_dma").at("read_commands") : -1;
    });
  };
  const int panel = 2 * 4096, tile = 4096 + 2048;
  EXPECT_EQ(reads(panel + 2 * tile), 4 + 8);
  EXPECT_EQ(reads(panel + 2 * tile - 16), 8 + 8);
}

// A composite that fails with a panel in the TCM leaves its room to the next one.
TEST(TilePipeline, AFailedCompositeGivesItsPanelBack) {  // P-102
  PeMachine machine(pipeline({{"cube.memory_map.tcm_scheduler_reserved_bytes", "24576"}}));
  int reads = 0;
  machine.memory.status = [&](const payload::Transaction& t) {
    const bool fails = t.op == payload::Op::read && ++reads == 6;
    return fails ? payload::Status{false, "MEMORY_ERROR", "no such row"} : payload::Status{};
  };
  contract::Command command = composite(64, 2 * 64, 96);
  command.reuse_a = ReuseA::automatic;
  std::vector<Request> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(submit(0_fs, command));
  const std::vector<Outcome> o = machine.run(requests);
  EXPECT_EQ(o[0].status.code, "MEMORY_ERROR");
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(o[static_cast<std::size_t>(i)].status.ok) << i;
}

TEST(TilePipeline, TheCallsTileShapeCounts) {  // P-20
  PeMachine machine(pipeline());
  contract::Command command = composite(64, 64, 64);
  command.tile_shape = TileShape{16, 16, 64};
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
  command.tile_shape = TileShape{512, 512, 512};
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
