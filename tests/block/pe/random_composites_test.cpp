// Random composites in a PE, one machine per process.
#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "platform/contract/command.h"
#include "tests/block/pe/pipeline_machine.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

// A run of one composite; SystemC builds one machine per process, so each has its own.
struct Measured {
  bool ok;
  TimeFs end;
  TimeFs gemm_busy;
  std::int64_t tiles;
  std::array<std::int64_t, plan::kStageTypes> stages;
  std::uint64_t open_transactions;
};
Measured run_in_a_process(const contract::Command& command, int reserved_bytes, int queue_depth = 0) {
  return test::in_own_process([&] {
    std::vector<std::pair<std::string, std::string>> set{
        {"cube.memory_map.tcm_scheduler_reserved_bytes", std::to_string(reserved_bytes)}};
    for (const char* block : {"pe_dma", "pe_fetch_store", "pe_gemm", "pe_math"}) {
      set.emplace_back(attribute(block, "queue_depth"), std::to_string(queue_depth));
    }
    PeMachine machine(pipeline(std::move(set)));
    const Outcome outcome = machine.run({submit(0_fs, command)}).at(0);
    return Measured{outcome.status.ok,
                    outcome.end,
                    machine.time(kPe + "pe_gemm", "busy"),
                    machine.statistics(kPe + "pe_scheduler")["tiles"],
                    stages(machine),
                    machine.platform->pool().outstanding()};
  });
}

class RandomComposites : public testing::TestWithParam<unsigned> {};

// Random shapes, tiles and pinned operands: the counts of P-25, and never faster with smaller buffers.
TEST_P(RandomComposites, CountAsPlannedAndAreNotFasterWithSmallerBuffers) {
  std::mt19937 random(GetParam());
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  contract::Command command = composite(pick(1, 100), pick(1, 300), pick(1, 100));
  command.tile_shape = TileShape{pick(8, 40), pick(8, 70), pick(8, 40)};
  command.pinned = {pick(0, 3) == 0, pick(0, 3) == 0};
  command.out_pinned = pick(0, 3) == 0;
  command.inputs[0].transposed = pick(0, 1) == 0;
  command.strided = {pick(0, 1) == 0, pick(0, 1) == 0};
  for (int count = pick(0, 3); count > 0; --count) {
    command.epilogues.push_back({EpilogueOp::relu, static_cast<EpilogueScope>(pick(0, 2)), {}});
  }
  const auto operand = [&](std::uint64_t offset) {
    const std::int64_t rows = pick(0, 1) == 0 ? 1 : command.m, columns = pick(0, 1) == 0 ? 1 : command.n;
    return matrix(offset, rows, columns);
  };
  for (int count = pick(0, 2); count > 0; --count) {
    Epilogue epilogue{EpilogueOp::math, static_cast<EpilogueScope>(pick(0, 1)), operand(3u << 20), MathOp::add};
    if (pick(0, 1) == 0) {
      epilogue.math = MathOp::fma;
      epilogue.second = operand(4u << 20);
    }
    epilogue.in_memory = {true, pick(0, 1) == 0};
    epilogue.strided = {pick(0, 1) == 0, false};
    command.epilogues.push_back(epilogue);
  }
  const plan::StageCounts counts = planned(command, command.tile_shape);
  TimeFs with_less = kNever;
  for (const int reserved_kb : {28, 40, 48, 512}) {
    const Measured run = run_in_a_process(command, reserved_kb * 1024);
    ASSERT_TRUE(run.ok);
    EXPECT_EQ(run.tiles, static_cast<std::int64_t>(counts.tiles));
    for (std::size_t type = 0; type < plan::kStageTypes; ++type) {
      EXPECT_EQ(run.stages[type], static_cast<std::int64_t>(counts.stages[type]));
    }
    EXPECT_LE(run.end, with_less) << reserved_kb << " KiB";
    with_less = run.end;
    EXPECT_GE(run.end, run.gemm_busy);
    EXPECT_EQ(run.open_transactions, 0u);
  }
}

