// What findings promise is no less than what a machine or workload without their cause brings.
#include "tests/machine/cli/findings.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

struct Relief {
  const char *rule, *about, *run, *relief;
};

class Bounds : public FindingsTest {
 protected:
  // The factor of the finding of a rule whose headline says `about`, over what the relief brings; 0 without one.
  double promised_of_measured(const Relief& one) const {
    const std::string base = std::string("--plugin " KB_CAUSES_PLUGIN " ") + one.run;
    const Json before = run(base + " --out r"), after = run(base + " --pins r --set " + one.relief);
    for (const Json& finding : before["findings"]) {
      if (finding["rule"] != one.rule || finding["headline"].get<std::string>().find(one.about) == std::string::npos)
        continue;
      return finding["factor"].get<double>() * longest_launch_ns(after) / longest_launch_ns(before);
    }
    ADD_FAILURE() << "no finding " << one.rule << " in " << one.run;
    return 0;
  }
  Json run(const std::string& options) const {
    const bool kept = options.find("--out r") != std::string::npos;
    const Outcome outcome = kernbench("run --quiet " + options + (kept ? "" : " --out out"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(read(kept ? "r/result.json" : "out/result.json"));
  }
};

// With the mean of all PEs, and without messages, the first two were 0.78 and 0.91.
TEST_F(Bounds, HoldAtThePeThatEndsLast) {
  for (const Relief& one : {
           Relief{"memory_latency", "",
                  "--topology one_cube --bench traffic --set pattern=next_cube --set move=both --set block=1024 --set "
                  "count=16 --set ahead=1 --set cube.pe_template.components.pe_mmu.attrs.tlb_overhead_ns=100 --set "
                  "cube.components.hbm_ctrl.attrs.access_ns=200",
                  "cube.components.hbm_ctrl.attrs.access_ns=0"},
           Relief{"header_bound", "noc_router", "--topology six_sips_torus --bench ccl-all-gather --set n_elem=192",
                  "cube.links.router_overhead_ns=0"},
           Relief{"header_bound", "noc_router",
                  "--topology one_cube --bench traffic --set pattern=own --set move=read --set block=64 --set count=16 "
                  "--set ahead=2 --set rounds=4",
                  "cube.links.router_overhead_ns=0"},
       }) {
    const double ratio = promised_of_measured(one);
    EXPECT_GE(ratio, 0.995) << one.rule << " of " << one.run;
    EXPECT_LE(ratio, 1.5) << one.rule << " of " << one.run;
  }
}

// What is next takes over: a wire, or another PE.
TEST_F(Bounds, EndWhereTheNextOneTakesOver) {
  for (const Relief& one : {
           Relief{"header_bound", "messages",
                  "--topology six_sips_torus --bench ccl-all-gather --set n_elem=24576 --set chunk=256",
                  "cube.links.router_overhead_ns=0 --set cube.ucie.attrs.overhead_ns=0 --set "
                  "'sip.io_chiplets[0].components.io_ucie.attrs.overhead_ns=0' --set "
                  "'sip.io_chiplets[0].components.pcie_ep.attrs.overhead_ns=0' --set "
                  "system.components.switch.attrs.overhead_ns=0"},
           Relief{"slow_slice", "",
                  "--topology one_cube --bench gemm-multi-pe --set rows_per_pe=1 --set k=1024 --set n=512 --set "
                  "tile_n=64 --set b_copies=cube --set 'replace[0].nodes=sip0.cube0.hbm_ctrl.pe3' --set "
                  "'replace[0].attrs.access_ns=400'",
                  "'replace[0].attrs.access_ns=0'"},
       }) {
    const double ratio = promised_of_measured(one);
    EXPECT_GE(ratio, 0.995) << one.rule << " of " << one.run;
    EXPECT_LE(ratio, 3) << one.rule << " of " << one.run;  // was 10 and 5
  }
}

}  // namespace
}  // namespace kb::test
