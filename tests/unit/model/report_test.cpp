#include "platform/model/report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/topology/topology.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::model {
namespace {

using testing::HasSubstr;
using testing::Not;

topology::MachineSpec machine(const std::string& name) {
  return topology::load(std::string(KB_CONFIG_DIR) + "/" + name + ".yaml").graph.spec;
}

ModelReport report_on(const ModelSpec& spec, const std::string& name, const ParallelPlan& plan,
                      const std::string& batch = "1x4096") {
  return make_report(spec, {plan, make_batch({Phase::decode, batch, 0, 1}), {}}, machine(name), name + ".yaml");
}

// M-25: 128 PEs of 8 channels with 32 GB/s, of 4096 MAC and 256 elements per ns; PCIe 256 GB/s.
TEST(Roofs, AreThoseOfTheMachine) {
  const SipRoofs roofs = sip_roofs(machine("reference"), Dtype::bf16);
  EXPECT_EQ(roofs.pes, 128);
  EXPECT_EQ(roofs.hbm.gbs(), 128 * 256.0);
  EXPECT_EQ(roofs.macs.per_ns(), 128 * 4096.0);
  EXPECT_EQ(roofs.elements.per_ns(), 128 * 256.0);
  EXPECT_EQ(roofs.link.gbs(), 256.0);
  EXPECT_EQ(roofs.hbm_bytes, 16 * 48 * kGiB);
  EXPECT_DOUBLE_EQ(sip_roofs(machine("hbm3"), Dtype::bf16).hbm.gbs(), 128 * 8 * 25.6 * 0.965);
  EXPECT_DOUBLE_EQ(sip_roofs(machine("reference"), Dtype::f32).macs.per_ns(),
                   sip_roofs(machine("reference"), Dtype::bf16).macs.per_ns() / 2);
}

// M-26
TEST(Roofs, TheLongestOfThreeIsTheLeastTime) {
  SipRoofs roofs;
  roofs.hbm = Bandwidth(100);
  roofs.link = Bandwidth(10);
  roofs.macs = MacRate(1000);
  roofs.elements = ElementRate(50);
  Work work;
  work.weight_bytes = 3000;
  work.activation_bytes = 500;
  work.cache_bytes = 500;
  EXPECT_EQ(roof_time(work, roofs).all(), 40_ns);
  EXPECT_EQ(roof_time(work, roofs).limit(), Limit::memory);
  work.macs = 30'000;
  work.element_ops = 1000;
  EXPECT_EQ(roof_time(work, roofs).all(), 50_ns);  // 30 + 20: the engines of a PE take turns
  EXPECT_EQ(roof_time(work, roofs).limit(), Limit::compute);
  roofs.engines_share = false;
  EXPECT_EQ(roof_time(work, roofs).all(), 40_ns);
  work.link_bytes = 600;
  EXPECT_EQ(roof_time(work, roofs).all(), 60_ns);
  EXPECT_EQ(roof_time(work, roofs).limit(), Limit::link);
}

// M-27. By hand: 69.5 G parameters without the embedding in bf16 on 8 SIPs of 32768 GB/s are 0.530 ms, 160 MiB of
// cache 5.1 us, and 161 all-reduces of 16 KiB at 2 x 7/8 x 16 KiB / 256 GB/s = 112 ns are 18.0 us.
TEST(Report, DecodeOfSeventyBillionOnEightSips) {
  const ModelReport report = report_on(shipped_model("llama-3.1-70b"), "reference", {8, 1, 1, 1});
  const double weights_us = (70'553'706'496.0 - 128'256.0 * 8192) * 2 / 8 / 32768 / 1000;
  EXPECT_NEAR(weights_us, 530.2, 0.1);
  const double cache_us = 80 * 2 * 4096 * 128 * 2.0 / 32768 / 1000;
  EXPECT_NEAR(fs_to_ns(report.time.memory) / 1000, weights_us + cache_us, 1.0);  // activations, norms
  EXPECT_NEAR(fs_to_ns(report.time.link) / 1000, 161 * 0.112, 0.01);
  EXPECT_NEAR(fs_to_ns(report.time.all) / 1000, 554.1, 0.1);
  EXPECT_TRUE(report.memory[0].fits());
  EXPECT_FALSE(fit_problem(report));
}

TEST(Report, EqualOperationsAreOneRow_M28) {
  const ModelReport report = report_on(tiny_model("llama"), "one_cube", {2, 2, 1, 1});
  std::int64_t count = 0;
  for (const OpGroup& group : report.groups) {
    if (group.first->name == "gate_up") {
      EXPECT_EQ(group.count, 4);
      ASSERT_EQ(group.layers.size(), 1u);
      EXPECT_EQ(group.layers[0].begin, 0);
      EXPECT_EQ(group.layers[0].end, 4);
    }
    count += group.count;
  }
  EXPECT_EQ(static_cast<std::size_t>(count), report.stages[0].ops.size() + report.stages[1].ops.size());
}

// M-27: the time of a token is the sum over stages, and every stage can have a batch.
TEST(Report, StagesAddUpAndWorkAtOneTime) {
  const ModelReport one = report_on(tiny_model("llama"), "one_cube", {}),
                    two = report_on(tiny_model("llama"), "one_cube", {1, 2, 1, 1});
  ASSERT_EQ(two.stage_times.size(), 2u);
  EXPECT_EQ(two.time.all, two.stage_times[0].all + two.stage_times[1].all);
  EXPECT_GT(two.time.all, one.time.all);  // the residual is sent
  EXPECT_DOUBLE_EQ(two.tokens_per_second(), 1e9 / fs_to_ns(std::max(two.stage_times[0].all, two.stage_times[1].all)));
  EXPECT_GT(two.tokens_per_second(), one.tokens_per_second());
  EXPECT_THAT(render_report(two), HasSubstr("tokens/s with a batch in every stage"));
}

// M-35
TEST(Report, AModelThatDoesNotFitIsAnErrorWithARemedy) {
  const ModelReport report = report_on(shipped_model("llama-3.1-70b"), "one_cube", {});
  const std::optional<Error> problem = fit_problem(report);
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->what(), HasSubstr("llama-3.1-70b does not fit in a SIP of one_cube.yaml: 131"));
  EXPECT_THAT(problem->what(), HasSubstr("more than the 48 GiB of its HBM (the smallest that fits is --tp 4)"));
  EXPECT_FALSE(fit_problem(report_on(shipped_model("llama-3.1-70b"), "one_cube", {4, 1, 1, 1})));
  const std::optional<Error> none = fit_problem(report_on(shipped_model("deepseek-v3"), "one_cube", {}));
  ASSERT_TRUE(none);
  EXPECT_THAT(none->what(), HasSubstr("the smallest that fits is --tp 16"));
  const std::optional<Error> never =
      fit_problem(report_on(shipped_model("llama-3.1-70b"), "one_cube", {}, "64x131072"));
  ASSERT_TRUE(never);
  EXPECT_THAT(never->what(), HasSubstr("no --tp fits with --pp 1 and --dp 1; use more stages"));
}

