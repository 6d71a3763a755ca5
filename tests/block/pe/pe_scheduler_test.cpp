// PE_SCHEDULER between a scripted requester in place of PE_CPU and the real engines.
#include "modules/pe/pe_scheduler.h"

#include <gmock/gmock.h>

#include "platform/address/phys_addr.h"
#include "platform/contract/command.h"
#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using contract::CommandKind;
using modules::CommandState;
using testing::ElementsAre;
using testing::HasSubstr;
using topology::NodeKind;

const std::string kAttrs = "cube.pe_template.components.pe_scheduler.attrs.";

MachineOptions scheduler(std::vector<std::pair<std::string, std::string>> set = {}) {
  MachineOptions options;
  options.requesters = {NodeKind::pe_cpu};
  options.scripted_memory = true;
  options.set = std::move(set);
  return options;
}

Request submit(TimeFs at, contract::Command command) {
  return {at, NodeKind::pe_scheduler, std::move(command), {}, {}};
}

contract::Command load(const PeMachine& machine, std::uint64_t nbytes) {
  return dma(CommandKind::dma_read, {{address::PhysAddr::hbm_addr(SipId(0), CubeId(0), 0).value(), nbytes}},
             {{machine.tcm(0), nbytes}});
}

TEST(PeScheduler, GivesEachCommandToItsEngineAtOnce) {  // P-9: no time of its own by default
  PeMachine machine(scheduler());
  const std::vector<Outcome> o =
      machine.run({submit(5_fs, gemm(32, 64, 32)), submit(20 * kNs, math(MathOp::exp, {{2560}}, {2560})),
                   submit(40 * kNs, load(machine, 256))});
  EXPECT_EQ(o[0].start, 5_fs);
  EXPECT_EQ(o[0].answered, 16 * kNs + 5_fs);
  EXPECT_EQ(o[1].answered, 30 * kNs);
  EXPECT_EQ(o[2].start, 40 * kNs);
  EXPECT_EQ(o[2].answered, o[2].end);
  ASSERT_EQ(machine.log.commands.size(), 3u);
  EXPECT_EQ(machine.log.commands[0].node, machine.node("sip0.cube0.pe0.pe_gemm"));
  EXPECT_EQ(machine.log.commands[1].node, machine.node("sip0.cube0.pe0.pe_math"));
  EXPECT_EQ(machine.log.commands[2].node, machine.node("sip0.cube0.pe0.pe_dma"));
}

TEST(PeScheduler, CompletesInTheOrderOfTheEngines) {  // P-8: one completion per command, when its engine reports
  PeMachine machine(scheduler());
  const std::vector<Outcome> o = machine.run({submit(0_fs, load(machine, 4096)), submit(0_fs, gemm(32, 64, 32))});
  EXPECT_EQ(o[1].answered, 16 * kNs);
  EXPECT_GT(o[0].answered, 100 * kNs);
  EXPECT_EQ(o[0].state, CommandState::completed);
  EXPECT_EQ(o[1].state, CommandState::completed);
  EXPECT_EQ(dynamic_cast<modules::PeScheduler&>(machine.platform->block("sip0.cube0.pe0.pe_scheduler")).in_flight(),
            0u);
}

TEST(PeScheduler, DispatchesOneCommandPerOverhead) {  // P-7: submission order
  PeMachine machine(scheduler({{kAttrs + "overhead_ns", "3"}}));
  const std::vector<Outcome> o = machine.run(
      {submit(0_fs, load(machine, 256)), submit(kNs, gemm(32, 64, 32)), submit(20 * kNs, gemm(32, 64, 32))});
  EXPECT_EQ(o[0].start, 3 * kNs);
  EXPECT_EQ(o[1].start, 6 * kNs);
  EXPECT_EQ(o[2].start, 23 * kNs);
}

TEST(PeScheduler, ChargesFetchAndStoreWhenAsked) {  // P-9: 8192 B in, 2048 B out over 512 GB/s
  PeMachine machine(scheduler({{kAttrs + "charge_fetch_store", "true"}}));
  const std::vector<Outcome> o = machine.run({submit(0_fs, gemm(32, 64, 32))});
  EXPECT_EQ(o[0].start, 16 * kNs);
  EXPECT_EQ(o[0].end, 32 * kNs);
  EXPECT_EQ(o[0].answered, 36 * kNs);
  ASSERT_EQ(machine.log.commands.size(), 1u);
  EXPECT_EQ(machine.log.commands[0].end, 32 * kNs);
}

TEST(PeScheduler, ChargedCommandsShareTheTcm) {  // P-42: the second fetch follows the first, the store overlaps
  PeMachine machine(scheduler({{kAttrs + "charge_fetch_store", "true"}}));
  const std::vector<Outcome> o = machine.run({submit(0_fs, gemm(32, 64, 32)), submit(0_fs, gemm(32, 64, 32))});
  EXPECT_EQ(o[1].start, 32 * kNs);
  EXPECT_EQ(o[1].answered, 52 * kNs);
}

TEST(PeScheduler, ChargesNothingForDma) {
  PeMachine machine(scheduler({{kAttrs + "charge_fetch_store", "true"}}));
  machine.run({submit(0_fs, load(machine, 4096))});
  EXPECT_TRUE(machine.statistics("sip0.cube0.pe0.pe_tcm").empty());
}

TEST(PeScheduler, HandsAFailureBackWithItsCause) {
  PeMachine machine(scheduler());
  const std::vector<Outcome> o =
      machine.run({submit(7_fs, dma(CommandKind::dma_read, {{machine.tcm(8 << 20), 64}}, {{machine.tcm(0), 64}}))});
  EXPECT_EQ(o[0].answered, 7_fs);
  EXPECT_EQ(o[0].status.code, "ADDRESS_ERROR");
  EXPECT_EQ(o[0].state, CommandState::completed);
  EXPECT_TRUE(machine.log.commands.empty());
  EXPECT_EQ(machine.statistics("sip0.cube0.pe0.pe_scheduler").at("failures"), 1);
}

TEST(PeScheduler, HasNoEngineForScalarWork) {
  PeMachine machine(scheduler());
  EXPECT_THAT([&] { machine.run({submit(0_fs, contract::Command{})}); },
              testing::ThrowsMessage<std::exception>(HasSubstr("no engine for a cpu_overhead")));
}

TEST(PeScheduler, CountsCommandsAndLatency) {
  PeMachine machine(scheduler());
  machine.run({submit(0_fs, gemm(32, 64, 32)), submit(0_fs, gemm(32, 64, 32))});
  EXPECT_THAT(machine.statistics("sip0.cube0.pe0.pe_scheduler"),
              ElementsAre(std::pair("commands", 2), std::pair("failures", 0), std::pair("latency", (48 * kNs).fs()),
                          std::pair("submission_queue_max", 1)));
}

}  // namespace
}  // namespace kb::test
