// Findings of delays and of full memories: what they promise, beside what a machine without the cause brings.
#include "tests/machine/cli/findings.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

// Delays that nothing hides: what a finding promises is what the machine without them brings. Others are upper bounds.
TEST_F(FindingsTest, DelaysAreToldApart) {
  struct Case {
    const char *rule, *planted;
    bool exact;
  };
  const std::string gemm = "--topology one_cube --bench gemm-multi-pe", pe = " --set cube.pe_template.components.";
  const Json without = run(gemm);
  for (const auto& [rule, planted, exact] : {
           Case{"translation", "pe_mmu.attrs.tlb_overhead_ns=1000", true},
           Case{"scalar_bound", "pe_cpu.attrs.dispatch_cycles=1000", true},
           Case{"tcm_bound",
                "pe_scheduler.attrs.charge_fetch_store=true --set "
                "cube.pe_template.components.pe_tcm.attrs.read_bw_gbs=8",
                true},
           Case{"memory_latency", "pe_dma.attrs.overhead_ns=0 --set cube.components.hbm_ctrl.attrs.access_ns=2000",
                false},
           Case{"slow_slice",
                "pe_dma.attrs.overhead_ns=0 --set 'replace[0].nodes=sip0.cube0.hbm_ctrl.pe3' --set "
                "'replace[0].attrs.access_ns=5000'",
                false},
       }) {
    const Json slow = run(gemm + pe + planted);
    EXPECT_EQ(first(slow), rule);
    const double promised = slow["findings"][0]["factor"].get<double>();
    const double brought = longest_launch_ns(slow) / longest_launch_ns(without);
    if (exact) {
      EXPECT_NEAR(promised, brought, 1e-6 * brought) << rule;
    } else {
      EXPECT_GE(promised, brought) << rule;
      EXPECT_LE(promised, 2 * brought) << rule;
    }
  }
}

// Twice the rate of the memory brings no more than is promised.
TEST_F(FindingsTest, AFullMemoryThatIsUsedEvenly) {
  const std::string tiles = "--bench matmul-composite --set cube.pe_template.components.pe_dma.attrs.rd_outstanding=8";
  const Json full = run(tiles), wider = run(tiles + " --set cube.memory_map.hbm_channel_bw_gbs=64");
  ASSERT_TRUE(has(full, "memory_bound"));
  EXPECT_GE(finding(full, "memory_bound")["factor"].get<double>(), longest_launch_ns(full) / longest_launch_ns(wider));
  EXPECT_FALSE(has(wider, "memory_bound"));
}

}  // namespace
}  // namespace kb::test
