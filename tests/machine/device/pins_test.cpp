// Pins of a block from RTL inside a device, for a checker beside it.
#include <gmock/gmock.h>

#include <array>
#include <string>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/units.h"
#include "sim/ports/device/device.h"
#include "tests/machine/device/memory_case.h"
#include "tests/support/own_process.h"

namespace kb {
namespace {

using testing::HasSubstr;

std::string machine(const std::string& attrs) {
  return "system: { sips: { count: 1 } }\n"
         "sip: { cube_mesh: { w: 1, h: 1 } }\n"
         "cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n"
         "replace: [{ nodes: sip0.cube0.hbm_ctrl.pe0, impl: rtl.axi_memory, attrs: {" +
         attrs + "} }]\n";
}

// Ports of its own, as a checker in SystemVerilog has them (Verilator --sc).
struct Checker final : sc_core::sc_module {
  sc_core::sc_in<bool> clk{"clk"}, arvalid{"arvalid"}, arready{"arready"}, rvalid{"rvalid"}, rlast{"rlast"};
  sc_core::sc_in<std::uint32_t> arlen{"arlen"};
  sc_core::sc_in<sc_dt::sc_bv<512>> rdata{"rdata"};
  std::int64_t edges = 0, asked = 0, beats = 0, bursts = 0;
  bool ends = true;  // rlast came with the last beat of each burst

  Checker(const sc_core::sc_module_name& name, const sc_core::sc_module& pins) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Checker);
    SC_METHOD(sample);
    sensitive << clk.pos();
    dont_initialize();
    clk(pin<bool>(pins, "clk"));
    arvalid(pin<bool>(pins, "arvalid")), arready(pin<bool>(pins, "arready"));
    rvalid(pin<bool>(pins, "rvalid")), rlast(pin<bool>(pins, "rlast"));
    arlen(pin<std::uint32_t>(pins, "arlen"));
    rdata(pin<sc_dt::sc_bv<512>>(pins, "rdata"));
  }

 private:
  void sample() {
    ++edges;
    if (rvalid.read()) {
      ++beats;
      if (rlast.read()) ++bursts, ends = ends && beats == asked;
    }
    if (arvalid.read() && arready.read()) asked += arlen.read() + 1;
  }
};

struct Seen {
  std::uint64_t completed = 0;
  std::int64_t edges = 0, beats = 0, cycles = 0;
  bool ends = true;
};

Seen read_kilobytes(const std::string& attrs, bool watched) {
  return test::in_own_process([&] {
    DeviceConfig config;
    config.topology_text = machine(attrs);
    Device npu("npu", config);
    std::unique_ptr<Checker> checker;
    if (watched) checker = std::make_unique<Checker>("checker", npu.pins("sip0.cube0.hbm_ctrl.pe0"));
    std::vector<test::Transfer> transfers;
    const std::uint64_t first = address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(0), 0, 6 * kGiB).value();
    for (int i = 0; i < 4; ++i) transfers.push_back(test::make_transfer(false, first + 1000 * i, 2048));
    test::LtInitiator cpu("cpu", transfers);
    cpu.socket.bind(npu.target("cpu0"));
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
    Seen seen;
    const DeviceReport report = npu.finish();
    if (!report.ok) throw Error::model(report.text);
    for (const DeviceReport::Statistic& one : report.statistics) {
      if (one.name == "rtl_cycles") seen.cycles = one.value;
    }
    seen.completed = cpu.transfers().back().completed.value();
    if (watched) seen.edges = checker->edges, seen.beats = checker->beats, seen.ends = checker->ends;
    return seen;
  });
}

TEST(DevicePins, ACheckerWithPortsSeesEveryBeatAndMovesNoTime) {
  if (!KB_RTL_BUILT) GTEST_SKIP() << "built without Verilator";
  const Seen shown = read_kilobytes("pins: true", true), hidden = read_kilobytes("", false);
  EXPECT_EQ(shown.completed, hidden.completed);
  EXPECT_EQ(shown.edges, 20'000);  // the clock runs on, at 1 GHz
  EXPECT_EQ(shown.edges, shown.cycles);
  EXPECT_GE(shown.beats, 4 * 2048 / 64);
  EXPECT_TRUE(shown.ends);
}

TEST(DevicePins, WhatIsNotThereIsRefused) {
  if (!KB_RTL_BUILT) GTEST_SKIP() << "built without Verilator";
  DeviceConfig config;
  config.topology_text = machine("pins: true");
  Device npu("npu", config);
  const auto refused = [](auto ask) {
    try {
      ask();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused([&] { npu.pins("sip0.cube0.hbm_ctrl.p0"); }),
              HasSubstr("npu shows no pins of 'sip0.cube0.hbm_ctrl.p0': did you mean 'sip0.cube0.hbm_ctrl.pe0'?"));
  const sc_core::sc_module& pins = npu.pins("sip0.cube0.hbm_ctrl.pe0");
  EXPECT_THAT(refused([&] { pin<bool>(pins, "awvalidd"); }), HasSubstr("no signal 'awvalidd' of this type"));
  EXPECT_THAT(refused([&] { pin<bool>(pins, "awlen"); }), HasSubstr("no signal 'awlen' of this type"));
}

}  // namespace
}  // namespace kb
