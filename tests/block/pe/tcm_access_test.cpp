// PE_DMA and the TCM as a memory: copies inside the own one, loads from and stores to those of other PEs (decision
// 0032).
#include "modules/pe/tcm_access.h"

#include <gmock/gmock.h>

#include "platform/address/phys_addr.h"
#include "platform/contract/command.h"
#include "platform/elab/route_table.h"
#include "platform/routing/latency.h"
#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using contract::CommandKind;
using testing::HasSubstr;
using topology::NodeKind;

constexpr CommandKind kRead = CommandKind::dma_read;
constexpr CommandKind kWrite = CommandKind::dma_write;
constexpr TimeFs kFlit = 256 * kNs / 512;  // at the 512 GB/s of a TCM
const char* const kTcm = "sip0.cube0.pe0.pe_tcm";
const char* const kDma = "sip0.cube0.pe0.pe_dma";

MachineOptions dma_alone(std::vector<std::pair<std::string, std::string>> set = {}, int pes = 4) {
  MachineOptions options;
  options.pes = pes;
  options.requesters = {NodeKind::pe_scheduler};
  options.set = std::move(set);
  return options;
}

Request transfer(const PeMachine& machine, TimeFs at, CommandKind kind, std::vector<Extent> memory) {
  const std::uint64_t nbytes = total_bytes(memory);
  contract::Command command = dma(kind, std::move(memory), {{machine.tcm(1 << 20), nbytes}});
  command.call = kind == kRead ? "load" : "store";
  return {at, NodeKind::pe_dma, std::move(command), {}, {}};
}

// The way there and back and what a transfer adds to it: the data on the narrowest link, and a flit on each other one.
struct Formula {
  TimeFs there_and_back, drain, links;
};
Formula formula(PeMachine& machine, const std::string& pe, std::uint64_t nbytes) {
  const NodeId from = machine.node(kDma), to = machine.node(pe + ".pe_dma");
  const routing::Route& route = machine.platform->routes().router().find_path(from, to);
  const TimeFs route_time = machine.platform->routes().pe_dma(from, to).formula_fs;
  return {route_time + route_time, routing::drain_fs(machine.graph(), route, nbytes),
          (static_cast<std::int64_t>(route.edges.size()) - 1) * kNs};
}

struct Transfer {
  CommandKind kind;
  int pe;
};
class RemoteTcm : public testing::TestWithParam<Transfer> {};

// The bar of the memories: path formula and drain, within 1 %; exactly, with the flit in the TCM and on every link.
TEST_P(RemoteTcm, LoadsAndStoresTakeTheFormulaAndTheDrain) {
  const auto [kind, pe] = GetParam();
  PeMachine machine(dma_alone());
  const std::uint64_t nbytes = 384 * 1024;
  const Outcome o = machine.run({transfer(machine, 0_fs, kind, {{machine.tcm(0, pe), nbytes}})}).at(0);
  ASSERT_TRUE(o.status.ok) << o.status.message;
  const Formula f = formula(machine, "sip0.cube0.pe" + std::to_string(pe), nbytes);
  EXPECT_NEAR(fs_to_ns(o.end), fs_to_ns(f.there_and_back + f.drain), 0.01 * fs_to_ns(f.there_and_back + f.drain));
  EXPECT_EQ(o.end, f.there_and_back + f.drain + f.links + kFlit);
}

// Also to another cube, over UCIe, whose links set the pace.
class RemoteCube : public testing::TestWithParam<CommandKind> {};

TEST_P(RemoteCube, ACopyIsWithinOnePercentOfTheFormula) {
  MachineOptions options = dma_alone({}, 1);
  options.cubes = 2;
  PeMachine machine(options);
  const std::uint64_t nbytes = 384 * 1024;
  const std::uint64_t there = address::PhysAddr::pe_tcm_addr(SipId(0), CubeId(1), PeId(0), 0).value();
  const Outcome o = machine.run({transfer(machine, 0_fs, GetParam(), {{there, nbytes}})}).at(0);
  ASSERT_TRUE(o.status.ok) << o.status.message;
  const Formula f = formula(machine, "sip0.cube1.pe0", nbytes);
  const double expected = fs_to_ns(f.there_and_back + f.drain);
  EXPECT_GE(fs_to_ns(o.end), expected);
  EXPECT_LE(fs_to_ns(o.end), 1.002 * expected);
}

