#include "modules/io/pcie_ep.h"

#include <gmock/gmock.h>

#include "tests/block/io/command_machine.h"

namespace kb::test {
namespace {

const MachineShape kTwoSips{2, 1, 1, 1, {"NW"}};

// A message from the IO_CPU of one SIP to the M_CPU of the other crosses both PCIE_EPs, once outbound, once inbound.
TEST(PcieEp, TakesTheSameTimeInBothDirections) {  // C-PCIE-6, acceptance check 10
  CommandMachine m(kTwoSips);
  const TimeFs there = m.formula("sip0.io0.io_noc", "sip1.io0.io_noc");
  const TimeFs back = m.formula("sip1.io0.io_noc", "sip0.io0.io_noc");
  EXPECT_EQ(there, back);
  EXPECT_EQ(m.overhead("sip0.io0.pcie_ep"), 5_ns);  // C-PCIE-2
  m.send(0, "sip1.cube0.pe0.pe_mmu", payload::MmuMapMsg{}, 1);
  m.run();
  // Request and answer cross the remote PCIE_EP in opposite directions; the far end pays its overhead once.
  const TimeFs one_way = m.formula("sip0.io0.pcie_ep", "sip1.cube0.pe0.pe_mmu");
  EXPECT_EQ(m.script.arrivals.at(0).ready, one_way);
  EXPECT_EQ(m.answers.at(1).completed, 2 * one_way - m.overhead("sip1.cube0.pe0.pe_mmu"));
}

TEST(PcieEp, MessagesOverlapInItsOverhead) {  // C-PCIE-4, acceptance check 10
  CommandMachine m(kTwoSips);
  m.send(0, "sip0.cube0.pe0.pe_mmu", payload::MmuMapMsg{}, 1);
  m.send(0, "sip0.cube0.pe0.pe_mmu", payload::MmuMapMsg{}, 2);
  m.run();
  ASSERT_EQ(m.script.arrivals.size(), 2u);
  EXPECT_EQ(m.script.arrivals[0].ready, m.script.arrivals[1].ready);
  EXPECT_EQ(m.answers.at(1).completed, m.answers.at(2).completed);
}

TEST(PcieEp, KeepsTheOrderOfSubmission) {
  CommandMachine m(kTwoSips);
  std::vector<std::shared_ptr<const payload::Message>> sent;
  for (std::uint64_t i = 0; i < 5; ++i) {
    sent.push_back(m.send(0, "sip0.cube0.pe0.pe_mmu", payload::MmuMapMsg{}, i).message);
  }
  m.run();
  ASSERT_EQ(m.script.arrivals.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(m.script.arrivals[i].message, sent[i]);
}

TEST(PcieEp, PaysItsOverheadAtInjectionAndOnTheResponse) {  // C-PCIE-8
  CommandMachine m(kTwoSips);
  m.send(0, "sip0.io0.io_cpu", std::nullopt, 1);  // refused by IO_CPU itself
  m.run();
  const TimeFs one_way = m.formula("sip0.io0.pcie_ep", "sip0.io0.io_cpu");
  EXPECT_GE(one_way, m.overhead("sip0.io0.pcie_ep") + m.overhead("sip0.io0.io_cpu"));
  EXPECT_EQ(m.answers.at(1).issued, 0_fs);
  EXPECT_EQ(m.answers.at(1).completed, one_way + one_way - m.overhead("sip0.io0.io_cpu"));
}

}  // namespace
}  // namespace kb::test
