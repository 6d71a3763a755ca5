// Hops, relations and figures of the PE-to-PE evaluation (E-47, E-62 .. E-67).
#include <gmock/gmock.h>

#include <functional>

#include "platform/base/error.h"
#include "sim/evaluate/pe2pe/hops.h"
#include "sim/evaluate/pe2pe/pe2pe_evaluation.h"
#include "sim/evaluate/pe_dma/scenarios.h"
#include "sim/evaluate/slot_costs.h"

namespace kb::evaluate {
namespace {

using testing::HasSubstr;

topology::LoadedTopology machine(const std::string& name) {
  return topology::load(std::string(KB_SOURCE_DIR "/configs/") + name + ".yaml");
}

std::vector<std::string> targets(const std::string& name) {
  std::vector<std::string> list;
  for (const Hop& hop : pe_hops(machine(name))) list.push_back(hop.id + " " + pe_text(hop.to));
  return list;
}

TEST(PeHops, AreTheNeighboursOfPeZero_E62) {
  EXPECT_THAT(targets("reference"), testing::ElementsAre("h1 sip0.cube0.pe1", "h2 sip0.cube0.pe4", "h3 sip0.cube1.pe0",
                                                         "h4 sip0.cube4.pe0", "h5 sip1.cube0.pe0"));
  EXPECT_THAT(targets("one_cube"), testing::ElementsAre("h1 sip0.cube0.pe1", "h2 sip0.cube0.pe4"));
  EXPECT_THAT(targets("one_pe"), testing::IsEmpty());
  EXPECT_THROW(pe2pe_evaluation({})->points(machine("one_pe")), Error);
  EXPECT_THROW(pe2pe_evaluation({"1x1x1", "", ""}), Error);
}

TEST(PeHops, EveryHopIsMeasuredByBothMethodsAndNineSizes_E63_E64) {
  const std::vector<Point> points = pe2pe_evaluation({})->points(machine("reference"));
  EXPECT_EQ(points.size(), 5u * 2 * 9 + 3 * 2 * 5);
  EXPECT_EQ(points[0].id, "hops_h1_ipcq_tcm_128");
  EXPECT_THAT(points.back().ccl, testing::AllOf(HasSubstr("buffer_kind: sram"), HasSubstr("slot_size: 65536")));
}

TEST(SlotCosts, AreThoseOfThePageOfPeIpcq_Q62_Q63) {
  const std::vector<SlotCost> costs = slot_costs(machine("reference"));
  EXPECT_DOUBLE_EQ(slot_cost(costs, "tcm").ns(1024), 2);
  EXPECT_DOUBLE_EQ(slot_cost(costs, "hbm").ns(1024), 6 + 4 + 4);
  EXPECT_DOUBLE_EQ(slot_cost(costs, "sram").ns(1024), 2 + 2 + 8);
  EXPECT_DOUBLE_EQ(slot_cost(costs, "hbm").bandwidth_gbs(), 128);
  Json data = Json::array();
  for (const SlotCost& cost : costs) data.push_back(cost.json());
  EXPECT_DOUBLE_EQ(slot_cost(slot_costs(data), "sram").ns(1024), 12);
  EXPECT_THROW(slot_cost(costs, "disk"), Error);
}

Json run(const char* set, const char* hop, const char* method, const char* kind, int bytes, double latency) {
  return {{"set", set},          {"hop", hop},     {"method", method},
          {"buffer_kind", kind}, {"bytes", bytes}, {"latency_ns", latency},
          {"correct", true}};
}

Json good() {
  Json hops = Json::array(), runs = Json::array();
  for (const auto& [id, distance, latency] :
       {std::tuple("h1", "cube", 30.0), std::tuple("h3", "cubes", 100.0), std::tuple("h5", "sips", 250.0)}) {
    hops.push_back({{"id", id},
                    {"text", "somewhere"},
                    {"distance", distance},
                    {"from", "sip0.cube0.pe0"},
                    {"to", "sip0.cube1.pe0"},
                    {"wires", 5},
                    {"narrowest_gbs", 128.0}});
    for (const int bytes : {128, 8192}) {
      const double wire = bytes / 128.0;
      runs.push_back(run("hops", id, "ipcq", "tcm", bytes, latency + wire + 2));
      runs.push_back(run("hops", id, "dma", "tcm", bytes, latency + wire));
    }
  }
  const Json slots{{{"kind", "tcm"}, {"setup_ns", 0.0}, {"bw_gbs", 512.0}, {"hop_gbs", 0.0}},
                   {{"kind", "hbm"}, {"setup_ns", 6.0}, {"bw_gbs", 256.0}, {"hop_gbs", 256.0}},
                   {{"kind", "sram"}, {"setup_ns", 2.0}, {"bw_gbs", 512.0}, {"hop_gbs", 128.0}}};
  for (const int bytes : {128, 8192}) {
    for (const SlotCost& cost : slot_costs(slots)) {
      const double rest = 100 + bytes / 128.0;
      runs.push_back(run("rings", "h3", "ipcq", cost.kind.c_str(), bytes, rest + cost.ns(bytes)));
      runs.push_back(run("rings", "h3", "ipcq_read", cost.kind.c_str(), bytes, rest + 2 * cost.ns(bytes)));
    }
  }
  return {{"kernbench", "0.1.0"},
          {"topology", {{"file", "x.yaml"}, {"set", Json::object()}}},
          {"config_digest", std::string(64, 'a')},
          {"hbm_burst_ns", 8.0},
          {"hops", hops},
          {"slots", slots},
          {"runs", runs}};
}

Json& pick(Json& data, const char* set, const char* hop, const char* method, const char* kind, int bytes) {
  for (Json& one : data["runs"]) {
    if (one["set"] == set && one["hop"] == hop && one["method"] == method && one["buffer_kind"] == kind &&
        one["bytes"] == bytes) {
      return one;
    }
  }
  throw std::runtime_error("no such run");
}

TEST(Pe2PeChecks, AGoodSetPasses) {
  for (const Violation& violation : check_pe2pe(good())) ADD_FAILURE() << violation.rule << " " << violation.text;
}

TEST(Pe2PeChecks, EachBrokenRelationIsNamed) {
  const std::tuple<const char*, const char*, std::function<void(Json&)>> cases[] = {
      {"E-64", "h3 dma of 128 B: wrong contents",
       [](Json& d) { pick(d, "hops", "h3", "dma", "tcm", 128)["correct"] = false; }},
      {"E-66", "h1 dma: 8192 B take 31 ns, fewer bytes 31 ns",
       [](Json& d) { pick(d, "hops", "h1", "dma", "tcm", 8192)["latency_ns"] = 31.0; }},
      {"E-66", "h5: a message of 8192 B takes 313.5 ns, a store 314 ns; only 0 ns",
       [](Json& d) { pick(d, "hops", "h5", "ipcq", "tcm", 8192)["latency_ns"] = 313.5; }},
      {"E-66", "h5: a message of 128 B takes 243 ns, a store 251 ns; only 7.75 ns",
       [](Json& d) { pick(d, "hops", "h5", "ipcq", "tcm", 128)["latency_ns"] = 243.0; }},
      {"E-66", "h3 dma: 128 B take 31 ns, not more than the 31 ns of h1",
       [](Json& d) { pick(d, "hops", "h3", "dma", "tcm", 128)["latency_ns"] = 31.0; }},
      {"E-47", "h3: ipcq_read of 8192 B over rings in hbm",
       [](Json& d) { pick(d, "rings", "h3", "ipcq_read", "hbm", 8192)["latency_ns"] = 304.1; }},
  };
  for (const auto& [rule, says, spoil] : cases) {
    Json data = good();
    spoil(data);
    std::string found;
    bool named = false;
    for (const Violation& violation : check_pe2pe(data)) {
      found += violation.rule + ": " + violation.text + "\n";
      named = named || (violation.rule == rule && violation.text.find(says) != std::string::npos);
    }
    EXPECT_TRUE(named) << rule << " " << says << "; found\n" << found;
  }
}

TEST(Pe2PeFigures, OnePerHopAnOverviewAndTheRings_E66) {
  std::vector<std::string> names;
  for (const Figure& figure : pe2pe_figures(good())) {
    names.push_back(figure.name);
    EXPECT_THAT(figure.script, HasSubstr("aaaaaaaaaaaa")) << figure.name;
  }
  EXPECT_THAT(
      names, testing::UnorderedElementsAre("pe2pe_h1", "pe2pe_h3", "pe2pe_h5", "pe2pe_overview", "pe2pe_buffer_kinds"));
  EXPECT_THAT(pe2pe_figure_names(), testing::IsSupersetOf(names));
  EXPECT_THAT(pe2pe_csv(good()), HasSubstr("\nhops,h1,sip0.cube0.pe0,sip0.cube1.pe0,ipcq,tcm,128,33.0,true\n"));
}

TEST(Pe2PeFigures, MissingRunsAreNoCrash) {
  Json data = good();
  data["runs"] = Json::array();
  EXPECT_THROW(pe2pe_figures(data), Error);
}

}  // namespace
}  // namespace kb::evaluate