INSTANTIATE_TEST_SUITE_P(ReadsAndWrites, RemoteCube, testing::Values(kRead, kWrite));

TEST_P(RemoteTcm, ATcmSlowerThanTheLinkSetsThePace) {  // 128 GB/s
  const auto [kind, pe] = GetParam();
  const std::string attrs = "cube.pe_template.components.pe_tcm.attrs.";
  PeMachine machine(dma_alone({{attrs + (kind == kRead ? "read_bw_gbs" : "write_bw_gbs"), "128"}}));
  const std::uint64_t nbytes = 64 * 1024;
  const Outcome o = machine.run({transfer(machine, 0_fs, kind, {{machine.tcm(0, pe), nbytes}})}).at(0);
  const Formula f = formula(machine, "sip0.cube0.pe" + std::to_string(pe), nbytes);
  EXPECT_EQ(o.end, f.there_and_back + nbytes / 128 * kNs + f.links + kNs);
}

TEST_P(RemoteTcm, WhatLiesBeyondItIsRefused) {
  const auto [kind, pe] = GetParam();
  PeMachine machine(dma_alone());
  const std::uint64_t size = machine.graph().spec.tcm_bytes_per_pe;
  const Outcome o = machine.run({transfer(machine, 0_fs, kind, {{machine.tcm(size - 128, pe % 3), 256}})}).at(0);
  EXPECT_EQ(o.status.code, "ADDRESS_ERROR");
  EXPECT_THAT(o.status.message, HasSubstr("ends past the"));
}

INSTANTIATE_TEST_SUITE_P(NearAndFar, RemoteTcm,
                         testing::Values(Transfer{kRead, 1}, Transfer{kRead, 2}, Transfer{kRead, 3},
                                         Transfer{kWrite, 1}, Transfer{kWrite, 2}, Transfer{kWrite, 3}));

TEST(TcmAccess, ACopyInsideTakesBothChannels) {  // n / 512 GB/s, besides overhead_ns; the fabric sees nothing
  PeMachine machine(dma_alone({{"cube.pe_template.components.pe_dma.attrs.overhead_ns", "3"}}));
  const Outcome o = machine.run({transfer(machine, 5 * kNs, kRead, {{machine.tcm(0), 4096}})}).at(0);
  EXPECT_EQ(o.start, 5 * kNs);
  EXPECT_EQ(o.end, (5 + 3 + 8) * kNs);
  EXPECT_EQ(machine.statistics(kTcm)["reads"], 1);
  EXPECT_EQ(machine.statistics(kTcm)["writes"], 1);
  EXPECT_EQ(machine.statistics(kDma)["tcm_copied_bytes"], 4096);
  EXPECT_EQ(machine.statistics(kDma)["read_requests"], 0);
}

TEST(TcmAccess, LoadsAndStoresInsideShareTheChannels) {  // both directions need both
  PeMachine machine(dma_alone());
  const std::vector<Outcome> o = machine.run({transfer(machine, 0_fs, kRead, {{machine.tcm(0), 4096}}),
                                              transfer(machine, 0_fs, kWrite, {{machine.tcm(8192), 2048}})});
  EXPECT_EQ(o[0].end, 8 * kNs);
  EXPECT_EQ(o[1].end, 12 * kNs);
}

TEST(TcmAccess, ACommandMixesMemories) {  // its own TCM, HBM and another TCM: it ends with the last
  PeMachine machine(dma_alone());
  const Outcome o =
      machine.run({transfer(machine, 0_fs, kRead, {{machine.tcm(0), 256}, {hbm(0), 256}, {machine.tcm(0, 3), 256}})})
          .at(0);
  const Formula f = formula(machine, "sip0.cube0.pe3", 256);
  EXPECT_EQ(o.end, f.there_and_back + f.drain + f.links + kFlit);
  EXPECT_EQ(machine.statistics(kDma)["read_requests"], 2);
  EXPECT_EQ(machine.statistics(kDma)["read_bytes"], 768);
  EXPECT_EQ(machine.statistics("sip0.cube0.pe3.pe_dma")["tcm_read_bytes"], 256);
}

}  // namespace
}  // namespace kb::test
