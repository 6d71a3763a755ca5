#include "sim/run/driver/text_report.h"

#include <gmock/gmock.h>

namespace kb::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

topology::MachineSpec spec() {
  topology::MachineSpec s;
  s.sip_count = 2;
  s.cube_mesh_w = s.cube_mesh_h = 4;
  s.corners = {topology::Corner::NW, topology::Corner::NE, topology::Corner::SW, topology::Corner::SE};
  s.pe_per_corner = 2;
  return s;
}

RunRecord sample() {
  RunRecord run;
  run.topology_file = "m.yaml";
  run.workload = "vector-add";
  run.params = {{"elements", {"64", "command line"}}, {"dtype", {"f16", "default"}}};
  run.config = {{"a.b", {"1", "default"}}, {"c.d", {"2", "--set"}}, {"e.f", {"3", "file"}}};
  run.device = "all";
  run.data_mode = "off";
  run.sim_time = 1234.5_ns;
  run.figures = {{"throughput", 1234.5678, "GB/s", "bytes over the critical path"}};
  run.host = {2.0, 1.9, 64.0, 3'000'000};
  return run;
}

TEST(TextReport, SaysWhatWasSimulatedHowLongAndWhereTheFilesAre) {
  const std::string text = render_report(sample(), spec(), {{"result", "out/result.json"}});
  EXPECT_THAT(text, HasSubstr("m.yaml: 2 SIPs x 16 cubes x 8 PEs = 256 PEs"));
  EXPECT_THAT(text, HasSubstr("vector-add  elements=64 (command line)  dtype=f16\n"));
  EXPECT_THAT(text, HasSubstr("1234.5 ns"));
  EXPECT_THAT(text, HasSubstr("2.00 s (1.90 s CPU), 64 MB, 3000000 events, 1.50 million per second"));
  EXPECT_THAT(text, HasSubstr("out/result.json"));
  EXPECT_THAT(text, HasSubstr("  throughput  1234.57  GB/s  bytes over the critical path\n"));
}

TEST(TextReport, SaysHowMuchOfTheArraysWorkWasPadding) {  // P-28
  RunRecord run = sample();
  LaunchRecord launch;
  launch.kernel = "gemv";
  launch.summary.pes = 1;
  launch.summary.macs = 64;
  launch.summary.useful_macs = 2;
  run.launches = {launch, launch};
  launch.kernel = "gemm";
  launch.summary.useful_macs = 64;
  run.launches.push_back(launch);
  const std::string text = render_report(run, spec(), {});
  EXPECT_THAT(text, HasSubstr("  96.9 % of the MAC array's work in gemv was padding: "));
  EXPECT_THAT(text, Not(HasSubstr("work in gemm was")));
}

TEST(TextReport, LaunchesHaveTheirLabels) {
  RunRecord run = sample();
  LaunchRecord launch;
  launch.id = 7;
  launch.kernel = "gemm";
  launch.label = "second layer";
  launch.error_code = "SHAPE_ERROR";
  launch.error_message = "at sip0.cube0.pe0";
  run.launches = {launch};
  const std::string text = render_report(run, spec(), {});
  EXPECT_THAT(text, HasSubstr("7  gemm (second layer)"));
  EXPECT_THAT(text, HasSubstr("  launch 7 (gemm (second layer)) failed: SHAPE_ERROR: "));
}

// What was left empty was not used.
TEST(TextReport, TheWorkloadLineHasNoEmptyParameters) {
  RunRecord run = sample();
  run.params.emplace_back("algorithm", ConfigEntry{"", "default"});
  EXPECT_THAT(render_report(run, spec(), {}), HasSubstr("vector-add  elements=64 (command line)  dtype=f16\n"));
}

TEST(TextReport, NamesWhatDiffersFromTheReferenceOverridesFirst) {
  RunRecord run = sample();
  run.settings = differing_settings(run.config, {{"a.b", {"1", "default"}}, {"c.d", {"7", "default"}}});
  const std::string text = render_report(run, spec(), {});
  EXPECT_THAT(text, HasSubstr("c.d = 2 (--set, reference: 7)"));
  EXPECT_THAT(text, HasSubstr("e.f = 3 (file, not in the reference)"));
  EXPECT_LT(text.find("c.d"), text.find("e.f"));
  EXPECT_THAT(text, Not(HasSubstr("a.b")));
}

TEST(TextReport, VerdictTellsWhetherTheDataWasRight) {
  RunRecord run = sample();
  EXPECT_THAT(render_report(run, spec(), {}), HasSubstr("ok  times only"));
  run.data_mode = "replay";
  data::VerificationRow row;
  row.tensor = "c";
  row.shape = {1, 1};
  run.verification = {row};
  EXPECT_THAT(render_report(run, spec(), {}), HasSubstr("1 tensor verified: the data is right"));
  run.ok = false;
  run.error_code = "VERIFICATION_FAILED";
  run.error_message = "wrong contents in c";
  EXPECT_THAT(render_report(run, spec(), {}), HasSubstr("FAILED  VERIFICATION_FAILED: wrong contents in c"));
}

TEST(TextReport, LongListsAreCutAndSaySo) {
  RunRecord run = sample();
  for (int i = 0; i < 40; ++i) {
    run.config["k." + std::to_string(i)] = {"1", "file"};
    LaunchRecord launch;
    launch.id = static_cast<std::uint64_t>(i);
    launch.kernel = "copy";
    launch.sip = SipId(0);
    run.launches.push_back(launch);
  }
  run.settings = differing_settings(run.config, {});
  const std::string text = render_report(run, spec(), {});
  EXPECT_THAT(text, HasSubstr("... and 31 more that differ from the reference"));
  EXPECT_THAT(text, HasSubstr("... and 24 more in the result file"));
}

TEST(TextReport, LaunchTimesAlignAndFailuresNameTheirCause) {
  RunRecord run = sample();
  LaunchRecord good;
  good.id = 4;
  good.kernel = "copy";
  good.sip = SipId(0);
  good.start = 72'689'205'098_fs;
  good.completed = 74'163'530'160_fs;
  LaunchRecord bad = good;
  bad.id = 5;
  bad.start = bad.completed = kNever;
  bad.error_code = "SHAPE_ERROR";
  bad.error_message = "at sip0.cube0.pe0";
  run.launches = {good, bad};
  const std::string text = render_report(run, spec(), {});
  EXPECT_THAT(text, HasSubstr("72689.205  74163.530"));
  EXPECT_THAT(text, HasSubstr("start: the first PE enters the kernel;"));
  EXPECT_THAT(text, HasSubstr("  launch 5 failed: SHAPE_ERROR: at sip0.cube0.pe0\n"));
  EXPECT_THAT(text, Not(HasSubstr("launch 4 failed")));
}

}  // namespace
}  // namespace kb::sim
