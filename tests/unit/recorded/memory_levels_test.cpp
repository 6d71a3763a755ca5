// What a byte counts for in a roofline, and which roof is above it: numbers are worked out by hand. H-82o.
#include "sim/analysis/recorded/memory_levels.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace kb::analysis {
namespace {

using data::ActivityTables;

// Two cubes with a PE each: HBM slices of 4 channels with 32 GB/s, whose wires have an efficiency of 0.75.
constexpr const char* kTopology = R"({"nodes": [
  {"id": "sip0.cube0.pe0.pe_cpu", "kind": "pe_cpu", "coord": {"sip": 0, "cube": 0, "pe": 0}},
  {"id": "sip0.cube1.pe0.pe_cpu", "kind": "pe_cpu", "coord": {"sip": 0, "cube": 1, "pe": 0}},
  {"id": "sip0.cube0.hbm_ctrl.pe0", "kind": "hbm_ctrl", "coord": {"sip": 0, "cube": 0, "pe": 0}, "attrs": {"num_pcs": 4}},
  {"id": "sip0.cube0.pe0.pe_tcm", "kind": "pe_tcm", "coord": {"sip": 0, "cube": 0, "pe": 0}, "attrs": {"read_bw_gbs": 512, "write_bw_gbs": 200}}],
  "edges": [
  {"src": "sip0.cube0.hbm_ctrl.pe0", "dst": "sip0.cube0.r0c0", "kind": "hbm_to_router", "bw_gbs": 96},
  {"src": "sip0.cube0.r0c0", "dst": "sip0.cube0.hbm_ctrl.pe0", "kind": "router_to_hbm", "bw_gbs": 96},
  {"src": "sip0.cube0.pe0.pe_fetch_store", "dst": "sip0.cube0.pe0.pe_tcm", "kind": "pe_internal", "bw_gbs": 256},
  {"src": "sip0.cube0.pe0.pe_dma", "dst": "sip0.cube0.r0c0", "kind": "pe_to_router", "bw_gbs": 256},
  {"src": "sip0.cube0.r0c0", "dst": "sip0.cube0.pe0.pe_dma", "kind": "router_to_pe", "bw_gbs": 256},
  {"src": "sip0.cube0.sram", "dst": "sip0.cube0.r0c0", "kind": "sram_to_router", "bw_gbs": 128},
  {"src": "sip0.cube0.r0c0", "dst": "sip0.cube0.sram", "kind": "router_to_sram", "bw_gbs": 128},
  {"src": "sip0.cube0.ucie-E", "dst": "sip0.cube1.ucie-W", "kind": "ucie_mesh", "bw_gbs": 512},
  {"src": "sip0.cube1.ucie-W", "dst": "sip0.cube0.ucie-E", "kind": "ucie_mesh", "bw_gbs": 512},
  {"src": "sip0.io0.io_ucie-P0", "dst": "sip0.cube0.ucie-N", "kind": "io_to_cube", "bw_gbs": 64},
  {"src": "fabric.switch0", "dst": "sip0.io0.pcie_ep", "kind": "pcie", "bw_gbs": 32},
  {"src": "sip0.io0.pcie_ep", "dst": "fabric.switch0", "kind": "pcie", "bw_gbs": 32}],
  "spec": {"cube": {"memory_map": {"hbm_channel_bw_gbs": 32}}}})";

class MemoryLevelsTest : public ::testing::Test {
 protected:
  MemoryLevelsTest() { tables_.epochs.push_back({0, 1, 0, 1000, 1}); }

  void used(const std::string& component, const std::string& kind, const std::string& name, std::int64_t bytes) {
    tables_.series.push_back({component, kind, name, 1, coord_of(component)});
    tables_.rows.push_back({0, tables_.series.size() - 1, 500, 0, bytes, 0, ""});
  }
  void wire(const std::string& from, const std::string& to, std::int64_t bytes) {
    used(from, "wire", "to_" + to, bytes);
    tables_.series.back().peer = to;
    tables_.series.back().peer_coord = coord_of(to);
  }
  // Where the nodes of the test stand: those that belong to a PE, those of a cube, and those of an IO chiplet.
  static NodeCoord coord_of(const std::string& id) {
    static const std::map<std::string, NodeCoord> coords = {
        {"sip0.cube0.hbm_ctrl.pe0", {SipId(0), "", CubeId(0), PeId(0)}},
        {"sip0.cube0.pe0.pe_dma", {SipId(0), "", CubeId(0), PeId(0)}},
        {"sip0.cube0.pe0.pe_fetch_store", {SipId(0), "", CubeId(0), PeId(0)}},
        {"sip0.cube0.pe0.pe_cpu", {SipId(0), "", CubeId(0), PeId(0)}},
        {"sip0.cube1.pe0.pe_cpu", {SipId(0), "", CubeId(1), PeId(0)}},
        {"sip0.cube1.pe0.pe_fetch_store", {SipId(0), "", CubeId(1), PeId(0)}},
        {"sip0.cube0.r0c0", {SipId(0), "", CubeId(0), PeId()}},
        {"sip0.cube0.sram", {SipId(0), "", CubeId(0), PeId()}},
        {"sip0.cube0.ucie-E", {SipId(0), "", CubeId(0), PeId()}},
        {"sip0.cube0.ucie-N", {SipId(0), "", CubeId(0), PeId()}},
        {"sip0.cube1.ucie-W", {SipId(0), "", CubeId(1), PeId()}},
        {"sip0.io0.io_ucie-P0", {SipId(0), "io0", CubeId(), PeId()}},
        {"sip0.io0.pcie_ep", {SipId(0), "io0", CubeId(), PeId()}},
        {"fabric.switch0", {}}};
    return coords.at(id);
  }
  static Scope sip(std::uint32_t number) { return Scope(NodeCoord{SipId(number), "", CubeId(), PeId()}); }
  // Name, bytes and roof of each level.
  std::vector<std::tuple<std::string, double, double>> levels(const Scope& part = sip(0)) const {
    const Activity activity(tables_);
    std::vector<std::tuple<std::string, double, double>> found;
    for (const MemoryLevel& level : memory_levels(activity, activity.uses(0, 1000), machine_, part)) {
      found.emplace_back(level.name, level.bytes, level.gbs);
    }
    return found;
  }
  using Levels = std::vector<std::tuple<std::string, double, double>>;

