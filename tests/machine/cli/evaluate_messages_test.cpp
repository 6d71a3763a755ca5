// The evaluations of messages, collectives and attention: whole runs on small machines (chapter 09).
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class EvaluateMessagesTest : public CommandLineTest {
 protected:
  // Two SIPs of 2 x 2 cubes of three PEs, one of them beside PE 0 and one below it.
  void SetUp() override {
    CommandLineTest::SetUp();
    machine_ = folder() + "/" +
               write("machine.yaml",
                     "system: { sips: { count: 2 } }\nsip: { cube_mesh: { w: 2, h: 2 } }\n"
                     "cube: { pe_layout: { corners: [NW, NE, SW], pe_per_corner: 1 } }\n");
  }
  Outcome evaluate(const std::string& name, const std::string& options, const std::string& prefix = "") const {
    return kernbench("evaluate " + name + " --topology '" + machine_ + "' " + options, prefix);
  }
  void expect_drawn(const std::string& out, const std::vector<std::string>& figures, const Json& data) const {
    for (const std::string& figure : figures) {
      EXPECT_EQ(read(out + "/" + figure + ".png").substr(1, 3), "PNG") << figure;
      EXPECT_THAT(read(out + "/" + figure + ".svg"), HasSubstr(data["config_digest"].get<std::string>().substr(0, 12)))
          << figure;
    }
  }
  double latency(const Json& data, const std::string& set, const std::string& what, std::int64_t n_elem) const {
    for (const Json& run : data["runs"]) {
      const bool same =
          run["set"] == set && run["n_elem"] == n_elem && (run["topology"] == what || run["slots_cost_as"] == what);
      if (same) return run["latency_ns"];
    }
    ADD_FAILURE() << "no run " << set << " " << what << " " << n_elem;
    return 0;
  }
  std::string machine_;
};

TEST_F(EvaluateMessagesTest, TheAllReduceSweepPassesItsChecks_E12_E34_E37_E41_E45_E46_E76) {
  write("ccl.yaml", "defaults: { buffer_kind: no such memory }\n");  // of the working directory: not for evaluations
  const Outcome outcome = evaluate("allreduce", "--out out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("checks passed"));
  EXPECT_THAT(outcome.err, HasSubstr("measured with 6 SIPs instead of the machine's 2"));
  const Json data = Json::parse(read("out/allreduce.json"));
  expect_drawn("out",
               {"allreduce_latency", "allreduce_latency_ring_1d", "allreduce_latency_torus_2d",
                "allreduce_latency_mesh_2d_no_wrap", "allreduce_buffer_kinds", "allreduce_roots",
                "allreduce_comparison", "allreduce_topology"},
               data);
  EXPECT_EQ(data["empty_launch"]["spread_ns"], 0);
  int verified = 0;
  for (const Json& run : data["runs"]) verified += run.value("correct", false) ? 1 : 0;
  EXPECT_EQ(verified, 39 + 12);
  EXPECT_LT(latency(data, "sweep", "torus_2d", 49152), latency(data, "sweep", "ring_1d", 49152));
  const double tcm = latency(data, "buffers", "tcm", 32768), hbm = latency(data, "buffers", "hbm", 32768),
               sram = latency(data, "buffers", "sram", 32768);
  EXPECT_LT(tcm, hbm);
  EXPECT_LT(hbm, sram);
  // To a femtosecond per access: the same kernel with TCM slots that cost as much.
  EXPECT_NEAR(hbm, latency(data, "stand_ins", "hbm", 32768), 1e-3);
  EXPECT_NEAR(sram, latency(data, "stand_ins", "sram", 32768), 1e-3);

  Json spoiled = data;
  spoiled["runs"][0]["correct"] = false;
  write("out/allreduce.json", spoiled.dump());
  const Outcome wrong = kernbench("evaluate allreduce --fast --out out");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("check E-37 failed: ring_1d of 6 SIPs, 16 B per PE"));
}

TEST_F(EvaluateMessagesTest, AnExternalMeasurementIsData_E91) {
  write("mine.json", R"({"point": {"label": "my card", "origin": "my desk", "bytes": 98304, "latency_ns": 9000}})");
  const Outcome missing = evaluate("allreduce", "--reference nowhere.json");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("nowhere.json"));
  EXPECT_EQ(evaluate("allreduce", "--set system.sips.count=4").code, 2);
  machine_ = folder() + "/" +
             write("tiny.yaml",
                   "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\ncube: { pe_layout: { corners: "
                   "[NW], pe_per_corner: 1 } }\n");
  ASSERT_EQ(evaluate("allreduce", "--out out --reference mine.json").code, 0);
  EXPECT_THAT(read("out/allreduce_comparison.svg"), AllOf(HasSubstr("my card"), HasSubstr("my desk")));
  EXPECT_FALSE(fs::exists(folder() + "/out/allreduce_roots.png"));  // one cube has no corners
  write("other.json", "{}");
  ASSERT_EQ(kernbench("evaluate allreduce --fast --out out --reference other.json").code, 0);
  EXPECT_FALSE(fs::exists(folder() + "/out/allreduce_comparison.svg"));
}

TEST_F(EvaluateMessagesTest, AttentionPanels_E68_E70_E71_E72) {
  machine_ = config("reference");
  const Outcome outcome = evaluate("gqa", "--out out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json data = Json::parse(read("out/gqa.json"));
  expect_drawn("out",
               {"gqa_op_log_single_user_prefill", "gqa_op_log_multi_user_prefill", "gqa_op_log_single_user_decode",
                "gqa_op_log_multi_user_decode", "gqa_comparison", "gqa_headline", "gqa_scaling"},
               data);
  const Json counts = data["runs"][0]["counts"];
  EXPECT_EQ(counts, (Json{{"gemm", 128}, {"ipcq_send", 112}, {"ipcq_recv", 112}, {"dma_read", 24}, {"dma_write", 8}}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(data["runs"][i]["correct"], true) << i;
}

}  // namespace
}  // namespace kb::test
