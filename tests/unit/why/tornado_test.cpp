// The keys of a machine, each with other values. H-82x.
#include "sim/study/why/tornado.h"

#include <gmock/gmock.h>

#include <functional>
#include <map>

#include "sim/study/why/tornado_report.h"

namespace kb::why {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kCube = "cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n";
constexpr const char* kMachine = R"(
system: { sips: { count: 1 } }
sip: { cube_mesh: { w: 1, h: 2 } }
cube:
  pe_layout: { corners: [NW, NE, SW, SE], pe_per_corner: 2 }
  components: { hbm_ctrl: { attrs: { efficiency: 0.5 } } }
replace:
  - { nodes: sip0.cube0.m_cpu, attrs: { overhead_ns: 50 } }
)";

const topology::LoadedTopology& machine() {
  static const topology::LoadedTopology loaded = topology::load_text(kMachine, "machine.yaml");
  return loaded;
}

std::vector<std::string> tried(const std::string& key) {
  std::vector<std::string> values;
  for (const KeyEffect& effect : key_trials(machine())) {
    if (effect.key != key) continue;
    for (const KeyTrial& trial : effect.trials) values.push_back(trial.value);
  }
  return values;
}

TEST(KeyTrials, ARateIsTriedTenPercentBelowAndAbove) {
  EXPECT_THAT(tried("cube.links.router_link_bw_gbs"), ElementsAre("230.4", "281.6"));
  EXPECT_THAT(tried("cube.pe_template.components.pe_gemm.attrs.mac_per_ns"), ElementsAre("3686.4", "4505.6"));
}

TEST(KeyTrials, ADelayOfNothingIsTriedAsOne) {
  EXPECT_THAT(tried("cube.ucie.attrs.overhead_ns"), ElementsAre("7.2", "8.8"));
  EXPECT_THAT(tried("cube.pe_template.components.pe_mmu.attrs.tlb_overhead_ns"), ElementsAre("1"));
  EXPECT_THAT(tried("cube.pe_template.links.dma_to_fetch_store_mm"), ElementsAre("1"));
}

TEST(KeyTrials, ARateWithoutLimitIsTriedAsTheSlowestOne) {
  const topology::LoadedTopology other = topology::load_text(
      std::string(
          "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 }, io_chiplets: [{ id: io0, shoreline: N, "
          "links: { io_cpu_to_noc_bw_gbs: 0 } }] }\n") +
          kCube,
      "m");
  for (const KeyEffect& key : key_trials(other)) {
    if (key.key != "sip.io_chiplets[0].links.io_cpu_to_noc_bw_gbs") continue;
    ASSERT_EQ(key.trials.size(), 1u);
    EXPECT_EQ(key.trials[0].value, other.config.at("cube.memory_map.hbm_channel_bw_gbs").value);
  }
}

TEST(KeyTrials, CountsAndSizesAreHalvedAndDoubled) {
  EXPECT_THAT(tried("sip.cube_mesh.h"), ElementsAre("1", "4"));
  EXPECT_THAT(tried("sip.cube_mesh.w"), ElementsAre("2"));
  EXPECT_THAT(tried("cube.components.sram.attrs.size_mb"), ElementsAre("16", "64"));
}

TEST(KeyTrials, AChoiceHasItsOtherWords) {
  EXPECT_THAT(tried("routing.metric"), ElementsAre("distance"));
  EXPECT_THAT(tried("cube.pe_template.components.pe_gemm.attrs.gemm_granularity"), Contains("none"));
}

TEST(KeyTrials, ValuesStayWithinTheirBounds) {
  EXPECT_THAT(tried("cube.components.hbm_ctrl.attrs.efficiency"), ElementsAre("0.45", "0.55"));
  const topology::LoadedTopology full = topology::load_text(
      std::string("system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n") + kCube, "m");
  for (const KeyEffect& key : key_trials(full)) {
    if (key.key != "cube.components.hbm_ctrl.attrs.efficiency") continue;
    ASSERT_EQ(key.trials.size(), 1u) << "more than 1 is no efficiency";
    EXPECT_EQ(key.trials[0].value, "0.9");
  }
}