TEST(Report, SaysWhatIsAssumed_M29) {
  std::string notes;
  for (const Diagnostic& note :
       report_notes(report_on(shipped_model("llama-2-7b"), "reference", {4, 1, 1, 1}, "1x5000"))) {
    notes += note.text() + "\n";
  }
  EXPECT_THAT(notes, HasSubstr("the plan needs 4 SIPs and the machine has 2, so 4 equal ones are assumed"));
  EXPECT_THAT(notes,
              HasSubstr("a context of 5000 is longer than the 4096 that the model was made for (--context 4096"));
  EXPECT_TRUE(report_notes(report_on(shipped_model("llama-2-7b"), "reference", {2, 1, 1, 1})).empty());
}

TEST(Report, TheDtypeIsThatOfTheFile_M11) {
  ModelSpec spec = tiny_model("llama", {{"torch_dtype", ""}});
  const ReportChoice open = {{}, make_batch({}), {}};
  EXPECT_THROW(make_report(spec, open, machine("one_cube"), "m"), Error);
  ReportChoice chosen = open;
  chosen.dtype = Dtype::f32;
  EXPECT_EQ(make_report(spec, chosen, machine("one_cube"), "m").weight_bytes(),
            4 * static_cast<std::uint64_t>(parameters(spec).all));
  ReportChoice plain = open;
  plain.dtype = Dtype::bf16;  // without block scales
  EXPECT_EQ(make_report(shipped_model("deepseek-v3"), plain, machine("reference"), "m").spec.scales.has_value(), false);
}

// M-28: sums of the JSON are those of its rows.
TEST(Report, JsonHasTheTensorsOfEveryOperation) {
  const ModelReport report = report_on(tiny_model("qwen3_moe"), "one_cube", {2, 1, 2, 1}, "3x40");
  const nlohmann::json json = nlohmann::json::parse(render_report_json(report));
  EXPECT_EQ(json["plan"]["sips"], 2);
  EXPECT_EQ(json["model"]["moe_layers"], nlohmann::json({1}));
  EXPECT_EQ(json["batch"]["sequences"][0], nlohmann::json({{"count", 3}, {"past", 39}, {"tokens", 1}}));
  double sum = 0;
  for (const nlohmann::json& op : json["by_op"]) {
    sum += op["roofline_ns"].get<double>() * op["count"].get<double>();
    for (const nlohmann::json& tensor : op["weights"]) EXPECT_EQ(tensor["kind"], "weight");
    if (op["op"] != "experts") continue;
    EXPECT_EQ(op["weights"][0]["name"], "model.layers.1.mlp.experts.*.gate_proj.weight");
    EXPECT_EQ(op["weights"][0]["shape"], nlohmann::json({8, 32, 64}));
    EXPECT_EQ(op["weights"][0]["cut"], "experts / 2, whole");
  }
  EXPECT_NEAR(sum, json["roofline_ns"].get<double>(), 1e-6 * sum);
  EXPECT_EQ(render_report_json(report),
            render_report_json(report_on(tiny_model("qwen3_moe"), "one_cube", {2, 1, 2, 1}, "3x40")));
}

TEST(Report, TheTableNamesWhatLimits_M28) {
  const std::string text = render_report(report_on(shipped_model("llama-3.1-8b"), "reference", {}));
  EXPECT_THAT(text, HasSubstr("Parameters  8.03 G; 14.96 GiB in bf16"));
  EXPECT_THAT(text, HasSubstr("Cache       128 KiB per token"));
  EXPECT_THAT(text, HasSubstr("gate_up"));
  EXPECT_THAT(text, Not(HasSubstr("all_reduce")));
}

}  // namespace
}  // namespace kb::model
