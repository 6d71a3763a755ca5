// PE_GEMM whose array is RTL, driven by a scripted requester and by kernels.
#include "modules/rtl/rtl_gemm.h"

#include <gmock/gmock.h>

#include "modules/rtl/catalog.h"
#include "platform/contract/command.h"
#include "tests/block/pe/pe_machine.h"
#include "tests/block/rtl/faulty_array.h"

namespace kb::test {
namespace {

using modules::IMacArray;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using topology::NodeKind;

constexpr const char* kNode = "sip0.cube0.pe0.pe_gemm";
const std::string kGemm = "cube.pe_template.components.pe_gemm.";

const elab::BlockCatalog& rtl_blocks() {
  static const elab::BlockCatalog catalog = [] {
    elab::BlockCatalog made;
    modules::add_rtl_blocks(made);
    return made;
  }();
  return catalog;
}

MachineOptions machine_with(std::vector<std::pair<std::string, std::string>> attrs,
                            const elab::BlockCatalog& blocks = rtl_blocks(), const std::string& impl = "rtl.gemm") {
  MachineOptions options;
  options.requesters = {NodeKind::pe_scheduler};
  options.blocks = &blocks;
  options.set = {{kGemm + "impl", impl}};
  for (const auto& [name, value] : attrs) options.set.emplace_back(kGemm + "attrs." + name, value);
  return options;
}

Request on_gemm(TimeFs at, contract::Command command) {
  return {at, NodeKind::pe_gemm, std::move(command), {}, {}};
}

// 32 x 64 x 32: 16 blocks of 64 + 22 cycles.
TEST(RtlGemm, TakesTheCyclesOfTheRtlFromTheNextEdge) {
  PeMachine machine(machine_with({}));
  const std::vector<Outcome> o = machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_gemm(5000.25_ns, gemm(1, 1, 1))});
  EXPECT_EQ(o[0].end, 1 * kNs + 16 * 86 * kNs);  // an edge at 0 does not sample what comes at 0
  EXPECT_EQ(o[1].start, 5000.25_ns);
  EXPECT_EQ(o[1].end, 5001 * kNs + 23 * kNs);
}

TEST(RtlGemm, BusyAndTheShapeOfAProductAreShownFromItsStart) {
  using C = Waves::Change;
  PeMachine machine(machine_with({}));
  machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_gemm(5000.25_ns, gemm(1, 1, 1))});
  const auto pin = [&](const char* name) { return machine.waves.shown(std::string(kNode) + ".pins." + name); };
  EXPECT_THAT(pin("busy"), ElementsAre(C(kNs, 1), C(1377 * kNs, 0), C(5001 * kNs, 1), C(5024 * kNs, 0)));
  EXPECT_THAT(pin("m_blocks"), ElementsAre(C(kNs, 4), C(5001 * kNs, 1)));
  EXPECT_THAT(pin("n_blocks"), ElementsAre(C(kNs, 4), C(5001 * kNs, 1)));
  EXPECT_THAT(pin("k"), ElementsAre(C(kNs, 64), C(5001 * kNs, 1)));
  EXPECT_THAT(pin("cycles"), ElementsAre(C(kNs, 16 * 86), C(5001 * kNs, 23)));
}

// Counts at the rising edges of the clock beside an array.
struct ArrayMonitor final : sc_core::sc_module {
  std::int64_t starts = 0, busy = 0, rows = 0, fed = 0;

  ArrayMonitor(const sc_core::sc_module_name& name, const sc_core::sc_module& pins)
      : sc_core::sc_module(name), pins_(pins) {
    SC_HAS_PROCESS(ArrayMonitor);
    SC_METHOD(sample);
    sensitive << signal("clk").posedge_event();
    dont_initialize();
  }

 private:
  const sc_core::sc_signal<bool>& signal(const std::string& name) const {
    for (sc_core::sc_object* const child : pins_.get_child_objects()) {
      if (name == child->basename()) return dynamic_cast<const sc_core::sc_signal<bool>&>(*child);
    }
    throw Error::model("no signal " + name);
  }
  void sample() {
    starts += signal("start").read();
    busy += signal("busy").read();
    rows += signal("out_valid").read();
    fed += signal("in_ready").read();
  }
  const sc_core::sc_module& pins_;
};