TEST(KeyTrials, ATextAndACountHaveTheValuesThatTheirKeyDeclares) {
  const std::string banks =
      "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
      "cube:\n  pe_layout: { corners: [NW], pe_per_corner: 1 }\n"
      "  memory_map: { hbm_channel_bw_gbs: 25.6, hbm_total_gb_per_cube: 2 }\n"
      "  components: { hbm_ctrl: { impl: builtin.hbm_banked, attrs: { postpone: 1 } } }\n";
  const topology::LoadedTopology banked = topology::load_text(banks, "m");
  std::map<std::string, std::vector<std::string>> values;
  for (const KeyEffect& key : key_trials(banked)) {
    for (const KeyTrial& trial : key.trials) values[key.key].push_back(trial.value);
  }
  const std::string attrs = "cube.components.hbm_ctrl.attrs.";
  EXPECT_THAT(values[attrs + "postpone"], ElementsAre("2", "8"));  // half of 1 is 0, which is not tried
  EXPECT_THAT(values[attrs + "map"],
              ElementsAre("bg col bank sid row", "col:4 bg bank sid col row", "col bg bank sid row"));
  for (const std::string& map : values[attrs + "map"]) {  // each makes a machine
    EXPECT_NO_THROW(topology::load_text(banks, "m", {{attrs + "map", map}}));
  }
}

TEST(KeyTrials, EntriesOfReplaceAreKeys) {
  EXPECT_THAT(tried("replace[0].attrs.overhead_ns"), ElementsAre("45", "55"));
}

// Times of keys at values; others are those of the machine as it is.
class TimesOfKeys final : public IMeasurer {
 public:
  std::map<std::string, std::int64_t> ns;
  std::string code;
  bool pinned = false;

  std::vector<Measure> measure(const std::vector<Request>& requests) override {
    std::vector<Measure> measures;
    for (const Request& request : requests) {
      EXPECT_EQ(request.point.changes.size(), 1u) << "each key alone";
      const Change& change = request.point.changes.front();
      pinned = pinned || request.point.pinned;
      const auto found = ns.find(change.what + "=" + change.value);
      Measure measure;
      measure.time = TimeFs((found == ns.end() ? 1000 : found->second) * 1'000'000);
      measure.ok = measure.time > 0_fs;
      if (!measure.ok) measure.cause = "--set: " + change.what + ": too much";
      measures.push_back(measure);
    }
    return measures;
  }
};

TEST(Tornado, TheLargestSwingComesFirst) {
  TimesOfKeys times;
  times.ns = {{"routing.metric=distance", 1020}, {"sip.cube_mesh.h=1", 900}, {"sip.cube_mesh.h=4", 1050}};
  const Tornado tornado = measure_keys(times, machine(), 1000_ns);
  EXPECT_FALSE(times.pinned) << "choices follow the machine";
  EXPECT_EQ(tornado.keys[0].key, "sip.cube_mesh.h");
  EXPECT_EQ(tornado.keys[0].swing, 100_ns);
  EXPECT_EQ(tornado.keys[1].key, "routing.metric");
  EXPECT_EQ(tornado.keys[1].swing, 20_ns);
  EXPECT_FALSE(tornado.keys[2].acts());
  EXPECT_THAT(tornado.kept, Contains("cube.components.sram.impl"));
}

TEST(Tornado, WhatIsNoMachineHasItsMessage) {
  TimesOfKeys times;
  times.ns = {{"sip.cube_mesh.h=4", 0}};
  const Tornado tornado = measure_keys(times, machine(), 1000_ns);
  const auto key = std::find_if(tornado.keys.begin(), tornado.keys.end(),
                                [](const KeyEffect& one) { return one.key == "sip.cube_mesh.h"; });
  ASSERT_NE(key, tornado.keys.end());
  EXPECT_EQ(key->trials[0].time, 1000_ns);
  EXPECT_THAT(key->trials[1].problem, HasSubstr("too much"));
  const std::string csv = render_csv(tornado);
  EXPECT_THAT(csv, HasSubstr("sip.cube_mesh.h,2,rows of cubes; at most 16 cubes in all,1,1000.000,+0.00,\n"));
  EXPECT_THAT(csv, HasSubstr(",4,,,--set: sip.cube_mesh.h: too much\n"));
}

}  // namespace
}  // namespace kb::why
