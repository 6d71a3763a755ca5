// Composites in a whole PE: a scripted requester in place of PE_CPU, the real engines behind PE_SCHEDULER.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using contract::CommandKind;
using testing::HasSubstr;
using topology::NodeKind;

const std::string kPe = "sip0.cube0.pe0.";

MachineOptions pipeline(std::vector<std::pair<std::string, std::string>> set = {}) {
  MachineOptions options;
  options.requesters = {NodeKind::pe_cpu};
  options.scripted_memory = true;
  options.set = std::move(set);
  return options;
}

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

Request submit(TimeFs at, contract::Command command) {
  return {at, NodeKind::pe_scheduler, std::move(command), {}, {}};
}

// What each block counted, by stage type.
std::array<std::int64_t, plan::kStageTypes> stages(const PeMachine& machine) {
  const auto count = [&](const char* block, const char* name) {
    const auto statistics = machine.statistics(kPe + block);
    const auto found = statistics.find(name);
    return found == statistics.end() ? 0 : found->second;
  };
  return {count("pe_dma", "read_commands"), count("pe_fetch_store", "fetches"), count("pe_gemm", "commands"),
          count("pe_math", "commands"),     count("pe_fetch_store", "stores"),  count("pe_dma", "write_commands")};
}

void expect_stages(const PeMachine& machine, const plan::StageCounts& counts) {
  const auto found = stages(machine);
  for (std::size_t type = 0; type < plan::kStageTypes; ++type) {
    EXPECT_EQ(found[type], static_cast<std::int64_t>(counts.stages[type]))
        << plan::stage_type_name(static_cast<plan::StageType>(type));
  }
  EXPECT_EQ(machine.statistics(kPe + "pe_scheduler").at("tiles"), static_cast<std::int64_t>(counts.tiles));
}

plan::StageCounts planned(const contract::Command& command, const plan::TileShape& shape = {}) {
  plan::GemmProblem problem;
  problem.m = command.m;
  problem.k = command.k;
  problem.n = command.n;
  problem.a_pinned = command.pinned[0];
  problem.b_pinned = command.pinned[1];
  for (const Epilogue& epilogue : command.epilogues) problem.epilogues.push_back(plan::epilogue_step(epilogue));
  return plan::gemm_plan(problem, shape).counts();
}

// One tile alone: A, B, FETCH 8192 B and STORE 2048 B over 512 GB/s, 16 ns of products, the answer to the write.
TEST(TilePipeline, OneTileTakesTheSumOfItsStages) {  // P-11, P-21
  PeMachine machine(pipeline());
  const Outcome outcome = machine.run({submit(0, composite(32, 64, 32))}).at(0);
  const auto dma = machine.statistics(kPe + "pe_dma");
  EXPECT_EQ(outcome.start, 0);
  EXPECT_EQ(outcome.end, dma.at("read_busy") + (16 + 16 + 4) * kNs + dma.at("write_busy"));
  EXPECT_EQ(outcome.answered, outcome.end);
  expect_stages(machine, planned(composite(32, 64, 32)));
}

TEST(TilePipeline, IsReportedOnceAsAWhole) {  // P-72: tiles are no operations of their own
  PeMachine machine(pipeline());
  const Outcome outcome = machine.run({submit(5, composite(64, 128, 64))}).at(0);
  ASSERT_EQ(machine.log.commands.size(), 1u);
  const OperationLog::Entry& entry = machine.log.commands[0];
  EXPECT_EQ(entry.kind, CommandKind::composite_gemm);
  EXPECT_EQ(entry.node, machine.node(kPe + "pe_scheduler"));
  EXPECT_EQ(entry.start, 5);
  EXPECT_EQ(entry.end, outcome.end);
}

TEST(TilePipeline, EveryStageIsReportedByItsBlockWithItsServiceTime) {  // P-72, P-68
  PeMachine machine(pipeline());
  contract::Command command = composite(64, 128, 64);
  command.epilogues = {{EpilogueOp::relu, EpilogueScope::output_tile, {}}};
  machine.run({submit(5, command)});
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
  const Outcome outcome = machine.run({submit(0, composite(32, 64 * 20, 32))}).at(0);
  const auto dma = machine.statistics(kPe + "pe_dma");
  EXPECT_EQ(dma.at("read_commands"), 40);
  // Behind the last read only its own tile is left.
  EXPECT_EQ(outcome.end, dma.at("read_busy") + (16 + 16 + 4) * kNs + dma.at("write_busy"));
}

