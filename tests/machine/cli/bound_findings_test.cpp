// What findings promise is no less than what a machine or workload without their cause brings.
#include "tests/machine/cli/findings.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

struct Relief {
  const char *rule, *run, *relief;
  double most;  // of what is promised over what is measured
};

class Bounds : public FindingsTest {
 protected:
  static constexpr const char* kPlugin = "--plugin " KB_CAUSES_PLUGIN " ";

  // With the routes and choices of the run before.
  Json relieved(const std::string& options) const {
    const Outcome outcome = kernbench("run --quiet --out relieved --pins out " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(read("relieved/result.json"));
  }

  void expect_bound(const Relief& one) const {
    const std::string options = kPlugin + std::string(one.run);
    const Json before = run(options), after = relieved(options + " --set " + one.relief);
    const double promised = finding(before, one.rule)["factor"].get<double>();
    const double measured = longest_launch_ns(before) / longest_launch_ns(after);
    EXPECT_GE(promised, 0.995 * measured) << one.rule << " of " << one.run;
    EXPECT_LE(promised, one.most * measured) << one.rule << " of " << one.run;
  }
};

TEST_F(Bounds, HoldWhereOtherPesAreWaitedFor) {
  const char* const ring =
      "--topology one_cube --bench ccl-allreduce --set n_elem=6144 --set chunk=64 --set algorithm=ring_allreduce --set "
      "n_slots=4 --set 'replace[0].nodes=sip0.cube0.hbm_ctrl.pe3' --set 'replace[0].attrs.access_ns=400'";
  for (const Relief& one : {Relief{"small_messages", ring, "chunk=0", 2},  // was 0.04
                            Relief{"slow_slice", ring, "'replace[0].attrs.access_ns=0'", 2}}) {
    expect_bound(one);
  }
}

// A memory that gives a part of its bandwidth has full wires and idle channels.
TEST_F(Bounds, HoldForAMemoryThatGivesLess) {
  for (const Relief& one : {Relief{"memory_bound",
                                   "--topology one_cube --bench softmax --set rows=8192 --set "
                                   "cube.components.hbm_ctrl.attrs.efficiency=0.2",
                                   "cube.components.hbm_ctrl.attrs.efficiency=1", 1.5},  // was 0.54
                            Relief{"hot_slice",
                                   "--topology reference --bench traffic --set pattern=hot --set move=write --set "
                                   "block=256 --set count=64 --set cube.components.hbm_ctrl.attrs.efficiency=0.5",
                                   "pattern=own", 4}}) {  // was 0.65
    expect_bound(one);
  }
}

// The same nodes delay transfers, messages and the launch.
TEST_F(Bounds, HoldForHeadersOfMessagesAndTransfers) {
  const std::string options = "--topology six_sips_torus --bench ccl-allreduce --set n_elem=192";
  const Json before = run(options), after = relieved(options + " --set cube.links.router_overhead_ns=0");
  for (const Json& finding : before["findings"]) {
    if (finding["headline"].get<std::string>().find("noc_router") == std::string::npos) continue;
    const double promised = finding["factor"], measured = longest_launch_ns(before) / longest_launch_ns(after);
    EXPECT_GE(promised, measured);  // was 0.86
    EXPECT_LE(promised, 1.5 * measured);
    return;
  }
  FAIL() << "no finding about routers";
}

// M_CPUs take time for launches and barriers, not for transfers.
TEST_F(Bounds, BarriersTakeTimeOfTheirOwn) {
  const std::string options =
      std::string(kPlugin) +
      "--topology one_cube --bench traffic --set pattern=own --set move=read --set block=4096 --set count=64 --set "
      "ahead=4 --set rounds=4 --set cube.components.m_cpu.attrs.overhead_ns=";
  const Json slow = run(options + "2000"), quick = relieved(options + "0");
  const double promised = finding(slow, "barrier_overhead")["gain_ns"].get<double>() +
                          finding(slow, "launch_overhead")["gain_ns"].get<double>();
  const double measured = longest_launch_ns(slow) - longest_launch_ns(quick);
  EXPECT_GE(promised, measured);
  EXPECT_LE(promised, 1.1 * measured);
  EXPECT_NE(finding(slow, "barrier_overhead")["evidence"][0].get<std::string>().find("from 4 barriers"),
            std::string::npos);
  EXPECT_FALSE(has(slow, "header_bound")) << slow["findings"];
}

}  // namespace
}  // namespace kb::test