// A is read once per row of tiles when its panel fits, by the same plan with any number of read channels, short queues
// and pinned operands; with one channel never later than without.
TEST_P(RandomComposites, ReadAOncePerRowOfTiles) {  // P-102
  std::mt19937 random(GetParam() + 200);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  contract::Command command = composite(pick(1, 100), pick(1, 300), pick(1, 160));
  command.tile_shape = TileShape{pick(8, 40), pick(8, 70), pick(8, 40)};
  command.pinned = {false, pick(0, 3) == 0};
  command.out_pinned = pick(0, 3) == 0;
  command.inputs[0].transposed = pick(0, 1) == 0;
  command.strided = {pick(0, 1) == 0, pick(0, 1) == 0};
  if (pick(0, 1) == 0) command.epilogues = {{EpilogueOp::relu, static_cast<EpilogueScope>(pick(0, 2)), {}}};
  const Measured without = run_in_a_process(command, 512 * 1024);
  command.reuse_a = ReuseA::automatic;
  const auto ceil = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const TileShape& t = command.tile_shape;
  const std::int64_t panels = ceil(command.m, t.m) * ceil(command.k, t.k);
  const auto reads = static_cast<std::int64_t>(plan::StageType::dma_read);
  for (const int reserved_kb : {24, 48, 512}) {
    for (const int depth : {0, 1}) {
      const auto room = static_cast<std::uint64_t>(reserved_kb) * 1024;
      const Measured with = run_in_a_process(command, reserved_kb * 1024, depth);
      ASSERT_TRUE(with.ok);
      EXPECT_EQ(with.open_transactions, 0u);
      EXPECT_EQ(with.stages[reads], static_cast<std::int64_t>(planned(command, t, room).stages[reads]));
      if (reserved_kb < 512) continue;
      EXPECT_EQ(with.stages[reads], panels + (command.pinned[1] ? 0 : with.tiles));
      if (depth > 0) continue;
      EXPECT_LE(with.end, without.end);
    }
  }
}

// The same with shorter queues, where no epilogue reorders the turns of the slot.
TEST_P(RandomComposites, CountAsPlannedAndAreNotFasterWithShorterQueues) {
  std::mt19937 random(GetParam() + 100);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  contract::Command command = composite(pick(1, 100), pick(1, 300), pick(1, 100));
  command.tile_shape = TileShape{pick(8, 40), pick(8, 70), pick(8, 40)};
  command.pinned = {pick(0, 3) == 0, pick(0, 3) == 0};
  command.out_pinned = pick(0, 3) == 0;
  command.inputs[0].transposed = pick(0, 1) == 0;
  command.strided = {pick(0, 1) == 0, pick(0, 1) == 0};
  const bool epilogues = pick(0, 1) == 0;
  for (int count = epilogues ? pick(1, 3) : 0; count > 0; --count) {
    command.epilogues.push_back({EpilogueOp::relu, static_cast<EpilogueScope>(pick(0, 2)), {}});
  }
  const plan::StageCounts counts = planned(command, command.tile_shape);
  TimeFs with_less = kNever;
  for (const int depth : {1, 2, 5, 0}) {
    const Measured run = run_in_a_process(command, 512 * 1024, depth);
    ASSERT_TRUE(run.ok);
    for (std::size_t type = 0; type < plan::kStageTypes; ++type) {
      EXPECT_EQ(run.stages[type], static_cast<std::int64_t>(counts.stages[type])) << depth;
    }
    if (!epilogues) {
      EXPECT_LE(run.end, with_less) << "queue depth " << depth;
      with_less = run.end;
    }
    EXPECT_EQ(run.open_transactions, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomComposites, testing::Range(0u, 12u));

}  // namespace
}  // namespace kb::test
