#include "modules/cube/m_cpu.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "platform/address/phys_addr.h"
#include "platform/contract/failure_policy.h"
#include "tests/block/io/command_machine.h"

namespace kb::test {
namespace {

using contract::FailurePolicy;
using testing::ElementsAre;
using testing::HasSubstr;

const MachineShape kOneCube{1, 1, 1, 2, {"NW", "SE"}};  // 4 PEs
const char* const kMCpu = "sip0.cube0.m_cpu";

std::string pe_cpu(int pe) {
  return "sip0.cube0.pe" + std::to_string(pe) + ".pe_cpu";
}

TEST(MCpu, StampsAnUnstampedLaunchForItsCube) {  // C-MCPU-11, H-47
  CommandMachine m(kOneCube);
  m.send(0, kMCpu, m.launch({0}, {0, 1, 2, 3}));
  TimeFs leg = 0_fs;
  for (int pe = 0; pe < 4; ++pe) leg = std::max(leg, m.formula(kMCpu, pe_cpu(pe)) - m.overhead(kMCpu));
  const TimeFs stamp = m.formula("sip0.io0.pcie_ep", kMCpu) + leg;
  m.run();
  ASSERT_EQ(m.script.arrivals.size(), 4u);
  TimeFs last = 0_fs;
  for (const Arrival& arrival : m.script.arrivals) {
    EXPECT_EQ(arrival.stamp, stamp) << arrival.node;
    EXPECT_EQ(arrival.bytes, 0u);  // C-MCPU-10
    last = std::max(last, arrival.ready);
  }
  EXPECT_EQ(last, stamp);
}

TEST(MCpu, StampsACopyAndLeavesTheRequestAlone) {  // C-MCPU-11
  CommandMachine m(kOneCube);
  const auto sent = m.send(0, kMCpu, m.launch({0}, {0})).message;
  m.run();
  EXPECT_EQ(std::get<payload::KernelLaunchMsg>(*sent).target_start, kNever);
}

TEST(MCpu, PassesAStampThroughUnchanged) {  // C-MCPU-11, H-47
  CommandMachine m(kOneCube);
  auto message = m.launch({0}, {1, 2});
  message.target_start = 333_ns;
  const auto sent = m.send(0, kMCpu, message).message;
  m.run();
  ASSERT_EQ(m.script.arrivals.size(), 2u);
  for (const Arrival& arrival : m.script.arrivals) EXPECT_EQ(arrival.message, sent);
}

TEST(MCpu, SelectsThePesOfTheLaunchInAscendingOrder) {  // C-8, H-35
  CommandMachine m(kOneCube);
  m.send(0, kMCpu, m.launch({0}, {1, 3}));
  m.run();
  std::vector<std::string> nodes;
  for (const Arrival& arrival : m.script.arrivals) nodes.push_back(arrival.node);
  EXPECT_THAT(nodes, testing::UnorderedElementsAre(pe_cpu(1), pe_cpu(3)));
}

TEST(MCpu, TwoPeLaunchHasOneCompletion) {  // acceptance check 7
  CommandMachine m({1, 1, 1, 2, {"NW"}});
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.after = 50_ns;
    r.result.exec = (10 + pe.pe.value) * 1_ns;
    return r;
  };
  m.send(0, "sip0.io0.io_cpu", m.launch({0}, {0, 1}), 5);
  m.run();
  ASSERT_EQ(m.answers.size(), 1u);
  const CommandMachine::Answer& answer = m.answers.at(5);
  EXPECT_TRUE(answer.status.ok);
  ASSERT_EQ(answer.pes.size(), 2u);
  EXPECT_EQ(answer.pes[0].exec, 10_ns);
  EXPECT_EQ(answer.pes[1].exec, 11_ns);
}

TEST(MCpu, AnswersWhenTheLastPeHasAnswered) {  // C-MCPU-14, C-MCPU-15
  CommandMachine m(kOneCube);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.after = (pe.pe.value == 1 ? 4000 : 10) * 1_ns;
    return r;
  };
  m.send(0, kMCpu, m.launch({0}, {0, 1, 2, 3}));
  m.run();
  const TimeFs back =
      m.formula(kMCpu, pe_cpu(1)) - m.overhead(pe_cpu(1)) + m.formula("sip0.io0.pcie_ep", kMCpu) - m.overhead(kMCpu);
  EXPECT_EQ(m.answers.at(0).completed, m.script.arrivals.front().stamp + 4000_ns + back);
  EXPECT_EQ(m.platform->block_as<modules::MCpu>(m.node(kMCpu)).pending(), 0u);
}

TEST(MCpu, FailFastAnswersAtTheFirstFailure) {  // C-MCPU-17, H-41
  CommandMachine m(kOneCube);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.after = 4000_ns;
    if (pe.pe.value == 2) {
      r.after = 0_fs;
      r.result.error_code = "SCRATCH_ERROR";
      r.result.error_message = "out of scratch";
    }
    return r;
  };
  m.send(0, kMCpu, m.launch({0}, {0, 1, 2, 3}));
  m.run();
  EXPECT_EQ(m.answers.at(0).status.code, "SCRATCH_ERROR");
  EXPECT_EQ(m.answers.at(0).status.message, "sip0.cube0.pe2: out of scratch");
  EXPECT_LT(m.answers.at(0).completed, m.script.arrivals.front().stamp + 4000_ns);
  EXPECT_EQ(m.platform->block_as<modules::MCpu>(m.node(kMCpu)).pending(), 0u);
  EXPECT_EQ(m.platform->pool().outstanding(), 0u);
}

