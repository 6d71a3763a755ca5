// The analytic model of the GEMM sweep takes its constants from the machine (E-29, E-30).
#include "sim/evaluate/gemm/gemm_model.h"

#include <gtest/gtest.h>

namespace kb::evaluate {
namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;

GemmPlatform platform(const Overrides& overrides = {}) {
  const topology::LoadedTopology machine = topology::load(KB_SOURCE_DIR "/configs/one_pe.yaml", overrides);
  return gemm_platform(machine, PeCoord{SipId(0), CubeId(0), PeId(0)});
}

constexpr const char* kPe = "cube.pe_template.components.";
const GemmVariant kRef{"ref", false, false}, kLoadRef{"load_ref", true, false}, kLoad{"load", true, true};

TEST(GemmModel, ConstantsOfTheDefaultMachine_E30) {
  const GemmPlatform found = platform();
  EXPECT_EQ(found.tile.m, 32);
  EXPECT_EQ(found.tile.k, 64);
  EXPECT_EQ(found.tile.n, 32);
  EXPECT_DOUBLE_EQ(found.tile_ns(), 16.0);
  EXPECT_DOUBLE_EQ(found.link_gbs, 256.0);
  EXPECT_DOUBLE_EQ(found.fetch_gbs, 512.0);
  EXPECT_EQ(found.pipeline_stages, 3);
  // What the simulation takes for a read of 4096 B is 29.000004 ns.
  EXPECT_DOUBLE_EQ(found.read_latency_ns + 4096 / found.link_gbs, 29.000004);
}

TEST(GemmModel, ConstantsFollowTheTopology_E30) {
  EXPECT_DOUBLE_EQ(platform({{std::string(kPe) + "pe_gemm.attrs.mac_per_ns", "8192"}}).tile_ns(), 8.0);
  EXPECT_DOUBLE_EQ(platform({{std::string(kPe) + "pe_gemm.attrs.overhead_ns", "20"}}).tile_ns(), 20.0);
  EXPECT_EQ(platform({{std::string(kPe) + "pe_scheduler.attrs.tile_k", "128"}}).tile.k, 128);
  EXPECT_EQ(platform({{std::string(kPe) + "pe_dma.attrs.rd_engines", "2"}}).rd_engines, 2);
  EXPECT_DOUBLE_EQ(platform({{std::string(kPe) + "pe_tcm.attrs.read_bw_gbs", "100"}}).fetch_gbs, 100.0);
  EXPECT_DOUBLE_EQ(platform({{"cube.pe_template.links.fetch_store_to_tcm_bw_gbs", "0"}}).fetch_gbs, 512.0);
  EXPECT_DOUBLE_EQ(platform({{"cube.pe_template.links.fetch_store_to_tcm_bw_gbs", "64"}}).fetch_gbs, 64.0);
  const GemmPlatform narrow = platform({{"cube.links.pe_to_router_bw_gbs", "64"}});
  EXPECT_DOUBLE_EQ(narrow.link_gbs, 64.0);
}

// 16 T / (T interval + 2 * 16), interval = max(16, streamed bytes / 256).
TEST(GemmModel, TheIdealPipelineIsTheFormulaOfE29) {
  const GemmPlatform machine = platform();
  const GemmShape deep{32, 3072, 32};
  EXPECT_DOUBLE_EQ(gemm_theory(machine, deep, kLoadRef, false).utilisation, 16.0 * 48 / (48 * 16 + 32));
  EXPECT_DOUBLE_EQ(gemm_theory(machine, deep, kRef, false).utilisation, 16.0 * 48 / (48 * 32 + 32));
  EXPECT_DOUBLE_EQ(gemm_theory(machine, deep, kLoad, false).utilisation, 16.0 * 48 / (48 * 16 + 32));
  EXPECT_DOUBLE_EQ(gemm_theory(machine, deep, kLoadRef, false).bound, 1.0);
}

TEST(GemmModel, AReadHoldsItsEngineForTheRoundTrip_P37) {
  GemmPlatform machine = platform();
  const GemmShape deep{32, 3072, 32};
  EXPECT_DOUBLE_EQ(gemm_theory(machine, deep, kLoadRef, true).bound, 16.0 / 29.000004);
  EXPECT_DOUBLE_EQ(gemm_theory(machine, deep, kRef, true).bound, 16.0 / 58.000008);
  EXPECT_DOUBLE_EQ(gemm_theory(machine, deep, kLoad, true).bound, 1.0);
  machine.rd_engines = 2;
  EXPECT_DOUBLE_EQ(gemm_theory(machine, deep, kLoadRef, true).bound, 1.0);
  machine.fetch_gbs = 128;  // 8192 B of a tile take 64 ns
  EXPECT_DOUBLE_EQ(gemm_theory(machine, deep, kLoadRef, true).bound, 0.25);
}

TEST(GemmModel, PaddingIsNoUsefulWork_E28) {
  const plan::TileShape tile{32, 64, 32};
  EXPECT_DOUBLE_EQ(useful_share({32, 64, 32}, tile), 1.0);
  EXPECT_DOUBLE_EQ(useful_share({16, 16, 16}, tile), 1.0 / 16);
  EXPECT_DOUBLE_EQ(useful_share({33, 64, 32}, tile), 33.0 / 64);
}

}  // namespace
}  // namespace kb::evaluate