TEST(TilePipeline, ATileReadsAAndBInOneGo) {  // P-33
  PeMachine machine(pipeline());
  machine.run({submit(0, composite(32, 128, 32))});
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
  probe.run({submit(0, command)});
  expect_stages(probe, planned(command));
  for (const MemoryScript::Access& access : probe.memory.accesses) EXPECT_EQ(access.op, payload::Op::write);
}

TEST(TilePipeline, TheCallsTileShapeCounts) {  // P-20
  PeMachine machine(pipeline());
  contract::Command command = composite(64, 64, 64);
  command.tile_shape = plan::TileShape{16, 16, 64};
  machine.run({submit(0, command)});
  expect_stages(machine, planned(command, {16, 16, 64}));
}

TEST(TilePipeline, MathCompositesGoThroughPeMath) {  // P-24
  PeMachine machine(pipeline());
  machine.run({submit(0, elementwise(64, 80))});
  expect_stages(machine, plan::math_plan({64, 80, Dtype::f16, Dtype::f16}, {}).counts());
}

const Epilogue kReluPerTile{EpilogueOp::relu, EpilogueScope::k_tile, {}};
const Epilogue kRelu{EpilogueOp::relu, EpilogueScope::output_tile, {}};

TEST(TilePipeline, EpiloguesRunInPeMathBeforeTheStore) {  // P-13, P-16: 1024 elements, 16 ns each
  PeMachine machine(pipeline());
  contract::Command command = composite(32, 64, 32);
  command.epilogues = {{EpilogueOp::bias, EpilogueScope::output_tile, matrix(3u << 20, 1, 32)}, kRelu};
  const Outcome outcome = machine.run({submit(0, command)}).at(0);
  const auto dma = machine.statistics(kPe + "pe_dma");
  const TimeFs bias = occupancy_fs(64, 512.0);  // fetched with the operands
  EXPECT_EQ(outcome.end, dma.at("read_busy") + (16 + 16 + 2 * 16 + 4) * kNs + bias + dma.at("write_busy"));
  expect_stages(machine, planned(command));
}

TEST(TilePipeline, EpiloguesCostWhatTheirOperationsWeigh) {  // P-41
  PeMachine machine(pipeline({{"cube.pe_template.components.pe_math.attrs.weight_relu", "3"},
                              {"cube.pe_template.components.pe_math.attrs.weight_mul", "5"}}));
  contract::Command command = composite(32, 64, 32);
  command.epilogues = {kRelu, {EpilogueOp::scale, EpilogueScope::output_tile, OperandRef::number(0.5, Dtype::f32)}};
  machine.run({submit(0, command)});
  EXPECT_EQ(machine.statistics(kPe + "pe_math").at("busy"), (3 + 5) * 16 * kNs);
}

TEST(TilePipeline, AKernelEpilogueWorksOnTheWholeOutputInTheLastTile) {  // P-13
  PeMachine machine(pipeline());
  contract::Command command = composite(64, 64, 64);
  command.epilogues = {{EpilogueOp::relu, EpilogueScope::kernel, {}}};
  machine.run({submit(0, command)});
  EXPECT_EQ(machine.statistics(kPe + "pe_math").at("commands"), 1);
  EXPECT_EQ(machine.statistics(kPe + "pe_math").at("busy"), 64 * kNs);
}

// When a MATH command that came during the first product gets the slot.
TimeFs start_of_math_beside(const Epilogue& epilogue) {
  PeMachine machine(pipeline());
  contract::Command command = composite(32, 128, 32);
  command.pinned = {true, true};
  command.epilogues = {epilogue};
  machine.run({submit(0, command), submit(17 * kNs, math(MathOp::exp, {{64}}, {64}))});
  const auto found = std::find_if(machine.log.commands.begin(), machine.log.commands.end(),
                                  [](const OperationLog::Entry& entry) { return entry.kind == CommandKind::math; });
  return found == machine.log.commands.end() ? -1 : found->start;
}

TEST(TilePipeline, ATileKeepsTheSlotThroughItsKTileEpilogues) {  // P-17: FETCH 16, GEMM 16, MATH 16, then the other
  EXPECT_EQ(start_of_math_beside(kReluPerTile), 48 * kNs);
}

TEST(TilePipeline, ATileGivesTheSlotBackBeforeItsOutputEpilogues) {  // P-16
  EXPECT_EQ(start_of_math_beside(kRelu), 32 * kNs);
}

TEST(TilePipeline, CompositesAreFedInSubmissionOrder) {  // P-32: no interleaving
  PeMachine machine(pipeline());
  contract::Command second = composite(32, 64 * 4, 32);
  second.inputs[0] = matrix(3u << 20, 32, 64 * 4);
  const std::vector<Outcome> o = machine.run({submit(0, composite(32, 64 * 60, 32)), submit(0, second)});
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
      machine.run({submit(0, composite(32, 64 * 60, 32)), submit(kNs, math(MathOp::exp, {{64}}, {64}))});
  EXPECT_EQ(o[1].answered, 2 * kNs);
}