TEST(MCpu, AMissingAnswerAfterAFailureIsStillNamed) {  // C-MCPU-17
  CommandMachine m(kOneCube);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.answer = pe.pe.value != 3;
    if (pe.pe.value == 0) r.status = {false, "KERNEL_ERROR", "bad"};
    return r;
  };
  m.send(0, kMCpu, m.launch({0}, {0, 3}, FailurePolicy::fail_fast, 9));
  m.run();
  EXPECT_FALSE(m.answers.at(0).status.ok);
  EXPECT_THAT(m.wait_lines(), ElementsAre("sip0.cube0.m_cpu: launch #9 of kernel nop (already answered with an error): "
                                          "waiting for 1 of 2 PEs: pe3"));
}

TEST(MCpu, RefusesALaunchOfAPeThatDoesNotExist) {
  CommandMachine m(kOneCube);
  m.send(0, kMCpu, m.launch({0}, {9}));
  m.run();
  EXPECT_FALSE(m.answers.at(0).status.ok);
  EXPECT_THAT(m.answers.at(0).status.message, HasSubstr("pe9"));
}

TEST(MCpu, MapCompletesAfterEveryPeMmu) {  // C-MCPU-13, acceptance check 8
  CommandMachine m(kOneCube);
  m.script.reaction = [](const PeCoord& pe) {
    Reaction r;
    r.after = pe.pe.value * 500_ns;
    return r;
  };
  payload::MmuMapMsg message;
  message.unmap = true;
  m.send(0, kMCpu, message);
  m.run();
  ASSERT_EQ(m.script.arrivals.size(), 4u);
  for (const Arrival& arrival : m.script.arrivals) EXPECT_EQ(arrival.bytes, 0u);
  EXPECT_GT(m.answers.at(0).completed, 1500_ns);
}

// A memory request that ends at M_CPU is carried on by M_CPU.DMA.
void send_memory(CommandMachine& m, payload::Op op, std::uint64_t address, std::uint64_t bytes, std::uint64_t cookie) {
  modules::PcieEp& entry = m.pcie_ep(0);
  payload::Transaction& t =
      m.platform->pool().acquire(op, m.platform->routes().command(entry.node(), m.node(kMCpu)), address, bytes);
  t.cookie = cookie;
  entry.submit(t);
}

std::uint64_t hbm_address(CommandMachine& m, std::uint32_t pe, std::uint64_t offset) {
  return address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(pe), offset, m.graph().spec.hbm_slice_bytes())
      .value();
}

TEST(MCpu, DmaCarriesMemoryRequestsToTheirSlice) {  // C-MCPU-4, C-MCPU-8
  CommandMachine m(kOneCube);
  send_memory(m, payload::Op::write, hbm_address(m, 2, 0), 1024, 1);
  send_memory(m, payload::Op::read, hbm_address(m, 1, 0), 1024, 2);
  m.run();
  EXPECT_TRUE(m.answers.at(1).status.ok);
  EXPECT_TRUE(m.answers.at(2).status.ok);
  EXPECT_EQ(m.platform->pool().issued(), 4u);  // two requests, one sub-request each
  EXPECT_EQ(m.platform->pool().outstanding(), 0u);
  std::vector<elab::Statistic> statistics;
  m.platform->block(kMCpu).collect_statistics(statistics);
  const auto xfer = std::find_if(statistics.begin(), statistics.end(),
                                 [](const elab::Statistic& s) { return s.name == "dma_transfer_max"; });
  ASSERT_NE(xfer, statistics.end());
  EXPECT_EQ(TimeFs(xfer->value), m.graph().spec.hbm_to_router_bw.occupancy(1024));  // the narrowest edge: 256 GB/s
}

TEST(MCpu, DmaSplitsAtASliceBoundary) {  // C-MCPU-8: one sub-request per destination
  CommandMachine m(kOneCube);
  send_memory(m, payload::Op::write, hbm_address(m, 1, 0) - 256, 512, 1);
  m.run();
  EXPECT_TRUE(m.answers.at(1).status.ok);
  EXPECT_EQ(m.platform->pool().issued(), 3u);
}

TEST(MCpu, DmaChannelsDoNotGateTransfers) {  // C-MCPU-7: they guard the dispatch only
  CommandMachine m(kOneCube);
  send_memory(m, payload::Op::read, hbm_address(m, 0, 0), 256, 1);
  m.run();
  const TimeFs alone = m.answers.at(1).completed - m.answers.at(1).issued;
  send_memory(m, payload::Op::read, hbm_address(m, 0, 0), 256, 2);
  send_memory(m, payload::Op::read, hbm_address(m, 3, 0), 256, 3);
  m.run();
  const TimeFs first = m.answers.at(2).completed - m.answers.at(2).issued;
  const TimeFs second = m.answers.at(3).completed - m.answers.at(3).issued;
  EXPECT_EQ(first, alone);
  EXPECT_LT(second, 2 * alone);
}

TEST(MCpu, DmaRefusesAddressesWithoutMemory) {  // C-MCPU-9: fail loudly
  CommandMachine m(kOneCube);
  send_memory(m, payload::Op::read, hbm_address(m, 3, 0) + m.graph().spec.hbm_slice_bytes(), 256, 1);
  m.run();
  EXPECT_EQ(m.answers.at(1).status.code, "ADDRESS_ERROR");
}

}  // namespace
}  // namespace kb::test
