#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "sim/study/probe/probe.h"

namespace kb::sim {
namespace {

using testing::HasSubstr;

ProbeResult result(const std::string& name, TimeFs actual) {
  ProbeResult r;
  r.probe.name = name;
  r.actual = r.completed = actual;
  r.status = "OK";
  return r;
}

int failures(const std::vector<ProbeResult>& results) {
  int count = 0;
  for (const ProbeCheck& check : check_probe(results)) count += check.ok ? 0 : 1;
  return count;
}

TEST(ProbeChecks, HopCasesMustIncreaseStrictly) {  // H-88
  EXPECT_EQ(failures({result("h2d-1hop", 5_fs), result("h2d-2hop", 6_fs), result("h2d-3hop", 7_fs)}), 0);
  EXPECT_EQ(failures({result("h2d-1hop", 5_fs), result("h2d-2hop", 5_fs)}), 1);
  EXPECT_EQ(failures({result("d2h-1hop", 5_fs), result("d2h-3hop", 4_fs)}), 1);
}

// A memory with banks has a clock.
TEST(ProbeChecks, AnUnsteadyMemoryMayDifferByThat) {
  const std::vector<ProbeResult> results{result("h2d-1hop", 7_fs), result("h2d-2hop", 5_fs)};
  EXPECT_TRUE(check_probe(results, 3_fs).front().ok);
  EXPECT_NE(check_probe(results, 3_fs).front().text.find("of the memory's clock, without refresh"), std::string::npos);
  EXPECT_FALSE(check_probe(results, 2_fs).front().ok);
}

TEST(ProbeChecks, ARefreshIsNotCompared) {  // H-88
  std::vector<ProbeResult> results{result("h2d-1hop", 9_fs), result("h2d-2hop", 6_fs)};
  results[0].without_refresh = ProbeTimes{5_fs, 5_fs};
  EXPECT_EQ(failures(results), 0);
  EXPECT_NE(check_probe(results).front().text.find("h2d-1hop 0.000005 < h2d-2hop 0.000006"), std::string::npos);
  results[0].formula.wire = 6_fs;
  EXPECT_EQ(failures(results), 1) << "the formula is a lower bound of the time without a refresh";
}

TEST(ProbeChecks, ReadsMayEqualWritesButNotBeatThem) {
  EXPECT_EQ(failures({result("h2d-1hop", 5_fs), result("d2h-1hop", 5_fs)}), 0);
  EXPECT_EQ(failures({result("h2d-1hop", 5_fs), result("d2h-1hop", 4_fs)}), 1);
}

TEST(ProbeChecks, PeDistanceChain) {  // H-89, H-93
  const auto chain = [](TimeFs same, TimeFs cross, TimeFs best, TimeFs sip) {
    return std::vector<ProbeResult>{result("pe-local-hbm", 10_fs), result("pe-same-half-hbm", same),
                                    result("pe-cross-half-hbm", cross), result("pe-cross-cube-hbm-best", best),
                                    result("pe-cross-sip-hbm", sip)};
  };
  EXPECT_EQ(failures(chain(11_fs, 12_fs, 12_fs, 12_fs)), 0);
  EXPECT_EQ(failures(chain(10_fs, 12_fs, 13_fs, 14_fs)), 1);
  EXPECT_EQ(failures(chain(11_fs, 11_fs, 13_fs, 14_fs)), 1);
  EXPECT_EQ(failures(chain(11_fs, 12_fs, 11_fs, 14_fs)), 1);
  EXPECT_EQ(failures(chain(11_fs, 12_fs, 13_fs, 12_fs)), 1);
}

TEST(ProbeChecks, OnePointIsNoComparison) {
  EXPECT_TRUE(check_probe({result("h2d-1hop", 5_fs)}).empty());
}  // H-91

TEST(ProbeChecks, FasterThanTheFormulaFails) {  // F-64
  ProbeResult r = result("pe-local-hbm", 10_fs);
  r.formula.overhead = 4_fs;
  r.formula.drain = 6_fs;
  EXPECT_EQ(failures({r}), 0);
  r.formula.wire = 1_fs;
  EXPECT_EQ(failures({r}), 1);
}

TEST(ProbeChecks, AnErrorResponseFails) {
  ProbeResult r = result("pe-local-hbm", 10_fs);
  r.status = "ADDRESS_ERROR";
  EXPECT_EQ(failures({r}), 1);
}

TEST(Probe, UnknownCaseIsAUsageErrorWithASuggestion) {  // H-91
  const topology::LoadedTopology machine = topology::load_text(
      "system: {sips: {count: 1}}\nsip: {cube_mesh: {w: 1, h: 1}}\ncube: {pe_layout: {corners: [NW], pe_per_corner: "
      "1}}\n",
      "t");
  try {
    run_probe(machine, "pe-local-hmb");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_THAT(error.what(), HasSubstr("pe-local-hbm"));
  }
}

}  // namespace
}  // namespace kb::sim
