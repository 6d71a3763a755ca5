// Points, relations and figures of the attention evaluation (E-68 .. E-73).
#include <gmock/gmock.h>

#include <functional>

#include "platform/base/error.h"
#include "sim/evaluate/gqa/gqa_evaluation.h"
#include "sim/evaluate/gqa/panels.h"

namespace kb::evaluate {
namespace {

using testing::HasSubstr;

TEST(GqaPoints, FourPanelsTwiceAndTheSweepOfQueries_E68_K87_K92) {
  const topology::LoadedTopology machine = topology::load(KB_SOURCE_DIR "/configs/reference.yaml");
  std::vector<std::string> ids;
  for (const Point& point : gqa_evaluation({})->points(machine)) {
    ids.push_back(point.id);
    EXPECT_EQ(point.verify, point.id.rfind("validation_", 0) == 0) << point.id;
    EXPECT_FALSE(point.ccl.empty());
  }
  EXPECT_THAT(ids, testing::ElementsAre(
                       "validation_single_user_prefill", "validation_multi_user_prefill",
                       "validation_single_user_decode", "validation_multi_user_decode", "headline_single_user_prefill",
                       "headline_multi_user_prefill", "headline_single_user_decode", "headline_multi_user_decode",
                       "scaling_multi_user_prefill_1", "scaling_multi_user_prefill_2", "scaling_multi_user_prefill_4",
                       "scaling_multi_user_decode_1", "scaling_multi_user_decode_2", "scaling_multi_user_decode_4"));
  EXPECT_EQ(gqa_ranks(gqa_panels()[0], machine.graph.spec), 8);
  EXPECT_EQ(gqa_ranks(gqa_panels()[1], machine.graph.spec), 4);
  EXPECT_THROW(gqa_evaluation({"", "x", ""}), Error);
}

Json run(const char* set, const char* panel, bool prefill, int axis, int ranks, int queries, double time, int gemm,
         int messages) {
  const bool large = std::string(set) != "validation";
  Json json{{"set", set},
            {"panel", panel},
            {"text", panel},
            {"kernel", "k"},
            {"wiring", "w"},
            {"phase", prefill ? "prefill" : "decode"},
            {"rank_axis", axis},
            {"n_ranks", ranks},
            {"s_q", queries > 0 ? queries : 1},
            {"queries_per_cube", queries},
            {"scale", large ? "headline" : "validation"},
            {"q_heads", large ? 64 : 1},
            {"kv_heads", large ? 8 : 1},
            {"head_dim", large ? 128 : 64},
            {"context", large ? 8192 : 64},
            {"all_ranks", ranks},
            {"working_pes", ranks},
            {"only_pe0_works", axis == 1},
            {"seed", 1},
            {"pe_exec_ns", time},
            {"gflops", 5.0},
            {"counts",
             {{"gemm", gemm}, {"ipcq_send", messages}, {"ipcq_recv", messages}, {"dma_read", 24}, {"dma_write", 1}}}};
  if (!large) {
    json["correct"] = true;
    json["max_abs_error"] = 0.001;
  }
  return json;
}

Json good() {
  const Json runs{run("validation", "single_user_prefill", true, 0, 8, 0, 900, 128, 112),
                  run("validation", "multi_user_prefill", true, 1, 4, 0, 900, 32, 24),
                  run("validation", "single_user_decode", false, 0, 8, 0, 900, 16, 7),
                  run("validation", "multi_user_decode", false, 1, 4, 0, 900, 8, 3),
                  // blocks of 16 keys: 2048 / 16 = 128 of them per rank
                  run("headline", "multi_user_prefill", true, 1, 4, 0, 4e5, 2 * 16 * 128 * 8, 9000),
                  run("headline", "multi_user_decode", false, 1, 4, 0, 15000, 64, 90),
                  run("scaling", "multi_user_decode", false, 1, 4, 1, 15000, 64, 90),
                  run("scaling", "multi_user_decode", false, 1, 4, 2, 20000, 64, 90)};
  return {{"kernbench", "0.1.0"},
          {"topology", {{"file", "x.yaml"}, {"set", Json::object()}}},
          {"config_digest", std::string(64, 'a')},
          {"dtype", "f16"},
          {"slot_bytes", 4096},
          {"runs", runs}};
}

TEST(GqaChecks, AGoodSetPasses) {
  for (const Violation& violation : check_gqa(good())) ADD_FAILURE() << violation.rule << " " << violation.text;
}

TEST(GqaChecks, EachBrokenRelationIsNamed) {
  const std::tuple<const char*, const char*, std::function<void(Json&)>> cases[] = {
      {"E-70", "single_user_prefill at validation scale: wrong contents", [](Json& r) { r[0]["correct"] = false; }},
      {"E-72", "multi_user_prefill at validation scale: 31 GEMMs instead of 32",
       [](Json& r) { r[1]["counts"]["gemm"] = 31; }},
      {"E-72", "single_user_decode at validation scale: 17 GEMMs instead of 16",
       [](Json& r) { r[2]["counts"]["gemm"] = 17; }},
      {"E-72", "multi_user_prefill at headline scale", [](Json& r) { r[4]["counts"]["gemm"] = 1; }},
      {"E-73", "6 messages sent, 7 received", [](Json& r) { r[2]["counts"]["ipcq_send"] = 6; }},
      {"E-73", "PEs other than PE 0", [](Json& r) { r[3]["only_pe0_works"] = false; }},
      {"E-73", "5 PEs work, there are 4 ranks", [](Json& r) { r[3]["working_pes"] = 5; }},
      {"E-71", "not more than the 15000", [](Json& r) { r[7]["pe_exec_ns"] = 15000.0; }},
      {"E-71", "2 times the queries take 2 times", [](Json& r) { r[7]["pe_exec_ns"] = 30000.0; }},
  };
  for (const auto& [rule, says, spoil] : cases) {
    Json data = good();
    spoil(data["runs"]);
    std::string found;
    bool named = false;
    for (const Violation& violation : check_gqa(data)) {
      found += violation.rule + ": " + violation.text + "\n";
      named = named || (violation.rule == rule && violation.text.find(says) != std::string::npos);
    }
    EXPECT_TRUE(named) << rule << " " << says << "; found\n" << found;
  }
}

TEST(GqaFigures, ExactlyThoseInScope_E71_E72) {
  std::vector<std::string> names;
  for (const Figure& figure : gqa_figures(good())) {
    names.push_back(figure.name);
    EXPECT_THAT(figure.script, HasSubstr("aaaaaaaaaaaa")) << figure.name;
  }
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(gqa_figure_names()));
  EXPECT_EQ(names.size(), 7u);
  EXPECT_THAT(gqa_csv(good()), HasSubstr("\nvalidation,single_user_decode,k,w,validation,0,8,8,1,0,1,1,64,64,900.0,5.0,"
                                         "16,7,7,24,1,true,0.001\n"));
}

TEST(GqaFigures, MissingRunsAreNoCrash) {
  Json data = good();
  data["runs"] = Json::array();
  EXPECT_THROW(gqa_figures(data), Error);
}

}  // namespace
}  // namespace kb::evaluate
