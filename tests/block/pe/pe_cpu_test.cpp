// PE_CPU on a real PE: launches are sent from the M_CPU so that they are ready at a given time.
#include "modules/pe/pe_cpu.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "platform/contract/completion.h"
#include "platform/contract/i_pe.h"
#include "tests/block/pe/pe_cpu_machine.h"

namespace kb::test {
namespace {

using contract::IPe;
using testing::ElementsAre;

const std::string kAttrs = "cube.pe_template.components.pe_cpu.attrs.";

TEST(PeCpu, StartsAtTheStampIfItIsThereInTime) {  // P-51, H-51: one femtosecond early, in time, late
  PeMachine machine;
  std::vector<TimeFs> starts;
  machine.kernels.add("nop", [&](IPe&) { starts.push_back(machine.platform->scheduler().now()); });
  machine.launch("nop", kReady, kReady + 1_fs);
  machine.launch("nop", 2 * kReady, 2 * kReady);
  machine.launch("nop", 3 * kReady, 3 * kReady - 1_fs);
  machine.launch("nop", 4 * kReady);
  machine.run();
  EXPECT_THAT(starts, ElementsAre(kReady + 1_fs, 2 * kReady, 3 * kReady, 4 * kReady));
  EXPECT_EQ(machine.answers[0].result->late, 0_fs);
  EXPECT_EQ(machine.answers[1].result->late, 0_fs);
  EXPECT_EQ(machine.answers[2].result->late, 1_fs);  // H-50
  EXPECT_EQ(machine.answers[3].result->late, 0_fs);
  EXPECT_EQ(machine.answers[0].result->start, kReady + 1_fs);
  EXPECT_EQ(machine.time(kCpu, "late_max"), 1_fs);
}

TEST(PeCpu, PesWithOneStampStartTogether) {  // H-51
  MachineOptions options;
  options.pes = 4;
  PeMachine machine(options);
  machine.kernels.add("nop", [](IPe&) {});
  for (int pe = 0; pe < 4; ++pe) machine.launch("nop", kReady + pe * 7 * kNs, 2 * kReady, pe);
  machine.run();
  for (const PeMachine::Answer& answer : machine.answers) {
    EXPECT_EQ(answer.result->start, 2 * kReady);
    EXPECT_EQ(answer.result->exec, 0_fs);
  }
}

TEST(PeCpu, AnswersAtTheEndOfTheKernel) {  // P-51
  PeMachine machine(scripted_memory());
  TimeFs resumed = 0_fs;
  machine.kernels.add("k", [&](IPe& pe) {
    pe.execute(load(pe, 4096));
    resumed = machine.platform->scheduler().now();
  });
  const std::size_t launch = machine.launch("k", kReady);
  machine.run();
  EXPECT_EQ(resumed, kReady + kLoad);
  const PeMachine::Answer& answer = machine.answers[launch];
  EXPECT_TRUE(answer.status.ok);
  EXPECT_EQ(answer.result->exec, kLoad);
  EXPECT_TRUE(answer.result->pe == (PeCoord{SipId(0), CubeId(0), PeId(0)}));
  const TimeFs back =
      machine.platform->routes().command(machine.node("sip0.cube0.m_cpu"), machine.node(kCpu)).formula_fs;
  EXPECT_EQ(answer.completed, kReady + kLoad + back);
}

TEST(PeCpu, MeasuresDmaAndComputeSeparately) {  // H-37
  PeMachine machine(scripted_memory());
  machine.kernels.add("k", [](IPe& pe) {
    pe.execute(load(pe, 4096));
    pe.execute(gemm(32, 64, 32));
    pe.execute(cycles(5));
    pe.execute(math(MathOp::exp, {{2560}}, {2560}));
    pe.execute(load(pe, 4096));
  });
  const std::size_t launch = machine.launch("k", kReady);
  machine.run();
  const contract::PeResult& result = *machine.answers[launch].result;
  EXPECT_EQ(result.dma, 2 * kLoad);
  EXPECT_EQ(result.compute, 26 * kNs);
  EXPECT_EQ(result.exec, 2 * kLoad + 31 * kNs);
}

TEST(PeCpu, ScalarWorkTakesCyclesOfItsClock) {  // P-45
  PeMachine machine(scripted_memory({{kAttrs + "clock_ghz", "3.0"}, {kAttrs + "dispatch_cycles", "2"}}));
  std::vector<TimeFs> times;
  int dispatch = 0;
  machine.kernels.add("k", [&](IPe& pe) {
    dispatch = pe.info().dispatch_cycles;
    for (const std::int64_t n : {0, 1, 3}) {
      pe.execute(cycles(n));
      times.push_back(machine.platform->scheduler().now() - kReady);
    }
  });
  machine.launch("k", kReady);
  machine.run();
  EXPECT_THAT(times, ElementsAre(0_fs, 333333_fs, 1333333_fs));
  EXPECT_EQ(dispatch, 2);
  EXPECT_TRUE(machine.log.commands.empty());  // P-6
}

TEST(PeCpu, RunsOneKernelAtATimeInArrivalOrder) {  // P-1
  PeMachine machine(scripted_memory());
  std::vector<std::pair<std::string, TimeFs>> events;
  const auto note = [&](const char* what) { events.emplace_back(what, machine.platform->scheduler().now() - kReady); };
  machine.kernels.add("a", [&](IPe& pe) {
    note("a");
    pe.execute(load(pe, 4096));
    note("a ends");
  });
  machine.kernels.add("b", [&](IPe&) { note("b"); });
  machine.kernels.add("c", [&](IPe&) { note("c"); });
  machine.launch("a", kReady);
  machine.launch("b", kReady + 1_fs);
  machine.launch("c", kReady + 2_fs, kReady + 150 * kNs);
  machine.run();
  using Event = std::pair<std::string, TimeFs>;
  EXPECT_THAT(events, ElementsAre(Event("a", 0), Event("a ends", kLoad), Event("b", kLoad), Event("c", 150 * kNs)));
  EXPECT_EQ(machine.answers[2].result->late, 0_fs);
}

// Their queue moves while a kernel runs.
TEST(PeCpu, EveryLaunchHasItsOwnAnswerWhateverArrivesMeanwhile) {
  PeMachine machine(scripted_memory());
  machine.kernels.add("k", [](IPe& pe) { pe.execute(load(pe, 4096)); });
  for (int i = 0; i < 3; ++i) machine.launch("k", kReady);
  // While the third runs, and then more than there is room for.
  for (int i = 0; i < 2; ++i) machine.launch("k", kReady + 5 * kLoad / 2);
  for (int i = 0; i < 4; ++i) machine.launch("k", kReady + 7 * kLoad / 2);
  machine.run();
  TimeFs start = kReady;
  for (const PeMachine::Answer& answer : machine.answers) {
    EXPECT_EQ(answer.result->start, start);
    start += kLoad;
  }
  EXPECT_EQ(start, kReady + 9 * kLoad);
}

TEST(PeCpu, KnowsItsPlaceAndItsScratch) {  // P-48, P-55, P-58
  MachineOptions options;
  options.pes = 4;
  PeMachine machine(options);
  contract::PeInfo info;
  machine.kernels.add("k", [&](IPe& pe) { info = pe.info(); });
  machine.launch("k", kReady, std::nullopt, 2);
  machine.run();
  EXPECT_TRUE(info.coord == (PeCoord{SipId(0), CubeId(0), PeId(2)}));
  EXPECT_EQ(info.pes_per_cube, 4);
  EXPECT_EQ(info.cubes_per_sip, 1);
  EXPECT_EQ(info.dispatch_cycles, 0);
  EXPECT_EQ(info.scratch_bytes, 1u << 20);
  EXPECT_EQ(info.scratch_pa, machine.tcm(512 << 10, 2));
}

TEST(PeCpu, WritesKnownContentsIntoItsOwnScratchOnly) {
  PeMachine machine;
  std::vector<std::string> codes;
  machine.kernels.add("k", [&](IPe& pe) {
    const std::uint64_t end = pe.info().scratch_pa + pe.info().scratch_bytes;
    for (const std::uint64_t pa : {pe.info().scratch_pa, end - 8, pe.info().scratch_pa - 1, end - 7}) {
      try {
        pe.write_scratch(pa, Dtype::f16, std::vector<std::byte>(8, std::byte{1}));
        codes.push_back("ok");
      } catch (const Error& error) {
        codes.push_back(error.code());
      }
    }
  });
  const std::size_t launch = machine.launch("k", kReady);
  machine.run();
  EXPECT_THAT(codes, ElementsAre("ok", "ok", "ADDRESS_ERROR", "ADDRESS_ERROR"));
  ASSERT_EQ(machine.log.writes.size(), 2u);
  EXPECT_EQ(machine.log.writes[0].node, machine.node(kCpu));
  EXPECT_EQ(machine.log.writes[0].at, kReady);
  EXPECT_EQ(machine.answers[launch].result->exec, 0_fs);  // no simulated time
}

TEST(PeCpu, ReadsContentsWhereTheyAreKept) {
  PeMachine machine;
  std::size_t bytes = 0;
  machine.kernels.add("k", [&](IPe& pe) { bytes = pe.read({{hbm(0), 12}, {hbm(64), 4}}).size(); });
  machine.launch("k", kReady);
  machine.run();
  EXPECT_EQ(bytes, 16u);
}

TEST(PeCpu, WithoutContentsAReadIsAnError) {
  PeMachine machine;
  machine.platform->context().operations = nullptr;
  machine.kernels.add("k", [](IPe& pe) { pe.read({{hbm(0), 12}}); });
  machine.launch("k", kReady);
  machine.run();
  EXPECT_EQ(machine.answers[0].status.code, "DATA_ACCESS");
}

TEST(PeCpu, NamesTheCallThatWaitsAndTheLaunchesBehind) {
  PeMachine machine(scripted_memory());
  machine.kernels.add("gemm", [](IPe& pe) {
    pe.execute(load(pe, 4096, 11));
    pe.execute(load(pe, 4096, 12));
  });
  machine.launch("gemm", kReady);
  machine.launch("gemm", kReady + 1_fs);
  machine.platform->scheduler().set_time_limit(kReady + kLoad + 50 * kNs);
  machine.run();
  EXPECT_THAT(machine.wait_lines(kCpu),
              ElementsAre("sip0.cube0.pe0.pe_cpu: kernel gemm, tl.load #12: the end of its dma_read @1121.000004",
                          "sip0.cube0.pe0.pe_cpu: launch #1 of kernel gemm: the end of kernel gemm @1000.000001"));
}

TEST(PeCpu, NamesTheBarrierItWaitsFor) {
  PeMachine machine;
  machine.kernels.add("nop", [](IPe&) {});
  machine.launch("nop", kReady, 5 * kReady);
  machine.platform->scheduler().set_time_limit(2 * kReady);
  machine.run();
  EXPECT_THAT(machine.wait_lines(kCpu), ElementsAre("sip0.cube0.pe0.pe_cpu: kernel nop: its start at 5000 ns @1000"));
}

TEST(PeCpu, IdleBlocksReportNothing) {
  PeMachine machine;
  machine.run();
  EXPECT_TRUE(machine.wait_lines(kCpu).empty());
  EXPECT_EQ(machine.statistics(kCpu).count("kernels"), 0u);
}

TEST(PeCpu, ShowsTheStateOfTheKernel) {  // 0 idle, 1 waits for its start, 2 runs, 3 waits for an engine
  PeMachine machine(scripted_memory());
  machine.kernels.add("k", [](IPe& pe) {
    pe.execute(cycles(3));
    pe.execute(load(pe, 4096));
    pe.execute(cycles(2));
  });
  machine.launch("k", kReady, kReady + 10 * kNs);
  machine.run();
  const TimeFs start = kReady + 10 * kNs;
  using C = Waves::Change;
  EXPECT_THAT(machine.waves.changes["sip0.cube0.pe0.pe_cpu.kernel_state"],
              ElementsAre(C(kReady, 1), C(start, 2), C(start + 3 * kNs, 3), C(start + 3 * kNs + kLoad, 2),
                          C(start + 5 * kNs + kLoad, 0)));
}

TEST(PeCpu, TasksArePooled) {
  PeMachine machine(scripted_memory());
  machine.kernels.add("k", [](IPe& pe) {
    for (int i = 0; i < 1000; ++i) pe.execute(load(pe, 256));
  });
  machine.launch("k", kReady);
  machine.run();
  EXPECT_EQ(machine.statistics(kCpu).at("commands"), 1000);
  EXPECT_EQ(machine.platform->pool().outstanding(), 0u);
  EXPECT_EQ(machine.log.commands.size(), 1000u);
}

}  // namespace
}  // namespace kb::test
