#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using TopologyCommandTest = CommandLineTest;

constexpr const char* kOnePe =
    "system:\n  sips: { count: 1 }\nsip:\n  cube_mesh: { w: 1, h: 1 }\ncube:\n  pe_layout: { corners: [NW], "
    "pe_per_corner: 1 }\n";

TEST_F(TopologyCommandTest, JsonHasTheContractsMembers) {
  const nlohmann::json machine = json("topology '" + config("one_pe") + "' --json");
  ASSERT_FALSE(machine["nodes"].empty());
  for (const char* key : {"id", "kind", "impl", "attrs", "pos_mm"})
    EXPECT_TRUE(machine["nodes"][0].contains(key)) << key;
  for (const char* key : {"src", "dst", "kind", "bw_gbs", "distance_mm", "routing_weight_mm"}) {
    EXPECT_TRUE(machine["edges"][0].contains(key)) << key;
  }
  for (const char* key : {"spec", "ns_per_mm", "flit_bytes"}) EXPECT_TRUE(machine.contains(key)) << key;
  EXPECT_EQ(machine["flit_bytes"], 256);
}

TEST_F(TopologyCommandTest, WithoutAFileItShowsTheReferenceMachine) {
  EXPECT_EQ(json("topology --json")["nodes"], json("topology '" + config("reference") + "' --json")["nodes"]);
  EXPECT_THAT(kernbench("topology").out, HasSubstr("256"));
}

TEST_F(TopologyCommandTest, DotAndMeshAreWritten) {
  const Outcome outcome = kernbench("topology '" + config("one_cube") + "' --dot --emit-mesh mesh.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("graph"));
  EXPECT_THAT(files(), testing::ElementsAre("mesh.yaml"));
}

TEST_F(TopologyCommandTest, AMisspelledKeyNamesFileLineKeyAndTheRightOne) {
  write("m.yaml", std::string(kOnePe) + "  links: { router_link_bw_gsb: 100 }\n");
  for (const char* command : {"topology m.yaml", "check m.yaml", "run --topology m.yaml", "probe --topology m.yaml"}) {
    const Outcome outcome = kernbench(command);
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("m.yaml:7:"));
    EXPECT_THAT(outcome.err, HasSubstr("router_link_bw_gsb"));
    EXPECT_THAT(outcome.err, HasSubstr("did you mean 'router_link_bw_gbs'?"));
    EXPECT_THAT(files(), testing::ElementsAre("m.yaml"));
  }
}

TEST_F(TopologyCommandTest, CheckReportsEveryProblemOfEveryFile) {
  write("good.yaml", kOnePe);
  write("twice.yaml", std::string(kOnePe) + "system:\n  sips: { count: 2 }\n");
  write("two.yaml", "system:\n  sips: { count: many }\nsip:\n  cube_mesh: { w: -1, h: 1 }\n");
  const Outcome outcome = kernbench("check good.yaml twice.yaml two.yaml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("good.yaml: ok"));
  EXPECT_THAT(outcome.err, HasSubstr("twice.yaml:7:"));
  EXPECT_THAT(outcome.err, HasSubstr("two.yaml:2:"));
  EXPECT_THAT(outcome.err, HasSubstr("two.yaml:4:"));
  EXPECT_EQ(kernbench("check good.yaml").code, 0);
}

TEST_F(TopologyCommandTest, CheckTakesCollectiveConfigurationsToo) {  // K-6
  const Outcome good = kernbench("check '" + config("ccl") + "' '" + config("one_pe") + "'");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("ccl.yaml: ok (collectives, algorithm auto)"));
  write("ccl.yaml", "defaults: { n_slot: 4 }\n");
  const Outcome bad = kernbench("check ccl.yaml");
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("ccl.yaml:1:13: defaults.n_slot: unknown key 'n_slot' (did you mean 'n_slots'?)"));
}

TEST_F(TopologyCommandTest, EveryCommandRefusesAnImplementationThatNobodyHasRegistered) {
  write("m.yaml", std::string(kOnePe) + "  components: { noc_router: { impl: custom.fast_router } }\n");
  for (const char* command : {"check m.yaml", "topology m.yaml", "run --topology m.yaml --bench noop",
                              "traffic --topology m.yaml --trace t.csv", "probe --topology m.yaml"}) {
    const Outcome outcome = kernbench(command);
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("cube.components.noc_router.impl: nobody has registered the implementation "
                                       "'custom.fast_router' of noc_router (name the library that brings it with "
                                       "--plugin)"))
        << command;
  }
}

TEST_F(TopologyCommandTest, SvgDrawsTheChosenViews) {
  write("m.yaml", kOnePe);
  const Outcome all = kernbench("topology m.yaml --svg pictures");
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out, "pictures/system_view.svg\npictures/sip_view.svg\npictures/cube_view.svg\npictures/pe_view.svg\n");
  EXPECT_THAT(read("pictures/cube_view.svg"), HasSubstr("id=\"sip0.cube0.r0c0\""));
  EXPECT_EQ(kernbench("topology m.yaml --svg some --views cube,pe").out, "some/cube_view.svg\nsome/pe_view.svg\n");
  EXPECT_EQ(kernbench("topology m.yaml --svg some --views queue,message").code, 0);  // E-48
  for (const std::string name : {"queue", "message"}) {
    std::ostringstream shown;
    shown << std::ifstream(KB_SOURCE_DIR "/docs/images/" + name + "_view.svg").rdbuf();
    EXPECT_EQ(read("some/" + name + "_view.svg"), shown.str()) << "the picture in docs/images is another one";
  }
  const Outcome unknown = kernbench("topology m.yaml --svg none --views cub");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--views: there is no view 'cub'; did you mean 'cube'?"));
  EXPECT_THAT(files(), testing::Not(testing::Contains("none")));
}

TEST_F(TopologyCommandTest, RunsDrawWhatTheMachineAsksFor) {  // T-58
  write("m.yaml", kOnePe);
  EXPECT_EQ(kernbench("run --topology m.yaml --bench noop --out plain").code, 0);
  EXPECT_THAT(files(), testing::ElementsAre("m.yaml", "plain", "plain/inputs.json", "plain/result.json"));
  const Outcome asked =
      kernbench("run --topology m.yaml --bench noop --out drawn --set 'visualization.emit_views=[pe]'");
  EXPECT_THAT(asked.out, HasSubstr("drawings      drawn/pe_view.svg"));
  EXPECT_EQ(kernbench("topology m.yaml --svg svg").code, 0);
  EXPECT_EQ(read("drawn/pe_view.svg"), read("svg/pe_view.svg"));
}

TEST_F(TopologyCommandTest, OverridesReachTheGraph) {
  const nlohmann::json machine = json("topology '" + config("one_pe") + "' --json --set system.ns_per_mm=0.5");
  EXPECT_EQ(machine["ns_per_mm"], 0.5);
}

// The built-in machine has a port at its second cube, which a machine of one cube leaves out.
TEST_F(TopologyCommandTest, TheBuiltInMachineShrinksToOneCube) {
  const std::string one = " --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1";
  const Outcome topology = kernbench("topology" + one);
  EXPECT_EQ(topology.code, 0) << topology.err;
  EXPECT_EQ(topology.err, "");
  EXPECT_THAT(topology.out, HasSubstr("PEs in all            16"));
  const nlohmann::json result = json("run --bench gemm-multi-pe --verify-data --json --details" + one);
  EXPECT_EQ(result["ok"], true);
  EXPECT_EQ(result["launches"][0]["per_pe"].size(), 8u);
}

}  // namespace
}  // namespace kb::test
