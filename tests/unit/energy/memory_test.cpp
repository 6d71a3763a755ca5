// Memories with and without counted rows, and bad statistics of nobody (E-115, E-116).
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "platform/topology/topology.h"
#include "sim/analysis/energy/energy_account.h"

namespace kb::sim {
namespace {

constexpr const char* kMachine = R"(
system: { sips: { count: 1 } }
sip: { cube_mesh: { w: 1, h: 1 } }
cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }
energy: { defaults: hbm2_7nm }
)";

class EnergyOfMemory : public testing::Test {
 protected:
  explicit EnergyOfMemory(const std::string& machine = kMachine)
      : machine_(topology::load_text(machine, "t.yaml")), work_(machine_.graph) {
    hbm_ = *machine_.graph.find_node("sip0.cube0.hbm_ctrl.pe0");
    router_ = *machine_.graph.find_node("sip0.cube0.r0c0");
  }
  // `read` leaves the memory for its router, `written` comes from there.
  void moved(std::int64_t read, std::int64_t written) {
    statistics_.add(hbm_, "to_sip0.cube0.r0c0.bytes", read);
    statistics_.add(router_, "to_sip0.cube0.hbm_ctrl.pe0.bytes", written);
  }
  EnergyRecord account() {
    const EnergyInput input{machine_.graph, statistics_, work_, declared_, nullptr, 1000_ns};
    return account_energy(input, {});
  }
  static double hbm_pj(const EnergyRecord& record) {
    for (const EnergyPart& part : record.parts) {
      if (part.name == "hbm") return static_cast<double>(part.energy.value) / 1000.0;
    }
    return 0.0;
  }
  static std::map<std::string, std::uint64_t> counts(const EnergyRecord& record) {
    std::map<std::string, std::uint64_t> all;
    for (const EnergyEvent& event : record.events) all[event.part + '.' + event.name] = event.count;
    return all;
  }

  topology::LoadedTopology machine_;
  EngineWork work_;
  StatisticTable statistics_;
  std::vector<resource::DeclaredUse> declared_;
  NodeId hbm_, router_;
};

constexpr const char* kBanks = R"(
system: { sips: { count: 1 } }
sip: { cube_mesh: { w: 1, h: 1 } }
cube:
  pe_layout: { corners: [NW], pe_per_corner: 1 }
  memory_map: { hbm_total_gb_per_cube: 1, hbm_channels_per_pe: 2, hbm_channel_bw_gbs: 16.0 }
  components: { hbm_ctrl: { impl: builtin.hbm_banked, attrs: { preset: hbm2_vega, refresh: all_bank } } }
energy: { defaults: hbm2_7nm }
)";

// Counts and picojoules of DRAMsim3 (commit 2981759, HBM2_8Gb_x128.ini with one channel, 400000 cycles) for 20000
// accesses of 64 B, one each 2 ns.
struct OfDramsim3 {
  std::int64_t activations, reads, writes, refreshes;
  double act_pj, read_pj, write_pj, refresh_pj;
  double pj() const { return act_pj + read_pj + write_pj + refresh_pj; }
};
constexpr OfDramsim3 kSequential{665, 20000, 0, 102, 550620, 1.608e7, 0, 6.20568e6};
constexpr OfDramsim3 kRandom{20050, 19998, 0, 102, 1.66014e7, 1.60784e7, 0, 6.20568e6};
constexpr OfDramsim3 kRandomMix{20103, 9844, 10156, 102, 1.66453e7, 7.91458e6, 1.08466e7, 6.20568e6};

class EnergyOfBanks : public EnergyOfMemory {
 protected:
  EnergyOfBanks() : EnergyOfMemory(kBanks) {}
  // Without the interposer, which DRAMsim3 has not.
  double pj_in_stack(const OfDramsim3& counts) {
    statistics_ = StatisticTable();
    moved(counts.reads * 64, counts.writes * 64);
    statistics_.add(hbm_, "acts", counts.activations);
    statistics_.add(hbm_, "refreshes", counts.refreshes);
    double pj = 0;
    for (const EnergyEvent& event : account().events) {
      if (event.part == "hbm" && event.name != "io_bit") pj += static_cast<double>(event.energy.value) / 1000.0;
    }
    return pj;
  }
};

