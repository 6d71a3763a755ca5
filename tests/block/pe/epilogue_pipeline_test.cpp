// Epilogues of composites in a PE: time, place and the turns of the accel_slot.
#include <gmock/gmock.h>

#include <algorithm>

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
                                  [](const OperationLog::Entry& entry) { return entry.kind == CommandKind::math; });
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
    if (stage.type == plan::StageType::gemm) products.push_back(stage.start);
  }
  EXPECT_THAT(products, testing::ElementsAre(16 * kNs, 40 * kNs));  // FETCH 16, GEMM 16, MATH 8, GEMM
}

TEST(TilePipeline, ATileGivesTheSlotBackBeforeItsOutputEpilogues) {  // P-16
  EXPECT_EQ(start_of_math_beside(kRelu), 32 * kNs);
}

}  // namespace
}  // namespace kb::test