  const Machine machine_{nlohmann::ordered_json::parse(kTopology), "the test"};
  ActivityTables tables_;
};

TEST_F(MemoryLevelsTest, ReadsOfHbmAreLimitedByTheEfficiencyOfTheirWires) {
  used("sip0.cube0.hbm_ctrl.pe0", "memory", "pc0", 4000);
  wire("sip0.cube0.hbm_ctrl.pe0", "sip0.cube0.r0c0", 4000);
  EXPECT_EQ(levels(), (Levels{{"HBM", 4000, 96}}));
}

TEST_F(MemoryLevelsTest, ReadsAndWritesOfHbmHaveAWireEachAndShareTheChannels) {
  used("sip0.cube0.hbm_ctrl.pe0", "memory", "pc0", 4000);
  wire("sip0.cube0.hbm_ctrl.pe0", "sip0.cube0.r0c0", 3200);
  wire("sip0.cube0.r0c0", "sip0.cube0.hbm_ctrl.pe0", 800);
  EXPECT_EQ(levels(), (Levels{{"HBM", 4000, 120}})) << "96 GB/s for four fifths of the bytes";
  wire("sip0.cube0.r0c0", "sip0.cube0.hbm_ctrl.pe0", 1600);
  EXPECT_EQ(levels(), (Levels{{"HBM", 4000, 128}})) << "96 GB/s each way are more than the channels have";
}

TEST_F(MemoryLevelsTest, SlicesOfPesThatRanAndThoseThatWereUsedHaveARoof) {
  used("sip0.cube0.hbm_ctrl.pe0", "memory", "pc0", 4000);
  used("sip0.cube1.pe0.pe_cpu", "state", "dma", 0);
  EXPECT_EQ(levels(), (Levels{{"HBM", 4000, 192}}));
  const Activity activity(tables_);
  EXPECT_EQ(active_pes(activity, activity.uses(0, 1000), sip(0)), 1u);
  EXPECT_EQ(active_pes(activity, activity.uses(0, 1000), sip(1)), 0u);
}

// A controller of a plug-in declares banks and a bus: each byte passes both and counts once.
TEST_F(MemoryLevelsTest, BytesCountOnceThoughTheyPassSeveralResources) {
  for (const auto& [name, resource, bytes] :
       {std::tuple("bank0", "bank", 1500), {"bank1", "bank", 2500}, {"bus", "bus", 4000}}) {
    used("sip0.cube0.hbm_ctrl.pe0", "memory", name, bytes);
    tables_.series.back().resource = resource;
  }
  wire("sip0.cube0.hbm_ctrl.pe0", "sip0.cube0.r0c0", 4000);
  EXPECT_EQ(levels(), (Levels{{"HBM", 4000, 96}}));
}

TEST_F(MemoryLevelsTest, TheFullerDirectionCounts) {
  wire("sip0.cube0.pe0.pe_dma", "sip0.cube0.r0c0", 100);
  wire("sip0.cube0.r0c0", "sip0.cube0.pe0.pe_dma", 900);
  wire("sip0.cube0.sram", "sip0.cube0.r0c0", 300);
  wire("sip0.cube0.r0c0", "sip0.cube0.sram", 50);
  EXPECT_EQ(levels(), (Levels{{"SRAM", 300, 128}, {"link", 900, 256}}));
  EXPECT_EQ(levels(sip(1)), Levels());
}

TEST_F(MemoryLevelsTest, TheTcmIsAsFastAsItsPortOrTheWireToIt) {
  used("sip0.cube0.pe0.pe_fetch_store", "tcm", "fetch", 1000);
  used("sip0.cube0.pe0.pe_fetch_store", "tcm", "store", 500);
  EXPECT_EQ(levels(), (Levels{{"TCM", 1000, 256}}));
  used("sip0.cube1.pe0.pe_fetch_store", "tcm", "store", 500);
  EXPECT_EQ(levels(), (Levels{{"TCM", 1000, 256}})) << "two stores of 500 B at 200 GB/s each take less time";
  used("sip0.cube1.pe0.pe_fetch_store", "tcm", "store", 2000);
  EXPECT_EQ(levels(), (Levels{{"TCM", 3000, 600}}));
}

TEST_F(MemoryLevelsTest, OfUcieAndPcieTheFullestWireStandsForAll) {
  wire("sip0.cube0.ucie-E", "sip0.cube1.ucie-W", 5000);
  wire("sip0.cube1.ucie-W", "sip0.cube0.ucie-E", 6000);
  EXPECT_EQ(levels(), (Levels{{"UCIe", 6000, 512}}));
  wire("sip0.io0.io_ucie-P0", "sip0.cube0.ucie-N", 1000);
  EXPECT_EQ(levels(), (Levels{{"UCIe", 1000, 64}})) << "it takes 16 ns and the others less than 12";
  wire("fabric.switch0", "sip0.io0.pcie_ep", 200);
  wire("sip0.io0.pcie_ep", "fabric.switch0", 100);
  EXPECT_EQ(levels(), (Levels{{"UCIe", 1000, 64}, {"PCIe", 200, 32}})) << "also the wire that only ends in the SIP";
}

}  // namespace
}  // namespace kb::analysis
