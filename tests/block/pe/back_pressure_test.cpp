// Bounded input queues of a PE's blocks (P-34).
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "platform/contract/command.h"
#include "tests/block/pe/pipeline_machine.h"

namespace kb::test {
namespace {

// For how long each block held finished work of the composite, with a queue of one before every block.
std::map<std::string, TimeFs> queue_full_times(const contract::Command& command,
                                               std::vector<std::pair<std::string, std::string>> set) {
  for (const char* block : {"pe_dma", "pe_fetch_store", "pe_gemm", "pe_math"}) {
    set.emplace_back(attribute(block, "queue_depth"), "1");
  }
  PeMachine machine(pipeline(std::move(set)));
  const Outcome outcome = machine.run({submit(0_fs, command)}).at(0);
  EXPECT_TRUE(outcome.status.ok);
  expect_stages(machine, planned(command));
  std::map<std::string, TimeFs> times;
  for (const char* block : {"pe_dma", "pe_fetch_store", "pe_gemm", "pe_math"}) {
    times[block] = machine.time(kPe + block, "queue_full");
  }
  return times;
}

TEST(TilePipeline, SlowProductsHoldUpFetchAndThenReads) {  // P-34
  const auto full = queue_full_times(composite(32, 64 * 20, 32), {{attribute("pe_gemm", "mac_per_ns"), "64"}});
  EXPECT_GT(full.at("pe_dma"), 0_fs);
  EXPECT_GT(full.at("pe_fetch_store"), 0_fs);
  EXPECT_EQ(full.at("pe_gemm"), 0_fs);
}

TEST(TilePipeline, SlowStoresHoldUpTheArray) {  // P-34: 2048 B at 8 GB/s take 256 ns, a product 16
  contract::Command command = composite(32 * 20, 64, 32);
  command.pinned = {true, true};
  const auto full = queue_full_times(command, {{attribute("pe_tcm", "write_bw_gbs"), "8"}});
  EXPECT_GT(full.at("pe_gemm"), 0_fs);
  EXPECT_GT(full.at("pe_fetch_store"), 0_fs);  // its FETCH, behind the array
}

TEST(TilePipeline, AFullArrayDoesNotKeepTheSlotFromItsEpilogues) {  // GEMM waits for MATH, which needs the slot
  contract::Command command = composite(32 * 20, 64, 32);
  command.pinned = {true, true};
  command.epilogues = {kRelu, kRelu};
  const auto full = queue_full_times(command, {{attribute("pe_math", "weight_relu"), "10"}});
  EXPECT_GT(full.at("pe_gemm"), 0_fs);
}

TEST(TilePipeline, AStalledEngineTakesNoTileThatBringsTheSlot) {  // P-17, P-34
  PeMachine machine(
      pipeline({{attribute("pe_fetch_store", "queue_depth"), "1"}, {attribute("pe_tcm", "write_bw_gbs"), "8"}}));
  contract::Command command = composite(32 * 12, 64, 32);
  command.pinned = {true, true};
  command.epilogues = {kReluPerTile};
  const Outcome outcome = machine.run({submit(0_fs, command)}).at(0);
  expect_stages(machine, planned(command));
  EXPECT_GT(machine.time(kPe + "pe_math", "queue_full"), 0_fs);
  EXPECT_LE(machine.time(kPe + "pe_math", "queue_full"), outcome.end);  // one tile at a time
  std::vector<TimeFs> math, store;
  for (const OperationLog::StageEntry& stage : machine.log.stages) {
    if (stage.type == plan::stage_type_of(engine::EngineId::math)) math.push_back(stage.start);
    if (stage.type == plan::StageType::store) store.push_back(stage.start);
  }
  for (std::size_t i = 3; i < math.size(); ++i) EXPECT_GE(math[i], store[i - 2]) << i;  // room for one in the queue
}

TEST(TilePipeline, SimpleCommandsPassAFeederThatIsHeldUp) {  // P-32
  PeMachine machine(pipeline({{attribute("pe_dma", "queue_depth"), "1"}}));
  const std::vector<Outcome> o =
      machine.run({submit(0_fs, composite(32, 64 * 60, 32)), submit(kNs, math(MathOp::exp, {{256}}, {256}))});
  EXPECT_EQ(o[1].answered, 2 * kNs);
}

}  // namespace
}  // namespace kb::test
