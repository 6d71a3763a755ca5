// Every relation of the GEMM sweep holds on a sweep that keeps it and is named when it is broken (E-9, E-22, E-32).
#include <gmock/gmock.h>

#include "sim/evaluate/gemm/gemm_evaluation.h"

namespace kb::evaluate {
namespace {

using testing::HasSubstr;

Json sums(std::int64_t count, double ns) {
  return {{"count", count}, {"wall_ns", ns}, {"occupancy_ns", ns}};
}

// One output tile of `depth` K steps, A in the TCM, with the given window.
Json run(std::int64_t depth, double window) {
  const double products = 16.0 * static_cast<double>(depth);
  return {{"shape", "32x" + std::to_string(64 * depth) + "x32"},
          {"m", 32},
          {"k", 64 * depth},
          {"n", 32},
          {"variant", "load_ref"},
          {"a_pinned", true},
          {"b_pinned", false},
          {"under_tile", false},
          {"tiles", {{"m", 1}, {"k", depth}, {"n", 1}}},
          {"stages",
           {{"DMA_READ", sums(depth, 29.0 * static_cast<double>(depth))},
            {"FETCH", sums(depth, products)},
            {"GEMM", sums(depth, products)},
            {"MATH", sums(0, 0)},
            {"STORE", sums(1, 4)},
            {"DMA_WRITE", sums(1, 21)}}},
          {"engines", {{"pe_dma", sums(depth + 1, 29.0 * static_cast<double>(depth) + 21)}}},
          {"pe_window_ns", window + 50},
          {"composite_window_ns", window},
          {"pe_exec_ns", window + 60},
          {"gemm_utilisation", products / window},
          {"useful_efficiency", products / window},
          {"theory",
           {{"ideal", {{"gemm_utilisation", 0.9}, {"useful_efficiency", 0.9}, {"steady_state_bound", 1.0}}},
            {"round_trips",
             {{"gemm_utilisation", products / window},
              {"useful_efficiency", products / window},
              {"steady_state_bound", 16.0 / 29}}}}}};
}

Json sweep() {
  return {{"kernbench", "0.1.0"},
          {"topology", {{"file", "x.yaml"}, {"set", {{"a.b.tile_m", "64"}}}}},
          {"config_digest", "0123456789abcdef"},
          {"tile_sizes", {{"m", 32}, {"k", 64}, {"n", 32}}},
          {"dtype", "f16"},
          {"pe", "sip0.cube0.pe0"},
          {"platform",
           {{"mac_per_ns", 4096.0},
            {"tile_ns", 16.0},
            {"link_gbs", 256.0},
            {"read_latency_ns", 13.0},
            {"translation_ns", 0.0},
            {"rd_engines", 1},
            {"fetch_gbs", 512.0},
            {"store_gbs", 512.0},
            {"fetch_overhead_ns", 0.0}}},
          {"figures", {{"variant", "load_ref"}, {"excluded", {"512x512x512"}}}},
          {"runs", {run(1, 86), run(48, 1449)}},
          {"does_not_fit", Json::array()}};
}

TEST(GemmChecks, AGoodSweepPasses) {
  EXPECT_THAT(check_gemm(sweep()), testing::IsEmpty());
}

struct Breakage {
  const char* rule;
  const char* says;
  std::function<void(Json&)> spoil;
};

TEST(GemmChecks, EachBrokenRelationIsNamed) {
  const Breakage cases[] = {
      {"E-22", "32x3072x32 load_ref: 47 records of stage FETCH instead of 48",
       [](Json& d) { d["runs"][1]["stages"]["FETCH"]["count"] = 47; }},
      {"E-22", "records of stage GEMM", [](Json& d) { d["runs"][1]["stages"]["GEMM"]["count"] = 49; }},
      {"E-22", "96 records of stage DMA_READ instead of 48",
       [](Json& d) { d["runs"][1]["stages"]["DMA_READ"]["count"] = 96; }},
      {"E-22", "records of stage DMA_READ instead of 0", [](Json& d) { d["runs"][1]["b_pinned"] = true; }},
      {"E-22", "records of stage STORE instead of 1", [](Json& d) { d["runs"][1]["stages"]["STORE"]["count"] = 48; }},
      {"E-22", "records of stage DMA_WRITE", [](Json& d) { d["runs"][0]["stages"]["DMA_WRITE"]["count"] = 0; }},
      {"E-22", "records of stage MATH", [](Json& d) { d["runs"][0]["stages"]["MATH"]["count"] = 1; }},
      {"E-23", "not inside the PE window", [](Json& d) { d["runs"][0]["pe_window_ns"] = 80; }},
      {"E-23", "not inside the PE window", [](Json& d) { d["runs"][0]["composite_window_ns"] = 0; }},
      {"E-11", "in a kernel of", [](Json& d) { d["runs"][0]["pe_exec_ns"] = 100; }},
      {"E-28", "useful efficiency above", [](Json& d) { d["runs"][0]["useful_efficiency"] = 0.9; }},
      {"E-30", "ns for 48 tiles", [](Json& d) { d["runs"][1]["stages"]["GEMM"]["occupancy_ns"] = 760; }},
      {"E-32", "GEMM utilisation of 101.000 %", [](Json& d) { d["runs"][1]["gemm_utilisation"] = 1.01; }},
      {"E-32", "is above the bound of 50.000 %",
       [](Json& d) { d["runs"][1]["theory"]["ideal"]["steady_state_bound"] = 0.5; }},
      {"E-32", "does not come near the 53.002 % of the model",
       [](Json& d) { d["runs"][1]["gemm_utilisation"] = 0.47; }},
      {"E-32", "is above the bound of 50.000 % of the model round_trips",
       [](Json& d) { d["runs"][1]["theory"]["round_trips"]["gemm_utilisation"] = 0.5; }},
      {"E-32", "is not slower than 32x64x32 load_ref with one",
       [](Json& d) {
         d["runs"][0]["composite_window_ns"] = 1449;
         d["runs"][0]["pe_window_ns"] = 1449;
         d["runs"][0]["pe_exec_ns"] = 1449;
       }},
  };
  for (const Breakage& breakage : cases) {
    Json data = sweep();
    breakage.spoil(data);
    const std::vector<Violation> found = check_gemm(data);
    ASSERT_FALSE(found.empty()) << breakage.says;
    const bool named = std::any_of(found.begin(), found.end(), [&](const Violation& v) {
      return v.rule == breakage.rule && v.text.find(breakage.says) != std::string::npos;
    });
    EXPECT_TRUE(named) << breakage.rule << ": " << breakage.says << "; found " << found[0].rule << ": "
                       << found[0].text;
  }
}

// Two tiles with fewer rows and columns move fewer bytes than one whole tile: nothing follows.
TEST(GemmChecks, OnlyShapesOfWhichOneCoversTheOtherAreCompared_E32) {
  Json data = sweep();
  Json& many = data["runs"][1];
  const double window = many["composite_window_ns"];
  for (const char* member : {"composite_window_ns", "pe_window_ns", "pe_exec_ns"}) data["runs"][0][member] = window;
  many["m"] = 16;
  for (const Violation& violation : check_gemm(data)) EXPECT_EQ(violation.text.find("not slower"), std::string::npos);
  many["m"] = 32;
  bool found = false;
  for (const Violation& violation : check_gemm(data)) {
    found = found || violation.text.find("not slower") != std::string::npos;
  }
  EXPECT_TRUE(found);
}

TEST(GemmChecks, FiguresShowTheDataAndWhereItIsFrom_E27_E31) {
  Json data = sweep();
  data["runs"].push_back(run(48, 1449));
  data["runs"][2]["variant"] = "ref";
  data["runs"][2]["shape"] = "9x9x9";  // another variant is not drawn
  const std::vector<Figure> figures = gemm_figures(data);
  std::vector<std::string> names;
  for (const Figure& figure : figures) {
    names.push_back(figure.name);
    EXPECT_THAT(figure.script, HasSubstr("topology x.yaml with tile_m=64, configuration 0123456789ab"));
    EXPECT_THAT(figure.script, HasSubstr("4096 MAC/ns = 16 ns per tile"));
    EXPECT_THAT(figure.script, HasSubstr("32x3072x32\\n48 tiles"));
    EXPECT_THAT(figure.script, testing::Not(HasSubstr("9x9x9")));
  }
  EXPECT_THAT(names, testing::ElementsAre("gemm_stage_breakdown", "gemm_mac_utilization_measured",
                                          "gemm_mac_utilization_theoretical_vs_measured"));
  EXPECT_THAT(figures[1].script, HasSubstr(plot_number(100 * 16.0 * 48 / 1449)));  // simulated, not the model's 90
  EXPECT_THAT(figures[1].script, testing::Not(HasSubstr(" 90 \"")));
  EXPECT_THAT(figures[2].script, HasSubstr(" 90 \""));
  data["does_not_fit"] = {{{"shape", "9999x9999x32"}, {"variant", "load_ref"}, {"reason", "no room"}}};
  for (const Figure& figure : gemm_figures(data)) {
    EXPECT_THAT(figure.script, HasSubstr("9999x9999x32\\ndoes not fit"));
  }
  data["figures"]["excluded"] = {"32x64x32", "32x3072x32"};
  EXPECT_THAT(gemm_figures(data), testing::IsEmpty());
}

TEST(GemmChecks, TheTableHasARowPerRun_E6) {
  const std::string csv = gemm_csv(sweep());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_THAT(csv, HasSubstr("\n32,3072,32,load_ref,false,48,1449.0,1499.0,1509.0,"));
}

TEST(GemmSweep, PointsAreShapesTimesVariants_E17_E18) {
  const std::vector<Point> points = gemm_evaluation({})->points({});
  EXPECT_EQ(points.size(), 24u);
  std::set<std::string> ids;
  for (const Point& point : points) ids.insert(point.id);
  EXPECT_EQ(ids.size(), 24u);
  EXPECT_EQ(ids.count("32x3072x32_load_ref"), 1u);
  EXPECT_EQ(gemm_evaluation({"8x8x8,16x32x8", ""})->points({}).size(), 6u);
  for (const char* wrong : {"8x8", "8x8x", "8x8x8x8", "0x8x8", "8x8x8;9x9x9", "a", "8x8x8,8x8x8", "8x8x99999999"}) {
    EXPECT_THROW(gemm_evaluation({wrong, ""}), Error) << wrong;
    EXPECT_THROW(gemm_evaluation({"", wrong}), Error) << wrong;
  }
  EXPECT_THROW(gemm_evaluation({"8x8x8", "9x9x9"})->points({}), Error);              // none of the shapes
  EXPECT_THROW(gemm_evaluation({"8x8x8,9x9x9", "9x9x9,8x8x8"})->points({}), Error);  // none is left
}

// On a data file that is there: what is drawn can change, what was measured cannot.
TEST(GemmSweep, ChoicesOfTheCommandLineApplyToStoredData_E4) {
  const auto excluded = [](const EvaluationOptions& options) {
    Json data = sweep();
    data["figures"]["excluded"] = {"32x64x32"};
    gemm_evaluation(options)->choose(data);
    return data["figures"]["excluded"];
  };
  EXPECT_EQ(excluded({}), Json({"32x64x32"}));
  EXPECT_EQ(excluded({"", "32x3072x32"}), Json({"32x3072x32"}));
  EXPECT_EQ(excluded({"32x3072x32,32x64x32", ""}), Json::array());
  EXPECT_THROW(excluded({"32x64x32", ""}), Error);
  EXPECT_THROW(excluded({"", "9x9x9"}), Error);
  EXPECT_THROW(excluded({"", "32x64x32,32x3072x32"}), Error);
}

// A shape that a variant has no room for is not a failure, and no measurement either.
TEST(GemmSweep, AShapeThatDoesNotFitIsNamed) {
  const std::unique_ptr<IEvaluation> evaluation = gemm_evaluation({"8x8x8", ""});
  const Point point = evaluation->points({})[1];
  EXPECT_EQ(evaluation->row_of_failure(point, "SHAPE_ERROR", "no"), std::nullopt);
  const topology::LoadedTopology machine = topology::load(KB_SOURCE_DIR "/configs/one_pe.yaml");
  const Json row = *evaluation->row_of_failure(point, "OUT_OF_SCRATCH", "4 KiB are missing");
  EXPECT_THROW(evaluation->data(machine, {row}), Error);  // nothing is left
  Json data = sweep();
  data["does_not_fit"] = {{{"shape", "8x8x8"}, {"variant", "load_ref"}, {"reason", "4 KiB are missing"}}};
  EXPECT_THAT(evaluation->remarks(data),
              testing::ElementsAre("8x8x8 load_ref does not fit and has no figures: 4 KiB are missing"));
}

}  // namespace
}  // namespace kb::evaluate