TEST(TilePipeline, BuffersBoundTheTilesUnderWay) {  // P-46: room for 2 tiles of 8 KiB and one output
  const std::vector<std::pair<std::string, std::string>> small = {
      {"cube.memory_map.tcm_scheduler_reserved_bytes", "18432"}};
  PeMachine machine(pipeline(small));
  machine.run({submit(0, composite(32, 64 * 20, 32))});
  EXPECT_EQ(machine.statistics(kPe + "pe_scheduler").at("tile_buffer_least_free"), 0);
  expect_stages(machine, planned(composite(32, 64 * 20, 32)));
}

std::string attribute(const std::string& block, const std::string& name) {
  return "cube.pe_template.components." + block + ".attrs." + name;
}

// Times of a composite whose stage in `slow` is the slowest, with a queue of one before each block: finished work of
// the block before waits, and of no block behind.
std::map<std::string, TimeFs> queue_full_times(const contract::Command& command,
                                               std::vector<std::pair<std::string, std::string>> set) {
  for (const char* block : {"pe_dma", "pe_fetch_store", "pe_gemm", "pe_math"}) {
    set.emplace_back(attribute(block, "queue_depth"), "1");
  }
  PeMachine machine(pipeline(std::move(set)));
  const Outcome outcome = machine.run({submit(0, command)}).at(0);
  EXPECT_TRUE(outcome.status.ok);
  expect_stages(machine, planned(command));
  std::map<std::string, TimeFs> times;
  for (const char* block : {"pe_dma", "pe_fetch_store", "pe_gemm", "pe_math"}) {
    const auto statistics = machine.statistics(kPe + block);
    const auto found = statistics.find("queue_full");
    times[block] = found == statistics.end() ? 0 : found->second;
  }
  return times;
}

TEST(TilePipeline, SlowProductsHoldUpFetchAndThenReads) {  // P-34
  const auto full = queue_full_times(composite(32, 64 * 20, 32), {{attribute("pe_gemm", "mac_per_ns"), "64"}});
  EXPECT_GT(full.at("pe_dma"), 0);
  EXPECT_GT(full.at("pe_fetch_store"), 0);
  EXPECT_EQ(full.at("pe_gemm"), 0);
}

TEST(TilePipeline, SlowStoresHoldUpTheArray) {  // P-34: outputs of one tile each, 64 B/ns against 2048 B
  contract::Command command = composite(32 * 20, 64, 32);
  command.pinned = {true, true};
  const auto full = queue_full_times(command, {{attribute("pe_tcm", "write_bw_gbs"), "8"}});
  EXPECT_GT(full.at("pe_gemm"), 0);
  EXPECT_GT(full.at("pe_fetch_store"), 0);  // its FETCH, behind the array
}

TEST(TilePipeline, AFullArrayDoesNotKeepTheSlotFromItsEpilogues) {  // GEMM waits for MATH, which needs the slot
  contract::Command command = composite(32 * 20, 64, 32);
  command.pinned = {true, true};
  command.epilogues = {kRelu, kRelu};
  const auto full = queue_full_times(command, {{attribute("pe_math", "weight_relu"), "10"}});
  EXPECT_GT(full.at("pe_gemm"), 0);
}

TEST(TilePipeline, AStalledEngineTakesNoTileThatBringsTheSlot) {  // P-17, P-34
  PeMachine machine(
      pipeline({{attribute("pe_fetch_store", "queue_depth"), "1"}, {attribute("pe_tcm", "write_bw_gbs"), "8"}}));
  contract::Command command = composite(32 * 12, 64, 32);
  command.pinned = {true, true};
  command.epilogues = {kReluPerTile};
  const Outcome outcome = machine.run({submit(0, command)}).at(0);
  expect_stages(machine, planned(command));
  EXPECT_GT(machine.statistics(kPe + "pe_math").at("queue_full"), 0);
  EXPECT_LE(machine.statistics(kPe + "pe_math").at("queue_full"), outcome.end);  // one tile at a time
  std::vector<TimeFs> math, store;
  for (const OperationLog::StageEntry& stage : machine.log.stages) {
    if (stage.type == plan::StageType::math) math.push_back(stage.start);
    if (stage.type == plan::StageType::store) store.push_back(stage.start);
  }
  for (std::size_t i = 3; i < math.size(); ++i) EXPECT_GE(math[i], store[i - 2]) << i;  // room for one in the queue
}

