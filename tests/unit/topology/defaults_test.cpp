// What a key is when it is not written, and what is allowed but deserves a warning.
#include <gtest/gtest.h>

#include "modules/kit/params.h"
#include "platform/params/pe_gemm_params.h"
#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

TEST(Defaults, FollowThePeCountT23) {
  const MachineSpec one =
      minimal({{"cube.pe_layout.corners", "[NW]"}, {"cube.pe_layout.pe_per_corner", "1"}}).graph.spec;
  EXPECT_EQ(one.hbm_slices_per_cube, 1);
  EXPECT_EQ(one.hbm_pseudo_channels, 8);
  EXPECT_EQ(one.hbm_slice_bytes(), 6ull << 30);
  const MachineSpec narrow = minimal({{"cube.memory_map.hbm_pseudo_channels", "32"}}).graph.spec;
  EXPECT_EQ(narrow.hbm_channels_per_pe, 4);
  EXPECT_EQ(narrow.hbm_to_router_bw, Bandwidth(128));
  const MachineSpec wide =
      minimal({{"cube.memory_map.hbm_pseudo_channels", "64"}, {"cube.pe_layout.pe_per_corner", "1"}}).graph.spec;
  EXPECT_EQ(wide.hbm_channels_per_pe, 16);
  EXPECT_EQ(wide.hbm_to_router_bw, Bandwidth(512));
}

TEST(Defaults, PortsAreTheFirstTwoCubesOfTheNorthRow) {
  EXPECT_EQ(minimal().graph.spec.io_chiplets[0].cube_ports.size(), 2u);
  const MachineSpec narrow = minimal({{"sip.cube_mesh.w", "1"}}).graph.spec;
  ASSERT_EQ(narrow.io_chiplets[0].cube_ports.size(), 1u);
  EXPECT_EQ(narrow.io_chiplets[0].cube_ports[0].phy, "P0");
  EXPECT_EQ(narrow.io_chiplets[0].shoreline, Side::N);
}

TEST(Defaults, TcmSizeMayBeWrittenAtTheBlockT26) {
  const LoadedTopology loaded = minimal({{"cube.pe_template.components.pe_tcm.attrs.size_mb", "4"}});
  EXPECT_EQ(loaded.graph.spec.tcm_bytes_per_pe, 4u << 20);
  const LoadedTopology by_map = minimal({{"cube.memory_map.tcm_size_mb", "8"}});
  EXPECT_EQ(test::number(by_map.graph.node(*by_map.graph.find_node("sip0.cube0.pe0.pe_tcm")), "size_mb"), 8.0);
}

TEST(Defaults, TensorsHaveVirtualAddressesUnlessWrittenA1) {
  EXPECT_EQ(minimal().graph.spec.address_model, AddressModel::va);
  EXPECT_EQ(minimal({{"cube.memory_map.address_model", "pa"}}).graph.spec.address_model, AddressModel::pa);
  EXPECT_EQ(minimal({{"cube.memory_map.address_model", "la"}}).graph.spec.address_model, AddressModel::la);
}

TEST(Defaults, PageSizeMayBeWrittenAtTheBlockA40) {
  const auto of_mmu = [](const LoadedTopology& loaded) {
    return test::number(loaded.graph.node(*loaded.graph.find_node("sip0.cube0.pe0.pe_mmu")), "page_size");
  };
  EXPECT_EQ(minimal().graph.spec.page_size, 4096u);
  const LoadedTopology at_block = minimal({{"cube.pe_template.components.pe_mmu.attrs.page_size", "65536"}});
  EXPECT_EQ(at_block.graph.spec.page_size, 65536u);
  EXPECT_EQ(at_block.config.at("cube.memory_map.page_size").value, "65536");
  const LoadedTopology by_map = minimal({{"cube.memory_map.page_size", "8192"}});
  EXPECT_EQ(by_map.graph.spec.page_size, 8192u);
  EXPECT_EQ(of_mmu(by_map), 8192);
}

TEST(Defaults, WeightsOfOperationsExistOnlyWhenWrittenP41) {
  const auto math = [](const LoadedTopology& loaded) {
    return loaded.graph.node(*loaded.graph.find_node("sip0.cube0.pe0.pe_math"));
  };
  const LoadedTopology loaded = minimal({{"cube.pe_template.components.pe_math.attrs.weight_exp", "4"}});
  EXPECT_EQ(test::number(math(loaded), "weight_exp"), 4.0);
  EXPECT_EQ(loaded.config.at("cube.pe_template.components.pe_math.attrs.weight_exp").origin, "--set");
  EXPECT_EQ(math(loaded).params.find("weight_add"), std::nullopt);
  EXPECT_EQ(math(minimal()).params.find("weight_exp"), std::nullopt);
}

