#include "sim/run/driver/run_record.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "platform/contract/completion.h"
#include "sim/result/write.h"
#include "sim/run/driver/run_result.h"

namespace kb::sim {
namespace {

using nlohmann::json;

std::string render_result(const RunRecord& run, Detail detail = Detail::everything) {
  std::string text;
  result::render(result_of(run, detail), [&text](std::string_view piece) { text += piece; });
  return text;
}

RunRecord sample() {
  RunRecord run;
  run.topology_file = "a.yaml";
  run.topology_sha256 = "ff";
  run.config["cube.links.router_link_bw_gbs"] = {"128", "--set"};
  run.config["system.sip_topology"] = {"ring_1d", "default"};
  run.workload = "gemm-single-pe";
  run.params = {{"m", {"512", "command line"}}, {"dtype", {"f16", "default"}}};
  run.seed = 3;
  run.device = "all";
  run.data_mode = "replay";
  run.sim_time = 12'345'678_fs;
  LaunchRecord launch;
  launch.id = 4;
  launch.kernel = "gemm";
  launch.label = "first layer";
  launch.sip = SipId(1);
  launch.submitted = 1_fs;
  launch.start = 2_ns;
  launch.completed = 9.5_ns;
  launch.ok = true;
  contract::PeResult pe;
  pe.pe = {SipId(1), CubeId(2), PeId(3)};
  pe.exec = 5_ns;
  pe.late = 250'000_fs;
  launch.set_results({pe}, true);
  run.launches = {launch};
  run.blocks = {{"sip0.cube0.sram", "sram", {{"busy", 1'500'000, "ns", "busy"}, {"bytes", 64, "B", "bytes"}}}};
  data::VerificationRow row;
  row.tensor = "c";
  row.dtype = Dtype::f16;
  row.shape = {2, 3};
  row.tolerance = 0.5;
  row.non_finite = 2;
  row.max_of_bound = 3.5;
  row.equal = row.ok = false;
  row.roundings = {"sums"};
  row.failures = 2;
  row.first_failure = 4;
  row.first_actual = 1.5;
  row.first_expected = 1;
  run.verification = {row};
  run.host = {1.5, 1.25, 80.0, 1000};
  return run;
}

TEST(RunRecord, IsValidJsonWithTheContractsMembers) {
  const json document = json::parse(render_result(sample()));
  EXPECT_EQ(document["schema"], result::kSchema);
  EXPECT_EQ(document["topology"]["sha256"], "ff");
  EXPECT_EQ(document["config"]["cube.links.router_link_bw_gbs"]["value"], 128);
  EXPECT_EQ(document["config"]["cube.links.router_link_bw_gbs"]["origin"], "--set");
  EXPECT_EQ(document["config"]["system.sip_topology"]["value"], "ring_1d");
  EXPECT_EQ(document["bench"]["params"]["m"]["value"], 512);
  EXPECT_EQ(document["seed"], 3);
  EXPECT_EQ(document["ok"], true);
  EXPECT_TRUE(document["error"].is_null());
  EXPECT_EQ(document["launches"][0]["per_pe"][0]["late_ns"], 0.25);
  EXPECT_EQ(document["launches"][0]["late_pes"], 1);
  EXPECT_EQ(document["launches"][0]["label"], "first layer");
  EXPECT_EQ(document["blocks"]["sip0.cube0.sram"]["bytes"]["value"], 64);
  EXPECT_EQ(document["verification"][0]["shape"], (json{2, 3}));
  EXPECT_EQ(document["verification"][0]["non_finite"], 2);
  EXPECT_EQ(document["verification"][0]["max_of_bound"], 3.5);
  EXPECT_EQ(document["verification"][0]["rule"], "bound");
  EXPECT_EQ(document["verification"][0]["roundings"], json{"sums"});
  EXPECT_EQ(document["verification"][0]["wrong_elements"], 2);
  EXPECT_EQ(document["verification"][0]["first_wrong"], (json{{"index", {1, 1}}, {"expected", 1}, {"actual", 1.5}}));
  EXPECT_EQ(document["verification"][0]["status"], "wrong");
  EXPECT_FALSE(document["verification"][0].contains("unverified_elements"));
  EXPECT_EQ(document["host"]["events"], 1000);
}

// As numbers they would all be null.
TEST(RunRecord, TellsNaNsAndInfinitiesApart) {
  RunRecord run = sample();
  const auto first_wrong = [&](double expected, double actual) {
    run.verification[0].first_expected = expected;
    run.verification[0].first_actual = actual;
    return json::parse(render_result(run))["verification"][0]["first_wrong"];
  };
  EXPECT_EQ(first_wrong(HUGE_VAL, -HUGE_VAL), (json{{"index", {1, 1}}, {"expected", "inf"}, {"actual", "-inf"}}));
  EXPECT_EQ(first_wrong(std::nan(""), 2), (json{{"index", {1, 1}}, {"expected", "nan"}, {"actual", 2}}));
}

TEST(RunRecord, NamesElementsThatWereNotVerified) {
  RunRecord run = sample();
  run.verification[0].failures = 0;
  run.verification[0].unverified = 3;
  run.verification[0].first_unverified = 2;
  const json row = json::parse(render_result(run))["verification"][0];
  EXPECT_EQ(row["status"], "not verified");
  EXPECT_EQ(row["ok"], false);
  EXPECT_EQ(row["unverified_elements"], 3);
  EXPECT_EQ(row["first_unverified"], (json{0, 2}));
  EXPECT_FALSE(row.contains("first_wrong"));
}

TEST(RunRecord, NamesWhatDiffersFromTheReference) {
  RunRecord run = sample();
  run.settings = differing_settings(
      run.config, {{"cube.links.router_link_bw_gbs", {"256", "file"}}, {"system.sip_topology", {"ring_1d", "file"}}});
  EXPECT_EQ(
      json::parse(render_result(run))["settings"],
      (json{{{"key", "cube.links.router_link_bw_gbs"}, {"value", 128}, {"origin", "--set"}, {"reference", 256}}}));
}

TEST(RunRecord, AFailedLaunchNamesItsCause) {
  RunRecord run = sample();
  EXPECT_TRUE(json::parse(render_result(run))["launches"][0]["error"].is_null());
  run.launches[0].ok = false;
  run.launches[0].error_code = "SHAPE_ERROR";
  run.launches[0].error_message = "kernel gemm, tl.dot #3";
  EXPECT_EQ(json::parse(render_result(run))["launches"][0]["error"],
            (json{{"code", "SHAPE_ERROR"}, {"message", "kernel gemm, tl.dot #3"}}));
}

TEST(RunRecord, TimesAreExactNanoseconds) {
  const std::string text = render_result(sample());
  EXPECT_THAT(text, testing::HasSubstr("\"sim_time_ns\": 12.345678,"));
  EXPECT_THAT(text, testing::HasSubstr("\"submit_ns\": 0.000001,"));
  EXPECT_THAT(text, testing::HasSubstr("\"busy\": {\"value\": 1.5, \"unit\": \"ns\"}"));
}

TEST(RunRecord, OnlyTheHostMemberDependsOnTheComputer) {
  RunRecord a = sample(), b = sample();
  b.host = {9.0, 9.0, 9.0, 9};
  json left = json::parse(render_result(a)), right = json::parse(render_result(b));
  EXPECT_NE(left, right);
  left.erase("host");
  right.erase("host");
  EXPECT_EQ(left, right);
}

TEST(RunRecord, ErrorsCarryCodeAndMessage) {
  RunRecord run = sample();
  run.ok = false;
  run.error_code = "NO_REQUESTS";
  run.error_message = "line one\nline \"two\"";
  run.launches[0].completed = kNever;
  const json document = json::parse(render_result(run));
  EXPECT_EQ(document["error"]["code"], "NO_REQUESTS");
  EXPECT_EQ(document["error"]["message"], "line one\nline \"two\"");
  EXPECT_TRUE(document["launches"][0]["completed_ns"].is_null());
}

TEST(RunRecord, ScalarsSpelledAsNumbersAreNumbers) {
  for (const char* text : {"0", "-1", "12.5", "1e9", "2.5E-3", "true", "false"})
    EXPECT_EQ(result::json_scalar(text), text);
  for (const char* text : {"", "007", "+1", ".5", "5.", "0x10", "1e", "nan", "N", "1 2"}) {
    EXPECT_EQ(result::json_scalar(text), '"' + std::string(text) + '"');
  }
}

// However long the text is: it is written in pieces.
TEST(RunRecord, ManyLaunchesAreComplete) {
  RunRecord run = sample();
  const LaunchRecord first = run.launches[0];
  run.launches.assign(5000, first);
  std::size_t pieces = 0;
  std::string text;
  result::render(result_of(run, Detail::launches), [&](std::string_view piece) {
    ++pieces;
    text += piece;
  });
  EXPECT_GT(pieces, 2u);
  const json launches = json::parse(text)["launches"];
  ASSERT_EQ(launches.size(), 5000u);
  json last = launches[4999];
  EXPECT_EQ(last["ordinal"], 4999);
  last["ordinal"] = 0;
  EXPECT_EQ(launches[0], last);
}

// What is summarised does not depend on whether the results of the PEs are kept.
TEST(RunRecord, ALaunchWithoutResultsOfPesHasTheSameFigures) {
  RunRecord run = sample();
  run.launches[0].set_results(std::vector<contract::PeResult>(run.launches[0].pes), false);
  json whole = json::parse(render_result(sample()))["launches"][0],
       part = json::parse(render_result(run))["launches"][0];
  EXPECT_EQ(whole["per_pe"].size(), 1u);
  EXPECT_EQ(part["per_pe"].size(), 0u);
  whole.erase("per_pe");
  part.erase("per_pe");
  EXPECT_EQ(whole, part);
}

TEST(RunRecord, DumpedConfigurationIsPartOfTheResult) {
  const json config = json::parse(result::render(setup_of(sample())));
  const json result = json::parse(render_result(sample()));
  for (const auto& [key, value] : config.items()) EXPECT_EQ(value, result[key]) << key;
}

}  // namespace
}  // namespace kb::sim