TEST(RtlGemm, AMonitorAtThePinsSeesEveryCycle) {
  PeMachine machine(machine_with({{"pins", "true"}}));
  auto& bundles = machine.platform->context().shared<modules::PinSharing>().bundles;
  ArrayMonitor monitor("monitor", *bundles.at(kNode));
  const std::vector<Outcome> o = machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_gemm(5000.25_ns, gemm(65, 8, 8))});
  EXPECT_EQ(o[0].end, 1 * kNs + 16 * 86 * kNs);  // as without pins
  const std::int64_t second = 8 * (8 + 22) + (8 + 22);
  EXPECT_EQ(o[1].end, 5001 * kNs + second * kNs);
  EXPECT_EQ(monitor.starts, 3);  // the second product has two parts
  EXPECT_EQ(monitor.busy, 16 * 86 + second);
  EXPECT_EQ(monitor.rows, 8 * (16 + 9));
  EXPECT_EQ(monitor.fed, 16 * (64 + 14) + 9 * (8 + 14));
}

TEST(RtlGemm, ClockAndPhaseAreAttributes) {
  PeMachine machine(machine_with({{"clock_ghz", "0.5"}, {"phase_ns", "0.5"}}));
  const std::vector<Outcome> o = machine.run({on_gemm(0_fs, gemm(1, 1, 1)), on_gemm(1000 * kNs, gemm(8, 8, 8))});
  EXPECT_EQ(o[0].end, 0.5_ns + 23 * 2 * kNs);
  EXPECT_EQ(o[1].end, 1000.5_ns + 30 * 2 * kNs);
}

TEST(RtlGemm, OverheadIsALowerBound) {
  PeMachine machine(machine_with({{"overhead_ns", "50"}}));
  EXPECT_EQ(machine.run({on_gemm(0_fs, gemm(1, 1, 1))}).at(0).end, 50 * kNs);
}

TEST(RtlGemm, LargeProductsAreClockedInParts) {  // 65 x 1025 x 8: rows 64 + 1, depth 1024 + 1
  PeMachine machine(machine_with({}));
  const std::int64_t cycles = 8 * (1024 + 22) + 8 * (1 + 22) + (1024 + 22) + (1 + 22);
  EXPECT_EQ(machine.run({on_gemm(0_fs, gemm(65, 1025, 8))}).at(0).end, (1 + cycles) * kNs);
}

TEST(RtlGemm, ReportsItsCyclesBesideTheAnalyticTime) {
  PeMachine machine(machine_with({{"verify", "true"}}));
  machine.run({on_gemm(0_fs, gemm(32, 64, 32)), on_gemm(0_fs, gemm(1, 64, 1))});
  const auto statistics = machine.statistics(kNode);
  EXPECT_EQ(statistics.at("rtl_cycles"), 16 * 86 + 86);
  EXPECT_EQ(statistics.at("rtl_time"), ((16 * 86 + 86) * kNs).fs());
  EXPECT_EQ(statistics.at("analytic_time"), (2 * 16 * kNs).fs());
  EXPECT_EQ(statistics.at("macs"), 65536 + 64 * 64);
  EXPECT_EQ(statistics.at("useful_macs"), 65536 + 64);
}

TEST(RtlGemm, AShapeIsClockedOnceInAMachine) {
  modules::RtlGemmCycles cycles(modules::mac_array_model());
  const modules::RtlGemmParams params;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cycles.of(32, 64, 32, params), 16 * 86);
  EXPECT_EQ(cycles.clocked(), 1);
  EXPECT_EQ(cycles.of(128, 64, 128, params), 256 * 86);  // four equal parts
  EXPECT_EQ(cycles.clocked(), 2);
  modules::RtlGemmParams verified;
  verified.verify = true;
  EXPECT_EQ(cycles.of(32, 64, 32, verified), 16 * 86);  // not verified before
  EXPECT_EQ(cycles.clocked(), 3);
}

TEST(RtlGemm, AnArrayOfTheUserTakesItsPlace) {
  elab::BlockCatalog blocks;
  blocks.add_block(modules::rtl_gemm_block("custom.my_gemm", FaultyArray::maker([](auto&, auto) {})));
  PeMachine machine(machine_with({}, blocks, "custom.my_gemm"));
  EXPECT_EQ(machine.run({on_gemm(0_fs, gemm(8, 8, 8))}).at(0).end, 31 * kNs);
}

TEST(RtlGemm, WhatIsWrongNamesNodeTimeAndProduct) {
  elab::BlockCatalog blocks;
  blocks.add_block(modules::rtl_gemm_block("custom.my_gemm", FaultyArray::maker([](IMacArray::Outputs& out, auto) {
                                             out.busy = true;
                                             out.out_valid = false;
                                           })));
  PeMachine machine(machine_with({{"hang_cycles", "100"}}, blocks, "custom.my_gemm"));
  try {
    machine.run({on_gemm(2 * kNs, gemm(8, 9, 8))});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("sip0.cube0.pe0.pe_gemm (custom.my_gemm): at 2 ns, product of 8 x 9 x 8"),
                                    HasSubstr("busy is 1 and no sum has come for 109 cycles")));
  }
}

}  // namespace
}  // namespace kb::test
