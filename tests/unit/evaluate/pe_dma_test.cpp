// Scenarios, peaks, parts of the latency and relations of the PE_DMA evaluation (E-49 .. E-59).
#include <gmock/gmock.h>

#include <functional>
#include <set>

#include "sim/evaluate/pe_dma/paths.h"
#include "sim/evaluate/pe_dma/pe_dma_evaluation.h"

namespace kb::evaluate {
namespace {

using testing::HasSubstr;

topology::LoadedTopology machine(const std::string& name) {
  return topology::load(std::string(KB_SOURCE_DIR "/configs/") + name + ".yaml");
}

std::vector<std::string> names_of(const std::vector<DmaScenario>& scenarios) {
  std::vector<std::string> names;
  for (const DmaScenario& scenario : scenarios) names.push_back(scenario.name);
  return names;
}

const DmaScenario& find(const std::vector<DmaScenario>& scenarios, const std::string& name) {
  for (const DmaScenario& scenario : scenarios) {
    if (scenario.name == name) return scenario;
  }
  throw std::runtime_error("no scenario " + name);
}

TEST(DmaScenarios, TheReferenceMachineHasAll_E49) {
  const std::vector<DmaScenario> all = dma_scenarios(machine("reference"));
  EXPECT_THAT(names_of(all),
              testing::ElementsAre("SAME_CUBE_PE_LOCAL", "SAME_CUBE_PE_REMOTE_BEST", "SAME_CUBE_PE_REMOTE_WORST",
                                   "REMOTE_CUBE_PE_REMOTE_BEST", "REMOTE_CUBE_PE_REMOTE_WORST", "REMOTE_SIP",
                                   "ctrl_hot_1", "ctrl_hot_2", "ctrl_hot_3", "ucie_eastbound", "all_pe_cube0_to_pe0",
                                   "sip_local_all", "sip_hotspot_pe0"));
  const std::map<std::string, std::size_t> issuers = {{"SAME_CUBE_PE_LOCAL", 1}, {"ctrl_hot_3", 3},
                                                      {"ucie_eastbound", 8},     {"all_pe_cube0_to_pe0", 8},
                                                      {"sip_local_all", 128},    {"sip_hotspot_pe0", 128}};
  for (const auto& [name, count] : issuers) EXPECT_EQ(find(all, name).flows.size(), count) << name;
  EXPECT_EQ(find(all, "REMOTE_CUBE_PE_REMOTE_WORST").flows[0].target.cube, CubeId(15));
  EXPECT_EQ(find(all, "REMOTE_SIP").flows[0].target.sip, SipId(1));
  for (const DmaFlow& flow : find(all, "ucie_eastbound").flows) {
    EXPECT_EQ(flow.target.cube, CubeId(1));
    EXPECT_EQ(flow.target.pe, flow.issuer.pe);
  }
  std::set<std::uint64_t> offsets;
  for (const DmaFlow& flow : find(all, "sip_hotspot_pe0").flows) offsets.insert(flow.offset);
  EXPECT_EQ(offsets.size(), 128u);  // nobody writes over another
}

TEST(DmaScenarios, SmallMachinesHaveWhatTheyCan) {
  EXPECT_THAT(names_of(dma_scenarios(machine("one_pe"))), testing::ElementsAre("SAME_CUBE_PE_LOCAL"));
  const std::vector<std::string> cube = names_of(dma_scenarios(machine("one_cube")));
  EXPECT_THAT(cube, testing::Contains("ctrl_hot_3"));
  EXPECT_THAT(cube, testing::Not(testing::Contains("REMOTE_SIP")));
  EXPECT_THAT(cube, testing::Not(testing::Contains("sip_local_all")));
}

TEST(DmaPaths, PeaksFollowTheWiresThatAreShared_E52_E53) {
  const topology::LoadedTopology reference = machine("reference");
  const std::vector<DmaScenario> all = dma_scenarios(reference);
  DmaPaths paths(reference, false);
  EXPECT_DOUBLE_EQ(paths.single_peak(find(all, "SAME_CUBE_PE_LOCAL").flows[0]), 256);
  EXPECT_DOUBLE_EQ(paths.single_peak(find(all, "REMOTE_CUBE_PE_REMOTE_BEST").flows[0]), 128);
  EXPECT_DOUBLE_EQ(paths.aggregate_peak(find(all, "all_pe_cube0_to_pe0").flows), 256);  // the partition's wire
  EXPECT_DOUBLE_EQ(paths.aggregate_peak(find(all, "sip_local_all").flows), 128 * 256);  // 128 wires of their own
}

// A lone 16 KiB transfer to the own slice is exactly the sum of its parts: 63 flits behind the first at 256 GB/s, 8 ns
// of one burst, a router of 2 ns, 1 ns on each wire.
TEST(DmaPaths, PartsOfALocalTransfer_E56_E57) {
  const topology::LoadedTopology small = machine("one_pe");
  const DmaFlow own = dma_scenarios(small)[0].flows[0];
  const DmaBreakdown write = DmaPaths(small, false).breakdown(own, kDmaBytes);
  EXPECT_DOUBLE_EQ(write.wire_transfer, 63);
  EXPECT_DOUBLE_EQ(write.hbm_ctrl, 8);
  EXPECT_DOUBLE_EQ(write.ucie, 0);
  EXPECT_DOUBLE_EQ(write.fabric, 0);
  EXPECT_NEAR(write.noc_mesh, 2 + 1 + 1, 1e-5);
  const DmaBreakdown read = DmaPaths(small, true).breakdown(own, kDmaBytes);
  EXPECT_NEAR(read.noc_mesh, 2 + 2 + 1 + 1, 1e-5);  // the command's way there, too
  EXPECT_NEAR(read.sum(), 77.000004, 1e-9);         // as simulated
}

// Every flit pays the overheads of pipelined nodes, the last one too: simulated, it is exactly this.
TEST(DmaPaths, TheLastFlitPaysTheNodesBehindTheNarrowestWire_E57) {
  const topology::LoadedTopology reference = machine("reference");
  const DmaFlow next = find(dma_scenarios(reference), "REMOTE_CUBE_PE_REMOTE_BEST").flows[0];
  const DmaBreakdown write = DmaPaths(reference, false).breakdown(next, kDmaBytes);
  EXPECT_DOUBLE_EQ(write.wire_transfer, 63 * 2);
  EXPECT_NEAR(write.sum(), 175.620006, 1e-9);
  EXPECT_NEAR(DmaPaths(reference, true).breakdown(next, kDmaBytes).sum(), 205.740012, 1e-9);
}

Json run(const char* direction, const char* scenario, const char* set, int issuers, double total, double single,
         double aggregate, double ucie) {
  const double bytes = 16384.0 * issuers;
  const double explained = 0.8 * total;
  return {{"direction", direction},
          {"scenario", scenario},
          {"set", set},
          {"issuers", issuers},
          {"bytes", bytes},
          {"total_ns", total},
          {"effective_gbs", bytes / total},
          {"single_peak_gbs", single},
          {"aggregate_peak_gbs", aggregate},
          {"util_single", bytes / total / single},
          {"util_aggregate", bytes / total / aggregate},
          {"breakdown_ns",
           {{"pe_setup", 0.0},
            {"noc_mesh", explained - ucie - 8 - 63},
            {"ucie", ucie},
            {"fabric", 0.0},
            {"wire_transfer", 63.0},
            {"hbm_ctrl", 8.0},
            {"contention", total - explained}}}};
}

Json good() {
  Json runs = Json::array();
  for (const char* direction : {"write", "read"}) {
    runs.push_back(run(direction, "SAME_CUBE_PE_LOCAL", "no_congestion", 1, 77, 256, 256, 0));
    runs.push_back(run(direction, "SAME_CUBE_PE_REMOTE_BEST", "no_congestion", 1, 80, 256, 256, 0));
    runs.push_back(run(direction, "SAME_CUBE_PE_REMOTE_WORST", "no_congestion", 1, 90, 256, 256, 0));
    runs.push_back(run(direction, "REMOTE_CUBE_PE_REMOTE_BEST", "no_congestion", 1, 170, 128, 128, 20));
    runs.push_back(run(direction, "REMOTE_CUBE_PE_REMOTE_WORST", "no_congestion", 1, 300, 128, 128, 90));
    runs.push_back(run(direction, "REMOTE_SIP", "no_congestion", 1, 250, 128, 128, 20));
    runs.push_back(run(direction, "ctrl_hot_1", "congestion", 1, 80, 256, 256, 0));
    runs.push_back(run(direction, "ctrl_hot_2", "congestion", 2, 150, 256, 256, 0));
    runs.push_back(run(direction, "ctrl_hot_3", "congestion", 3, 220, 256, 256, 0));
    runs.push_back(run(direction, "ucie_eastbound", "congestion", 8, 400, 128, 512, 20));
    runs.push_back(run(direction, "all_pe_cube0_to_pe0", "congestion", 8, 540, 256, 256, 0));
    runs.push_back(run(direction, "sip_local_all", "congestion", 128, 77, 256, 32768, 0));
  }
  return {{"bytes_per_issuer", 16384}, {"flit_bytes", 256}, {"machine", {{"hbm_overhead_ns", 0.0}}}, {"runs", runs}};
}

void set(Json& data, const char* scenario, const char* member, double value) {
  for (Json& found : data["runs"]) {
    if (found["scenario"] != scenario) continue;
    if (found.contains(member)) {
      found[member] = value;
    } else {
      found["breakdown_ns"][member] = value;
    }
  }
}

TEST(PeDmaChecks, AGoodSetPasses) {
  for (const Violation& violation : check_pe_dma(good())) ADD_FAILURE() << violation.rule << " " << violation.text;
}

TEST(PeDmaChecks, ANearerNextCubeIsNoMistake_E59) {
  Json data = good();
  set(data, "REMOTE_CUBE_PE_REMOTE_BEST", "total_ns", 89);
  set(data, "REMOTE_CUBE_PE_REMOTE_BEST", "contention", 20);
  for (const Violation& violation : check_pe_dma(data)) EXPECT_NE(violation.rule, "E-59.1") << violation.text;
}

// With slow controllers the first flit of a write waits there and the others close up: less time on the wire, and more
// issuers mean more first flits.
TEST(PeDmaChecks, SlowControllersTakeWireTimeOfWrites_E59) {
  Json data = good();
  for (Json& found : data["runs"]) {
    if (found["direction"] != "write") continue;
    if (found["scenario"] == "SAME_CUBE_PE_LOCAL") found["breakdown_ns"]["wire_transfer"] = 56.0;
    if (found["scenario"] == "ctrl_hot_3") {
      found["total_ns"] = 250.0;
      found["effective_gbs"] = 3 * 16384 / 250.0;
    }
  }
  std::vector<std::string> rules;
  for (const Violation& violation : check_pe_dma(data)) rules.push_back(violation.rule);
  EXPECT_THAT(rules, testing::UnorderedElementsAre("E-59.6", "E-59.11"));
  data["machine"]["hbm_overhead_ns"] = 20.0;
  EXPECT_THAT(check_pe_dma(data), testing::IsEmpty());
  for (Json& found : data["runs"]) found["direction"] = found["direction"] == "read" ? "write" : "read";
  EXPECT_EQ(check_pe_dma(data).size(), 2u);  // reads have no such excuse
}

TEST(PeDmaChecks, EachBrokenRelationIsNamed_E59) {
  const std::tuple<const char*, const char*, std::function<void(Json&)>> cases[] = {
      {"E-59.1", "SAME_CUBE_PE_REMOTE_WORST (79 ns) is not slower than SAME_CUBE_PE_REMOTE_BEST",
       [](Json& d) {
         set(d, "SAME_CUBE_PE_REMOTE_WORST", "total_ns", 79);
         set(d, "SAME_CUBE_PE_REMOTE_WORST", "contention", 0);
       }},
      {"E-59.1", "REMOTE_SIP (85 ns) is not slower than SAME_CUBE_PE_REMOTE_WORST (90 ns)",
       [](Json& d) {
         set(d, "REMOTE_SIP", "total_ns", 85);
         set(d, "REMOTE_SIP", "contention", -200);
       }},
      {"E-59.2", "101.00 % of the aggregate peak", [](Json& d) { set(d, "ctrl_hot_2", "util_aggregate", 1.01); }},
      {"E-59.3", "REMOTE_SIP: one issuer", [](Json& d) { set(d, "REMOTE_SIP", "util_single", 0.1); }},
      {"E-59.4", "by 2 issuers", [](Json& d) { set(d, "ctrl_hot_2", "util_single", 2.1); }},
      {"E-59.5", "is not bytes / time", [](Json& d) { set(d, "REMOTE_SIP", "effective_gbs", 99); }},
      {"E-59.6", "ctrl_hot_3 (150 ns) is not slower", [](Json& d) { set(d, "ctrl_hot_3", "total_ns", 150); }},
      {"E-59.6", "ctrl_hot_3 moves fewer bytes", [](Json& d) { set(d, "ctrl_hot_3", "effective_gbs", 100); }},
      {"E-59.7", "reaches 69.0 %", [](Json& d) { set(d, "all_pe_cube0_to_pe0", "util_aggregate", 0.69); }},
      {"E-59.8", "only one connection", [](Json& d) { set(d, "ucie_eastbound", "util_aggregate", 2.5); }},
      {"E-59.9", "SAME_CUBE_PE_LOCAL: 1 ns of UCIe", [](Json& d) { set(d, "SAME_CUBE_PE_LOCAL", "ucie", 1); }},
      {"E-59.9", "REMOTE_SIP: 0 ns of UCIe", [](Json& d) { set(d, "REMOTE_SIP", "ucie", 0); }},
      {"E-59.10", "SAME_CUBE_PE_REMOTE_BEST: 30.000 of 80.000 ns",
       [](Json& d) { set(d, "SAME_CUBE_PE_REMOTE_BEST", "contention", 30); }},
      {"E-59.10", "REMOTE_SIP: -1.000", [](Json& d) { set(d, "REMOTE_SIP", "contention", -1); }},
      {"E-59.11", "SAME_CUBE_PE_LOCAL: 59 ns on the wire, the formula says 63",
       [](Json& d) { set(d, "SAME_CUBE_PE_LOCAL", "wire_transfer", 59); }},
      {"E-59.12", "sip_local_all moves 20000", [](Json& d) { set(d, "sip_local_all", "effective_gbs", 20000); }},
  };
  for (const auto& [rule, says, spoil] : cases) {
    Json data = good();
    spoil(data);
    std::string found;
    bool named = false;
    for (const Violation& violation : check_pe_dma(data)) {
      found += violation.rule + ": " + violation.text + "\n";
      named = named || (violation.rule == rule && violation.text.find(says) != std::string::npos);
    }
    EXPECT_TRUE(named) << rule << " " << says << "; found\n" << found;
  }
}

TEST(PeDmaSweep, EveryScenarioIsWrittenAndRead_E50) {
  const std::unique_ptr<IEvaluation> evaluation = pe_dma_evaluation({});
  const std::vector<Point> points = evaluation->points(machine("reference"));
  EXPECT_EQ(points.size(), 26u);
  EXPECT_EQ(points[0].id, "write_SAME_CUBE_PE_LOCAL");
  EXPECT_THAT(points[0].trace, HasSubstr("\n0,0,pe_write,sip0.cube0.pe0,0x2000000000,16384\n"));
  EXPECT_THAT(points[25].trace, HasSubstr(",pe_read,sip0.cube15.pe7,"));
  EXPECT_THROW(pe_dma_evaluation({"1x1x1", "", ""}), Error);
}

}  // namespace
}  // namespace kb::evaluate
