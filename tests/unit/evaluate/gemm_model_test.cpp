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
  EXPECT_DOUBLE_EQ(found.read_ns(4096), 29.000004);
  EXPECT_DOUBLE_EQ(found.read_latency_ns(), 13.000004);
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
  EXPECT_DOUBLE_EQ(narrow.write_link_gbs, 64.0);
  EXPECT_DOUBLE_EQ(narrow.memory_gbs, 256.0);
  EXPECT_DOUBLE_EQ(platform({{std::string(kPe) + "pe_tcm.attrs.write_bw_gbs", "100"}}).store_gbs, 100.0);
  EXPECT_DOUBLE_EQ(platform({{std::string(kPe) + "pe_fetch_store.attrs.overhead_ns", "3"}}).fetch_overhead_ns, 3.0);
  EXPECT_EQ(platform({{std::string(kPe) + "pe_dma.attrs.wr_engines", "3"}}).wr_engines, 3);
}

// A translation is paid once per access, by the unit that the address model uses; PE_DMA's overhead at both ends.
TEST(GemmModel, AReadPaysForTranslationAndForPeDma_E30) {
  const auto read_ns = [](const Overrides& overrides) { return platform(overrides).read_ns(4096); };
  const std::pair<std::string, std::string> tlb{std::string(kPe) + "pe_mmu.attrs.tlb_overhead_ns", "12"};
  const std::pair<std::string, std::string> baaw{std::string(kPe) + "pe_dma.attrs.baaw_overhead_ns", "5"};
  const auto model = [](const char* name) {
    return std::pair<std::string, std::string>{"cube.memory_map.address_model", name};
  };
  EXPECT_DOUBLE_EQ(read_ns({tlb, baaw, model("pa")}), 29.000004);
  EXPECT_DOUBLE_EQ(read_ns({tlb, baaw, model("va")}), 41.000004);
  EXPECT_DOUBLE_EQ(read_ns({tlb, baaw, model("la")}), 34.000004);
  EXPECT_DOUBLE_EQ(read_ns({{std::string(kPe) + "pe_dma.attrs.overhead_ns", "2"}}), 33.000004);
}

// 16 T / (T interval + 2 * 16), interval = max(16, streamed bytes / 256).
TEST(GemmModel, TheIdealPipelineIsTheFormulaOfE29) {
  const GemmPlatform machine = platform();
  const GemmShape deep{32, 3072, 32};
  EXPECT_DOUBLE_EQ(ideal_theory(machine, deep, kLoadRef).utilisation, 16.0 * 48 / (48 * 16 + 32));
  EXPECT_DOUBLE_EQ(ideal_theory(machine, deep, kRef).utilisation, 16.0 * 48 / (48 * 32 + 32));
  EXPECT_DOUBLE_EQ(ideal_theory(machine, deep, kLoad).utilisation, 16.0 * 48 / (48 * 16 + 32));
  EXPECT_DOUBLE_EQ(ideal_theory(machine, deep, kLoadRef).bound, 1.0);
}

TEST(GemmModel, AReadHoldsItsEngineForTheRoundTrip_P37) {
  GemmPlatform machine = platform();
  const GemmShape deep{32, 3072, 32};
  EXPECT_DOUBLE_EQ(round_trip_theory(machine, deep, kLoadRef).bound, 16.0 / 29.000004);
  EXPECT_DOUBLE_EQ(round_trip_theory(machine, deep, kRef).bound, 16.0 / 58.000008);
  EXPECT_DOUBLE_EQ(round_trip_theory(machine, deep, kLoad).bound, 1.0);
  machine.rd_engines = 2;  // now the slice's channels are the limit: 48 tiles of B and one of C
  EXPECT_DOUBLE_EQ(round_trip_theory(machine, deep, kLoadRef).bound, 16.0 * 48 / (48 * 16 + 8));
  machine.fetch_gbs = 128;  // 8192 B of a tile take 64 ns
  EXPECT_DOUBLE_EQ(round_trip_theory(machine, deep, kLoadRef).bound, 0.25);
}

// FETCH and STORE take their turn like products: the slowest counts, whichever it is.
TEST(GemmModel, SlowStoresAndFetchOverheadsCount_E29) {
  GemmPlatform machine = platform();
  const GemmShape wide{32, 64, 3200};  // 100 output tiles of one step
  EXPECT_DOUBLE_EQ(ideal_theory(machine, wide, kLoad).bound, 1.0);
  machine.store_gbs = 32;  // 2048 B take 64 ns
  EXPECT_DOUBLE_EQ(ideal_theory(machine, wide, kLoad).bound, 0.25);
  machine.store_gbs = 512;
  machine.fetch_overhead_ns = 16;  // 16 + 16 ns of a FETCH
  EXPECT_DOUBLE_EQ(ideal_theory(machine, wide, kLoad).bound, 0.5);
}

// Nothing else than reads, one after the other, and what the last one has still before it: what is simulated, too.
TEST(GemmModel, ALongLoopIsFilledAndDrained_E29) {
  const GemmPlatform machine = platform();
  const double drain = 16 + 16 + 4 + machine.write_ns(2048);
  EXPECT_DOUBLE_EQ(round_trip_theory(machine, {32, 3072, 32}, kLoadRef).total_ns, 48 * 29.000004 + drain);
}

TEST(GemmModel, PaddingIsNoUsefulWork_E28) {
  const GemmPlatform found = platform();
  EXPECT_DOUBLE_EQ(useful_share(found, {32, 64, 32}), 1.0);
  EXPECT_DOUBLE_EQ(useful_share(found, {16, 16, 16}), 1.0 / 16);
  EXPECT_DOUBLE_EQ(useful_share(found, {33, 64, 32}), 33.0 / 64);
  const GemmPlatform fine = platform({{std::string(kPe) + "pe_gemm.attrs.gemm_granularity", "16x16x16"}});
  EXPECT_DOUBLE_EQ(useful_share(fine, {16, 16, 16}), 1.0);
  EXPECT_DOUBLE_EQ(fine.product_ns(16, 16, 16), 1.0);
  const GemmPlatform small = platform({{std::string(kPe) + "pe_scheduler.attrs.tile_m", "16"}});
  EXPECT_DOUBLE_EQ(useful_share(small, {32, 64, 32}), 0.5);
  EXPECT_DOUBLE_EQ(array_ns(small, {32, 64, 32}), 32.0);
}

}  // namespace
}  // namespace kb::evaluate
