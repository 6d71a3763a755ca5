#include "platform/routing/address_resolver.h"

#include <gtest/gtest.h>

#include <functional>

#include "platform/base/error.h"
#include "platform/base/units.h"
#include "tests/unit/routing/machines.h"

namespace kb::routing {
namespace {

using namespace kb::address;
using topology::NodeKind;

constexpr const char* kTwoChiplets = R"(
sip:
  cube_mesh: { w: 2, h: 1 }
  io_chiplets:
    - { id: io0, cube_ports: [ { cube: { xy: [0, 0] }, cube_side: N, phy: P0, distance_mm: 2.0 } ] }
    - { id: south, cube_ports: [ { cube: { xy: [0, 0] }, cube_side: S, phy: P0, distance_mm: 2.0 } ] }
system: { sips: { count: 2, topology: ring_1d } }
cube:
  pe_layout: { corners: [NW, NE, SW, SE], pe_per_corner: 2 }
)";

class Resolver : public testing::Test {
 protected:
  std::string at(const PhysAddr& address) const { return graph_.node(resolver_.resolve(address)).id; }
  std::string refusal(const std::function<void()>& action) const {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "ADDRESS_ERROR");
      return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return "";
  }

  topology::Graph graph_ = topology::load_text(kTwoChiplets, "machine").graph;
  AddressResolver resolver_{graph_};
  const SipId sip_{1};
  const CubeId cube_{1};
};

// A-18, F-11: every HBM byte belongs to one slice.
TEST_F(Resolver, HbmGoesToTheSliceOfItsOffset) {
  const std::uint64_t slice = 6 * kGiB;
  for (std::uint32_t pe = 0; pe < 8; ++pe) {
    const std::string expected = "sip1.cube1.hbm_ctrl.pe" + std::to_string(pe);
    EXPECT_EQ(at(PhysAddr::hbm_addr(sip_, cube_, pe * slice)), expected);
    EXPECT_EQ(at(PhysAddr::hbm_addr(sip_, cube_, (pe + 1) * slice - 1)), expected);
    EXPECT_EQ(at(PhysAddr::pe_hbm_addr(sip_, cube_, PeId(pe), 0x1234, slice)), expected);
    EXPECT_EQ(graph_.node(resolver_.find_hbm({sip_, cube_, PeId(pe)})).id, expected);
  }
}

// A-19, A-103: valid as an address, but nothing is built there.
TEST_F(Resolver, RefusesWhatIsNotBuilt) {
  EXPECT_NE(refusal([&] { resolver_.resolve(PhysAddr::hbm_addr(sip_, cube_, 48 * kGiB)); }).find("sip1.cube1 HBM"),
            std::string::npos);
  refusal([&] { resolver_.resolve(PhysAddr::hbm_addr(SipId(2), CubeId(0), 0)); });
  refusal([&] { resolver_.resolve(PhysAddr::hbm_addr(SipId(0), CubeId(2), 0)); });
  refusal([&] { resolver_.resolve(PhysAddr::pe_tcm_addr(sip_, cube_, PeId(8), 0)); });
  refusal([&] { resolver_.resolve(PhysAddr::pe_tcm_addr(sip_, cube_, PeId(0), 2 * kMiB)); });
  refusal([&] { resolver_.resolve(PhysAddr::iocpu_resource_addr(sip_, ChipletId(2), IocpuUnit::itcm, 0)); });
}

TEST_F(Resolver, AnAccessStaysInOneNode) {
  const PhysAddr last = PhysAddr::hbm_addr(sip_, cube_, 6 * kGiB - 64);
  EXPECT_EQ(graph_.node(resolver_.resolve(last, 64)).id, "sip1.cube1.hbm_ctrl.pe0");
  EXPECT_NE(refusal([&] { resolver_.resolve(last, 65); }).find("crosses into the next HBM slice"), std::string::npos);
  const PhysAddr sram = PhysAddr::cube_sram_addr(sip_, cube_, 32 * kMiB - 64);
  EXPECT_EQ(graph_.node(resolver_.resolve(sram, 64)).id, "sip1.cube1.sram");
  refusal([&] { resolver_.resolve(sram, 65); });
}