TEST_F(EnergyOfBanks, RandomAgainstSequentialIsWhatDramsim3Says_E115) {
  const double sequential = pj_in_stack(kSequential);
  EXPECT_NEAR(sequential / kSequential.pj(), 1, 0.01);
  EXPECT_NEAR(pj_in_stack(kRandom) / sequential / (kRandom.pj() / kSequential.pj()), 1, 0.01);
  EXPECT_NEAR(pj_in_stack(kRandomMix) / sequential / (kRandomMix.pj() / kSequential.pj()), 1, 0.01);
}

TEST_F(EnergyOfMemory, WithoutBanksABitCosts3_9Picojoules_E115) {
  moved(4096, 1024);
  const EnergyRecord record = account();
  EXPECT_DOUBLE_EQ(hbm_pj(record), (4096 + 1024) * 8 * 3.9);
  EXPECT_EQ(record.memory_bytes, 5120u);
  EXPECT_EQ(counts(record).count("hbm.read_bit"), 0u);
}

TEST_F(EnergyOfMemory, WithBanksItsEventsCountInstead_E115) {
  moved(4096, 1024);
  statistics_.add(hbm_, "acts", 7);
  statistics_.add(hbm_, "refreshes", 3);
  statistics_.add(hbm_, "row_hits", 100);
  const EnergyRecord record = account();
  const auto all = counts(record);
  EXPECT_EQ(all.count("hbm.bit"), 0u);
  EXPECT_EQ(all.at("hbm.act"), 7u);
  EXPECT_EQ(all.at("hbm.refresh"), 3u);
  EXPECT_EQ(all.at("hbm.read_bit"), 4096u * 8);
  EXPECT_EQ(all.at("hbm.write_bit"), 1024u * 8);
  EXPECT_EQ(all.at("hbm.io_bit"), 5120u * 8);
  EXPECT_DOUBLE_EQ(hbm_pj(record), 7 * 828 + 3 * 3800 + 4096 * 8 * 1.57 + 1024 * 8 * 2.09 + 5120 * 8 * 0.3);
  EXPECT_EQ(record.memory_bytes, 5120u);
}

// Streams of 32 B accesses of HBM2, from none to every second one with an activation.
TEST_F(EnergyOfMemory, AQuarterOfRowMissesCosts2_5To5PicojoulesPerBit_E115) {
  moved(32 * 4000, 0);
  statistics_.add(hbm_, "acts", 1000);
  const double per_bit = hbm_pj(account()) / (32 * 4000 * 8);
  EXPECT_GT(per_bit, 2.5);
  EXPECT_LT(per_bit, 5.0);
  EXPECT_NEAR(per_bit, 1.57 + 0.3 + 828.0 / (4 * 256), 1e-6);
}

TEST_F(EnergyOfMemory, PartsAndEventsAddUpToTheTotal_E114) {
  moved(12345, 6789);
  statistics_.add(hbm_, "acts", 41);
  const EnergyRecord record = account();
  energy::Energy parts, events;
  for (const EnergyPart& part : record.parts) parts.add(part.energy);
  for (const EnergyEvent& event : record.events) events.add(event.energy);
  EXPECT_EQ(parts, record.total);
  EXPECT_EQ(events, record.total);
  EXPECT_GT(record.total.value, 0u);
}

TEST_F(EnergyOfMemory, WhatHasNoCoefficientIsListed_E117) {
  machine_ = topology::load_text(std::string(kMachine), "t.yaml", {{"energy.defaults", "none"}});
  moved(4096, 0);
  const EnergyRecord record = account();
  EXPECT_EQ(record.total.value, 0u);
  ASSERT_FALSE(record.not_counted.empty());
  EXPECT_EQ(record.not_counted.front(), "32768 bit of hbm (energy.hbm.bit)");
}

TEST_F(EnergyOfMemory, StaticPowerCountsForTheWholeRun_E116) {
  machine_ = topology::load_text(std::string(kMachine), "t.yaml",
                                 {{"energy.hbm.static", "{w: 2, low: 1, high: 4, source: a board}"}});
  const EnergyRecord record = account();  // 1000 ns
  EXPECT_EQ(record.total, (energy::Energy{2'000'000'000, 1'000'000'000, 4'000'000'000}));
}

}  // namespace
}  // namespace kb::sim
