// Points, relations, figures and reference of the all-reduce evaluation (E-34 .. E-46, E-76, E-89 .. E-91).
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <set>

#include "platform/base/error.h"
#include "sim/evaluate/allreduce/allreduce_evaluation.h"
#include "sim/evaluate/allreduce/plan.h"
#include "sim/evaluate/allreduce/reference.h"

namespace kb::evaluate {
namespace {

using testing::HasSubstr;

topology::LoadedTopology machine(const std::string& name,
                                 const std::vector<std::pair<std::string, std::string>>& set = {}) {
  return topology::load(std::string(KB_SOURCE_DIR "/configs/") + name + ".yaml", set);
}

std::string value_of(const Point& point, const std::string& name) {
  for (const auto& [key, value] : point.params) {
    if (key == name) return value;
  }
  return "";
}

const Point& find(const std::vector<Point>& points, const std::string& id) {
  for (const Point& point : points) {
    if (point.id == id) return point;
  }
  throw std::runtime_error("no point " + id);
}

TEST(AllReducePoints, TheSweepHasThirteenSizesOnThreeTopologies_E34_E35_E43) {
  const std::vector<Point> points = allreduce_evaluation({})->points(machine("reference"));
  const auto count = [&](const std::string& prefix) {
    return std::count_if(points.begin(), points.end(), [&](const Point& p) { return p.id.rfind(prefix, 0) == 0; });
  };
  EXPECT_EQ(count("sweep_ring_1d_"), 13);
  EXPECT_EQ(count("sweep_torus_2d_2x3_"), 13);
  EXPECT_EQ(count("sweep_mesh_2d_no_wrap_2x3_"), 13);
  EXPECT_EQ(count("buffers_torus_2d_3x2_"), 12);
  EXPECT_EQ(count("roots_"), 12);
  std::set<std::string> ids;
  for (const Point& point : points) ids.insert(point.id);
  EXPECT_EQ(ids.size(), points.size());

  const Point& largest = find(points, "sweep_torus_2d_2x3_49152");
  EXPECT_EQ(value_of(largest, "system.sips.count"), "6");
  EXPECT_EQ(value_of(largest, "system.sips.w"), "2");
  EXPECT_EQ(value_of(largest, "root"), "10");
  EXPECT_EQ(value_of(largest, "cube.memory_map.tcm_size_mb"), "5");  // 1.5 MiB + 8 x 4 x 96 KiB
  EXPECT_THAT(largest.ccl, HasSubstr("slot_size: 98304"));           // E-36
  EXPECT_THAT(find(points, "sweep_ring_1d_8").ccl, HasSubstr("slot_size: 4096"));
  EXPECT_TRUE(largest.verify);
  EXPECT_THAT(find(points, "buffers_torus_2d_3x2_512_hbm").ccl, HasSubstr("buffer_kind: hbm"));
  // Slots of the TCM that cost what those of another memory do: 6 ns + n / 256 + n / 256, 2 ns + n / 512 + n / 128.
  const Point& hbm = find(points, "stand_ins_torus_2d_3x2_512_hbm");
  EXPECT_EQ(value_of(hbm, "cube.pe_template.components.pe_ipcq.attrs.tcm_slot_setup_ns"), "6");
  EXPECT_EQ(value_of(hbm, "cube.pe_template.components.pe_ipcq.attrs.tcm_slot_bw_gbs"), "128");
  EXPECT_NEAR(std::stod(value_of(find(points, "stand_ins_torus_2d_3x2_512_sram"),
                                 "cube.pe_template.components.pe_ipcq.attrs.tcm_slot_bw_gbs")),
              102.4, 1e-9);
  EXPECT_EQ(points.back().workload, "noop");
}

TEST(AllReducePoints, FollowTheMachine) {
  EXPECT_EQ(tcm_mib(machine("reference", {{"cube.memory_map.tcm_size_mb", "16"}})), 16);
  EXPECT_EQ(corner_cubes(machine("reference").graph.spec), (std::vector<int>{0, 3, 12, 15}));
  EXPECT_EQ(centre_cube(machine("reference").graph.spec), 10);
  EXPECT_TRUE(corner_cubes(machine("one_cube").graph.spec).empty());
  EXPECT_EQ(corner_cubes(machine("six_sips_torus").graph.spec), (std::vector<int>{0, 1, 2}));  // 3 is the centre
}

TEST(AllReducePoints, TheSipsAreTheEvaluationsOwn) {
  const std::unique_ptr<IEvaluation> evaluation = allreduce_evaluation({});
  try {
    evaluation->points(machine("reference", {{"system.sips.count", "4"}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--set system.sips.count: the evaluation allreduce measures 6 SIPs"));
  }
  EXPECT_THROW(allreduce_evaluation({"1x1x1", "", ""}), Error);
}

Json run(const char* set, const char* topology, std::int64_t n_elem, const char* kind, double latency, int root = 10) {
  Json json{{"set", set},
            {"topology", topology},
            {"n_sips", 6},
            {"w", std::string(topology) == "ring_1d" ? 0 : 2},
            {"h", std::string(topology) == "ring_1d" ? 0 : 3},
            {"n_elem", n_elem},
            {"bytes_per_pe", 2 * n_elem},
            {"bytes_per_sip", 32 * n_elem},
            {"buffer_kind", std::string(set) == "stand_ins" ? "tcm" : kind},
            {"slots_cost_as", kind},
            {"root", root},
            {"latency_ns", latency},
            {"pes", 96}};
  if (std::string(set) == "sweep" || std::string(set) == "buffers") json["correct"] = true;
  return json;
}

Json good() {
  Json runs = Json::array();
  for (const auto& [topology, base] :
       {std::pair("ring_1d", 3000.0), std::pair("torus_2d", 2500.0), std::pair("mesh_2d_no_wrap", 3500.0)}) {
    runs.push_back(run("sweep", topology, 8, "tcm", base));
    runs.push_back(run("sweep", topology, 512, "tcm", base));  // may be equal
    runs.push_back(run("sweep", topology, 49152, "tcm", 9 * base));
    for (const int corner : {0, 15})
      runs.push_back(run("roots", topology, 49152, "tcm", 9 * base + 1 + corner, corner));
  }
  for (const auto& [n_elem, tcm, hbm, sram] :
       {std::tuple(512, 2800.0, 3088.0, 3040.0), std::tuple(32768, 18000.0, 27000.0, 30000.0)}) {
    runs.push_back(run("buffers", "torus_2d", n_elem, "tcm", tcm));
    runs.push_back(run("buffers", "torus_2d", n_elem, "hbm", hbm));
    runs.push_back(run("buffers", "torus_2d", n_elem, "sram", sram));
    runs.push_back(run("stand_ins", "torus_2d", n_elem, "hbm", hbm + 0.9));
    runs.push_back(run("stand_ins", "torus_2d", n_elem, "sram", sram - 0.9));
  }
  return {{"kernbench", "0.1.0"},
          {"topology", {{"file", "x.yaml"}, {"set", Json::object()}}},
          {"config_digest", std::string(64, 'a')},
          {"sips", 6},
          {"sips_of_machine", 2},
          {"dtype", "f16"},
          {"marked_bytes", 98304},
          {"machine",
           {{"cube_mesh_w", 4},
            {"cube_mesh_h", 4},
            {"pes_per_cube", 8},
            {"centre_cube", 10},
            {"port_cubes", {0, 1}},
            {"tcm_mib", 5.0}}},
          {"slots",
           {{{"kind", "tcm"}, {"setup_ns", 0.0}, {"bw_gbs", 512.0}, {"hop_gbs", 0.0}},
            {{"kind", "hbm"}, {"setup_ns", 6.0}, {"bw_gbs", 256.0}, {"hop_gbs", 256.0}},
            {{"kind", "sram"}, {"setup_ns", 2.0}, {"bw_gbs", 512.0}, {"hop_gbs", 128.0}}}},
          {"reference", load_reference("")},
          {"empty_launch", {{"pes", 128}, {"spread_ns", 0.0}, {"late_pes", 0}}},
          {"runs", runs}};
}

Json& pick(Json& data, const char* set, const char* topology, std::int64_t n_elem, const char* kind, int root = 10) {
  for (Json& one : data["runs"]) {
    if (one["set"] == set && one["topology"] == topology && one["n_elem"] == n_elem && one["slots_cost_as"] == kind &&
        one["root"] == root) {
      return one;
    }
  }
  throw std::runtime_error("no such run");
}

TEST(AllReduceChecks, AGoodSetPasses) {
  for (const Violation& violation : check_allreduce(good())) ADD_FAILURE() << violation.rule << " " << violation.text;
}

TEST(AllReduceChecks, EachBrokenRelationIsNamed) {
  const std::tuple<const char*, const char*, std::function<void(Json&)>> cases[] = {
      {"E-12", "differ by 0.5 ns", [](Json& d) { d["empty_launch"]["spread_ns"] = 0.5; }},
      {"E-12", "1 PEs enter", [](Json& d) { d["empty_launch"]["late_pes"] = 1; }},
      {"E-37", "ring_1d of 6 SIPs, 16 B per PE, tcm rings, root 10: wrong contents",
       [](Json& d) { pick(d, "sweep", "ring_1d", 8, "tcm")["correct"] = false; }},
      {"E-41", "1024 B per PE", [](Json& d) { pick(d, "sweep", "ring_1d", 512, "tcm")["latency_ns"] = 2999.0; }},
      {"E-41", "not less than the ring's",
       [](Json& d) { pick(d, "sweep", "ring_1d", 49152, "tcm")["latency_ns"] = 22500.0; }},
      {"E-76", "root 15",
       [](Json& d) { pick(d, "roots", "mesh_2d_no_wrap", 49152, "tcm", 15)["latency_ns"] = 31499.0; }},
      {"E-45", "not less than",
       [](Json& d) {
         pick(d, "buffers", "torus_2d", 32768, "hbm")["latency_ns"] = 30000.0;
         pick(d, "stand_ins", "torus_2d", 32768, "hbm")["latency_ns"] = 30000.0;
       }},
      {"E-45", "not more than for less",
       [](Json& d) { pick(d, "buffers", "torus_2d", 32768, "hbm")["latency_ns"] = 18200.0; }},
      {"E-46",
       "rings, root 10: 9000 ns more than with rings in the TCM; setup, bandwidth and hop of the slots make 9100",
       [](Json& d) { pick(d, "stand_ins", "torus_2d", 32768, "hbm")["latency_ns"] = 27100.0; }},
  };
  for (const auto& [rule, says, spoil] : cases) {
    Json data = good();
    spoil(data);
    std::string found;
    bool named = false;
    for (const Violation& violation : check_allreduce(data)) {
      found += violation.rule + ": " + violation.text + "\n";
      named = named || (violation.rule == rule && violation.text.find(says) != std::string::npos);
    }
    EXPECT_TRUE(named) << rule << " " << says << "; found\n" << found;
  }
}

TEST(AllReduceFigures, AllAreDrawnFromTheDataFileAlone_E38_E89_E90) {
  Json data = good();
  std::vector<std::string> names;
  for (const Figure& figure : allreduce_figures(data)) {
    names.push_back(figure.name);
    EXPECT_THAT(figure.script, HasSubstr("aaaaaaaaaaaa")) << figure.name;  // the configuration digest
  }
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(allreduce_figure_names()));
  EXPECT_THAT(allreduce_topology_figure(data).script, HasSubstr("cube 10"));
  EXPECT_THAT(allreduce_csv(data), HasSubstr("\nsweep,ring_1d,6,0,0,49152,98304,1572864,27000.0,tcm,tcm,10,96,true\n"));

  data["reference"] = {{"curve",
                        {{"label", "a model"},
                         {"origin", "somebody"},
                         {"startup_ns", 1000},
                         {"per_packet_ns", 2},
                         {"packet_bytes", 128}}}};  // no point: no comparison
  bool drawn = false;
  for (const Figure& figure : allreduce_figures(data)) {
    EXPECT_NE(figure.name, "allreduce_comparison");
    if (figure.name != "allreduce_latency") continue;
    drawn = true;
    EXPECT_THAT(figure.script, HasSubstr("analytic: a model"));
    EXPECT_THAT(figure.script, HasSubstr("98304 13.288 "));  // E-40: 1 us + 98304 * 8 / 128 * 2 ns
  }
  EXPECT_TRUE(drawn);
}

TEST(AllReduceFigures, MissingRunsAreNoCrash) {
  Json data = good();
  data["runs"] = Json::array();
  EXPECT_THROW(allreduce_figures(data), Error);
}

// Between SIPs a corner beside the IO chiplet may win (K-101).
TEST(AllReduceChecks, ACornerBesideTheChipletMayWin_E76) {
  Json data = good();
  pick(data, "roots", "ring_1d", 49152, "tcm", 0)["latency_ns"] = 26999.0;
  EXPECT_THAT(check_allreduce(data), testing::IsEmpty());
  data["machine"]["port_cubes"] = Json::array();
  EXPECT_EQ(check_allreduce(data).size(), 1u);
}

TEST(AllReduceReference, TheBuiltInOneNamesItsOrigin_E91) {
  const Json reference = load_reference("");
  EXPECT_THAT(reference.at("point").at("origin").get<std::string>(), HasSubstr("https://"));
  EXPECT_GT(reference.at("point").at("latency_ns").get<double>(), 0);
}

TEST(AllReduceReference, MistakesAreNamed) {
  const std::string file = testing::TempDir() + "/reference.json";
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"{", ":1:2: is not JSON"},
           {"[]", "is not a JSON object"},
           {R"({"point": {"label": "a", "label": "b"}})", "/point/label is there twice"},
           {R"({"point": {"label": "a", "origin": "b", "bytes": 1e300, "latency_ns": 1}})", "from 1e-06 to 1e+15"},
           {"{\"po\\u001bint\": {}}", "po\\x1bint is unknown"},
           {R"({"pint": {}})", "did you mean 'point'"},
           {R"({"point": 3})", "point must be an object"},
           {R"({"point": {"label": "a", "origin": "b", "bytes": 1}})", "point.latency_ns must be a number"},
           {R"({"point": {"label": "a", "origin": "b", "bytes": 0, "latency_ns": 1}})", "point.bytes must be a number"},
           {R"({"point": {"label": 1, "origin": "b", "bytes": 1, "latency_ns": 1}})", "point.label must be a text"}}) {
    std::ofstream(file) << text;
    try {
      load_reference(file);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr(file), HasSubstr(says)));
      EXPECT_EQ(error.family(), ErrorFamily::configuration);
    }
  }
  EXPECT_THROW(load_reference(file + ".not"), Error);
}

}  // namespace
}  // namespace kb::evaluate