// A-20
TEST_F(Resolver, PeUnitsGoToTheirBlocks) {
  const std::vector<std::pair<PeUnit, std::string>> expected{
      {PeUnit::pe_cpu_dtcm, "pe_cpu"}, {PeUnit::math_engine_dtcm, "pe_math"}, {PeUnit::ipcq, "pe_ipcq"},
      {PeUnit::pe_cpu_sfr, "pe_cpu"},  {PeUnit::math_engine_sfr, "pe_math"},  {PeUnit::dma_engine_sfr, "pe_dma"},
      {PeUnit::pe_tcm, "pe_tcm"}};
  for (const auto& [unit, block] : expected) {
    EXPECT_EQ(at(PhysAddr::pe_resource_addr(sip_, cube_, PeId(5), unit, 8)), "sip1.cube1.pe5." + block);
  }
}

TEST_F(Resolver, CubeAndChipletTargets) {
  EXPECT_EQ(at(PhysAddr::cube_sram_addr(sip_, cube_, 0)), "sip1.cube1.sram");
  EXPECT_EQ(at(PhysAddr::mcpu_resource_addr(sip_, cube_, McpuUnit::sram, 0)), "sip1.cube1.m_cpu");
  EXPECT_EQ(at(PhysAddr::iocpu_resource_addr(sip_, ChipletId(0), IocpuUnit::ipcq, 0)), "sip1.io0.io_cpu");
  EXPECT_EQ(at(PhysAddr::iocpu_resource_addr(sip_, ChipletId(1), IocpuUnit::ipcq, 0)), "sip1.south.io_cpu");
  EXPECT_NE(refusal([&] { resolver_.resolve(PhysAddr::ual_addr(sip_, ChipletId(0), kUalBase)); }).find("UAL"),
            std::string::npos);
}

// F-9
TEST_F(Resolver, FindsBlocksByCoordinate) {
  EXPECT_EQ(graph_.node(resolver_.find_m_cpu(sip_, cube_)).id, "sip1.cube1.m_cpu");
  EXPECT_EQ(graph_.node(resolver_.find_sram(sip_, cube_)).id, "sip1.cube1.sram");
  EXPECT_EQ(graph_.node(resolver_.find_pcie_ep(sip_)).id, "sip1.io0.pcie_ep");
  EXPECT_EQ(graph_.node(resolver_.find_pcie_ep(sip_, "south")).id, "sip1.south.pcie_ep");
  EXPECT_EQ(graph_.node(resolver_.find_io_cpu(SipId(0), "south")).id, "sip0.south.io_cpu");
  EXPECT_EQ(
      test::names(graph_, resolver_.find_all_pcie_eps()),
      (std::vector<std::string>{"sip0.io0.pcie_ep", "sip0.south.pcie_ep", "sip1.io0.pcie_ep", "sip1.south.pcie_ep"}));
  for (NodeKind kind : {NodeKind::pe_cpu, NodeKind::pe_scheduler, NodeKind::pe_dma, NodeKind::pe_fetch_store,
                        NodeKind::pe_gemm, NodeKind::pe_math, NodeKind::pe_tcm, NodeKind::pe_mmu, NodeKind::pe_ipcq}) {
    EXPECT_EQ(graph_.node(resolver_.find_pe_node({sip_, cube_, PeId(7)}, kind)).id,
              "sip1.cube1.pe7." + std::string(topology::node_kind_name(kind)));
  }
}

TEST_F(Resolver, NamesWhatItCannotFind) {
  EXPECT_EQ(refusal([&] { resolver_.find_m_cpu(SipId(2), CubeId(0)); }),
            "this machine has no sip2.cube0 (it has 2 SIPs of 2 cubes)");
  EXPECT_EQ(refusal([&] {
              resolver_.find_hbm({SipId(0), CubeId(0), PeId(8)});
            }),
            "this machine has no sip0.cube0.pe8 (it has 2 SIPs of 2 cubes of 8 PEs)");
  EXPECT_EQ(refusal([&] { resolver_.find_pcie_ep(SipId(0), "souht"); }),
            "sip0 has no IO chiplet 'souht' (did you mean 'south'?)");
  EXPECT_THROW(resolver_.find_pe_node({sip_, cube_, PeId(0)}, NodeKind::hbm_ctrl), Error);
}

// Invalid ids do not read past a table.
TEST_F(Resolver, RefusesUnsetIds) {
  EXPECT_THROW(resolver_.find_m_cpu(SipId(), CubeId()), Error);
  EXPECT_THROW(resolver_.find_pe_node({}, NodeKind::pe_dma), Error);
  EXPECT_THROW(resolver_.find_pcie_ep(SipId()), Error);
}

}  // namespace
}  // namespace kb::routing