TEST(TilePipeline, SimpleCommandsPassAFeederThatIsHeldUp) {  // P-32
  PeMachine machine(pipeline({{attribute("pe_dma", "queue_depth"), "1"}}));
  const std::vector<Outcome> o =
      machine.run({submit(0, composite(32, 64 * 60, 32)), submit(kNs, math(MathOp::exp, {{64}}, {64}))});
  EXPECT_EQ(o[1].answered, 2 * kNs);
}

TEST(TilePipeline, TilesThatDoNotFitTheRegistersAreRefused) {  // P-43
  PeMachine machine(pipeline({{attribute("pe_fetch_store", "register_file_kb"), "23"}}));
  const Outcome outcome = machine.run({submit(3, composite(32, 64, 32))}).at(0);
  EXPECT_EQ(outcome.answered, 3);
  EXPECT_EQ(outcome.status.code, "OUT_OF_REGISTERS");
  EXPECT_THAT(outcome.status.message,
              HasSubstr("two tiles of 32 x 64 x 32 need 24576 B of registers, there are 23552"));
}

TEST(TilePipeline, ATileThatFitsNoBufferIsRefused) {
  PeMachine machine(pipeline({{attribute("pe_fetch_store", "register_file_kb"), "10000"}}));
  contract::Command command = composite(512, 512, 512);
  command.tile_shape = plan::TileShape{512, 512, 512};
  const Outcome outcome = machine.run({submit(3, command)}).at(0);
  EXPECT_EQ(outcome.answered, 3);
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
      machine.run({submit(0, composite(32, 64 * 200, 32)), submit(0, composite(32, 64, 32))});
  EXPECT_EQ(o[0].status.code, "MEMORY_ERROR");
  EXPECT_TRUE(o[1].status.ok);
  EXPECT_LT(machine.statistics(kPe + "pe_scheduler").at("tiles"), 100);
  ASSERT_EQ(machine.log.commands.size(), 1u);
}

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
  int ends[2];
  if (::pipe(ends) != 0) return {};
  if (::fork() == 0) {
    std::vector<std::pair<std::string, std::string>> set{
        {"cube.memory_map.tcm_scheduler_reserved_bytes", std::to_string(reserved_bytes)}};
    for (const char* block : {"pe_dma", "pe_fetch_store", "pe_gemm", "pe_math"}) {
      set.emplace_back(attribute(block, "queue_depth"), std::to_string(queue_depth));
    }
    PeMachine machine(pipeline(std::move(set)));
    const Outcome outcome = machine.run({submit(0, command)}).at(0);
    const Measured run{outcome.status.ok,
                       outcome.end,
                       machine.statistics(kPe + "pe_gemm")["busy"],
                       machine.statistics(kPe + "pe_scheduler")["tiles"],
                       stages(machine),
                       machine.platform->pool().outstanding()};
    ::_exit(::write(ends[1], &run, sizeof run) == sizeof run ? 0 : 1);
  }
  ::close(ends[1]);
  Measured run{};
  EXPECT_EQ(::read(ends[0], &run, sizeof run), static_cast<ssize_t>(sizeof run)) << "the run ended early";
  ::close(ends[0]);
  ::wait(nullptr);
  return run;
}

class RandomComposites : public testing::TestWithParam<unsigned> {};

// Random shapes, tiles and pinned operands: the counts of P-25, and never faster with smaller buffers.
TEST_P(RandomComposites, CountAsPlannedAndAreNotFasterWithSmallerBuffers) {
  std::mt19937 random(GetParam());
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  contract::Command command = composite(pick(1, 100), pick(1, 300), pick(1, 100));
  command.tile_shape = plan::TileShape{pick(8, 40), pick(8, 70), pick(8, 40)};
  command.pinned = {pick(0, 3) == 0, pick(0, 3) == 0};
  for (int count = pick(0, 3); count > 0; --count) {
    command.epilogues.push_back({EpilogueOp::relu, static_cast<EpilogueScope>(pick(0, 2)), {}});
  }
  const plan::StageCounts counts = planned(command, command.tile_shape);
  TimeFs with_less = kNever;
  for (const int reserved_kb : {16, 24, 48, 512}) {
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

// The same with shorter queues, where no epilogue reorders the turns of the slot.
TEST_P(RandomComposites, CountAsPlannedAndAreNotFasterWithShorterQueues) {
  std::mt19937 random(GetParam() + 100);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  contract::Command command = composite(pick(1, 100), pick(1, 300), pick(1, 100));
  command.tile_shape = plan::TileShape{pick(8, 40), pick(8, 70), pick(8, 40)};
  command.pinned = {pick(0, 3) == 0, pick(0, 3) == 0};
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
