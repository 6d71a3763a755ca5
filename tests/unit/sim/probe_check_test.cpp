#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "sim/probe/probe.h"

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
  EXPECT_EQ(failures({result("h2d-1hop", 5), result("h2d-2hop", 6), result("h2d-3hop", 7)}), 0);
  EXPECT_EQ(failures({result("h2d-1hop", 5), result("h2d-2hop", 5)}), 1);
  EXPECT_EQ(failures({result("d2h-1hop", 5), result("d2h-3hop", 4)}), 1);
}

TEST(ProbeChecks, ReadsMayEqualWritesButNotBeatThem) {
  EXPECT_EQ(failures({result("h2d-1hop", 5), result("d2h-1hop", 5)}), 0);
  EXPECT_EQ(failures({result("h2d-1hop", 5), result("d2h-1hop", 4)}), 1);
}

TEST(ProbeChecks, PeDistanceChain) {  // H-89, H-93
  const auto chain = [](TimeFs same, TimeFs cross, TimeFs best, TimeFs sip) {
    return std::vector<ProbeResult>{result("pe-local-hbm", 10), result("pe-same-half-hbm", same),
                                    result("pe-cross-half-hbm", cross), result("pe-cross-cube-hbm-best", best),
                                    result("pe-cross-sip-hbm", sip)};
  };
  EXPECT_EQ(failures(chain(11, 12, 12, 12)), 0);
  EXPECT_EQ(failures(chain(10, 12, 13, 14)), 1);
  EXPECT_EQ(failures(chain(11, 11, 13, 14)), 1);
  EXPECT_EQ(failures(chain(11, 12, 11, 14)), 1);
  EXPECT_EQ(failures(chain(11, 12, 13, 12)), 1);
}

TEST(ProbeChecks, OnePointIsNoComparison) {
  EXPECT_TRUE(check_probe({result("h2d-1hop", 5)}).empty());
}  // H-91

TEST(ProbeChecks, FasterThanTheFormulaFails) {  // F-64
  ProbeResult r = result("pe-local-hbm", 10);
  r.formula.overhead = 4;
  r.formula.drain = 6;
  EXPECT_EQ(failures({r}), 0);
  r.formula.wire = 1;
  EXPECT_EQ(failures({r}), 1);
}

TEST(ProbeChecks, AnErrorResponseFails) {
  ProbeResult r = result("pe-local-hbm", 10);
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