TEST(Defaults, ARateByDtypeKeepsTheNumberAsThatOfF16) {  // P-40
  const std::string key = "cube.pe_template.components.pe_gemm.attrs.mac_per_ns";
  const auto rates = [](const LoadedTopology& loaded) {
    return loaded.graph.node(*loaded.graph.find_node("sip0.cube0.pe0.pe_gemm"))
        .params.as<params::PeGemmParams>()
        .macs_per_ns;
  };
  EXPECT_EQ(rates(minimal()).of(Dtype::i8), MacRate(8192.0));
  const LoadedTopology number = minimal({{key, "1000"}, {key + ".i8", "5000"}});
  EXPECT_EQ(rates(number).of(Dtype::f16), MacRate(1000.0));
  EXPECT_EQ(rates(number).of(Dtype::i8), MacRate(5000.0));
  EXPECT_EQ(rates(number).of(Dtype::f32), MacRate(500.0));
  EXPECT_EQ(number.config.at(key + ".i8").origin, "--set");
  EXPECT_EQ(number.config.count(key + ".f32"), 0u);
  const LoadedTopology all = minimal({{key, "{f16: 7, bf16: 6, f32: 5, i8: 4, i16: 3, i32: 2, i64: 1}"}});
  EXPECT_EQ(rates(all).of(Dtype::i64), MacRate(1.0));
  EXPECT_EQ(rates(minimal({{key + ".i8", "1"}, {key, "2000"}})).of(Dtype::i8), MacRate(4000.0));
}

TEST(Warnings, ConnectionsThatDoNotMatchTheUcieLinkT37) {
  EXPECT_TRUE(minimal().warnings.empty());
  const LoadedTopology loaded = minimal({{"cube.links.ucie_link_bw_gbs", "1024"}});
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_EQ(loaded.warnings[0].text(),
            "--set: cube.links.ucie_link_bw_gbs: 4 connections of 128 GB/s do not match a UCIe link of 1024 GB/s (8 "
            "connections would)");
}

TEST(Warnings, AGridOfSipsLaysNoWiresT14) {
  const LoadedTopology ring = minimal({{"system.sips.count", "4"}, {"system.sips.topology", "ring_1d"}});
  EXPECT_TRUE(ring.warnings.empty());
  const LoadedTopology torus = minimal({{"system.sips.count", "4"}, {"system.sips.topology", "torus_2d"}});
  ASSERT_EQ(torus.warnings.size(), 1u);
  EXPECT_EQ(
      torus.warnings[0].text(),
      "--set: system.sips.topology: 'torus_2d' lays no wires: every SIP has its links to the switch and no others "
      "(it is the order in which collectives see the SIPs)");
  EXPECT_EQ(torus.graph.edges.size(), ring.graph.edges.size());
}

TEST(Warnings, PartsThatCanNeverPayT37) {
  const auto warning = [](const Overrides& overrides) {
    const LoadedTopology loaded = minimal(overrides);
    EXPECT_EQ(loaded.warnings.size(), 1u);
    return loaded.warnings.empty() ? std::string() : loaded.warnings[0].text();
  };
  EXPECT_EQ(
      warning({{"cube.links.pe_to_router_bw_gbs", "200"}}),
      "--set: cube.links.pe_to_router_bw_gbs: the HBM slice of a PE delivers 256 GB/s, but the PE's link takes 200 "
      "(a link of 256 GB/s would use it)");
  EXPECT_EQ(
      warning({{"system.sips.count", "2"}, {"system.links.io_ep_to_switch_bw_gbs", "64"}}),
      "--set: system.links.io_ep_to_switch_bw_gbs: a port of the switch has 64 GB/s, but io0 of a SIP can fill 256 "
      "(ports of 256 GB/s would not be the limit)");
  // 4 KiB in 16 ns, and 4 + 8 + 34 + 1 ns of latency.
  EXPECT_EQ(
      warning({{"cube.components.hbm_ctrl.attrs.access_ns", "34"}}),
      "--set: cube.components.hbm_ctrl.attrs.access_ns: a PE that loads tiles of 4096 B has 1 of them under way, each "
      "47 ns longer than its bytes take at 256 GB/s: 25 % of the bandwidth "
      "(cube.pe_template.components.pe_dma.attrs.rd_outstanding: 4 would use all of it)");
  EXPECT_TRUE(minimal({{"cube.components.hbm_ctrl.attrs.access_ns", "34"},
                       {"cube.pe_template.components.pe_dma.attrs.rd_outstanding", "4"}})
                  .warnings.empty());
  // The same for stores, which do not wait for access_ns: 16 ns of data, and 4 + 8 + 1 + 10 ns of latency.
  const LoadedTopology slow = minimal({{"cube.pe_template.components.pe_dma.attrs.overhead_ns", "5"},
                                       {"cube.pe_template.components.pe_dma.attrs.rd_outstanding", "4"}});
  ASSERT_EQ(slow.warnings.size(), 1u);
  EXPECT_EQ(
      slow.warnings[0].text(),
      "--set: cube.pe_template.components.pe_dma.attrs.overhead_ns: a PE that stores tiles of 4096 B has 1 of them "
      "under way, each 23 ns longer than its bytes take at 256 GB/s: 41 % of the bandwidth "
      "(cube.pe_template.components.pe_dma.attrs.wr_outstanding: 3 would use all of it)");
  EXPECT_TRUE(minimal({{"cube.pe_template.components.pe_dma.attrs.overhead_ns", "5"},
                       {"cube.pe_template.components.pe_dma.attrs.rd_outstanding", "4"},
                       {"cube.pe_template.components.pe_dma.attrs.wr_outstanding", "3"}})
                  .warnings.empty());
}

}  // namespace
}  // namespace kb::topology
