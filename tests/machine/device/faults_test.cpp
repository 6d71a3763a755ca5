// Foreign models that misbehave, or do what few of them do: nothing hangs, crashes or goes untold.
#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>

#include "examples/embedding/at_memory.h"
#include "examples/embedding/host_memory.h"
#include "kernels/catalog.h"
#include "platform/base/error.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/kernel_arguments.h"
#include "sim/ports/device/device.h"
#include "sim/ports/device/device_queue.h"
#include "sw/runtime/runtime.h"
#include "tests/machine/device/player.h"
#include "tests/machine/device/systemc_reports.h"

namespace kb {
namespace {

using test::hbm;
using test::ns;
using test::one_pe;
using test::Player;
using testing::HasSubstr;

DeviceConfig with_outside_memory() {
  std::ifstream file(KB_CONFIG_DIR "/one_pe.yaml");
  DeviceConfig config;
  config.topology_text = std::string(std::istreambuf_iterator<char>(file), {}) +
                         "\nreplace: [{nodes: sip0.cube0.hbm_ctrl.pe0, impl: tlm.memory, attrs: {socket: dram}}]\n";
  config.no_progress_ns = 10'000;
  return test::lenient(config);
}

TEST(OutsideFaults, AnAnswerAfterTheDeviceHasFailedIsIgnored) {
  const test::SystemcReports reports;
  Device device("device", with_outside_memory());
  AtMemory memory("memory", ns(0), ns(30'000));
  device.memory("dram").bind(memory.socket);
  Player player("player", [&](Player& self) {
    EXPECT_EQ(self.access(true, hbm(0)), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_TRUE(device.failed());
    sc_core::sc_time delay = ns(700);
    tlm::tlm_generic_payload payload;
    self.fill(payload, false, hbm(0), 8);
    self.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(delay, ns(700));  // it is the caller's to wait
  });
  player.socket.bind(device.target("cpu0"));
  sc_core::sc_start(ns(100'000));
  EXPECT_TRUE(player.done);
  EXPECT_THAT(device.error(), HasSubstr("answer of memory 'dram' to write of 256 B"));
  EXPECT_FALSE(device.finish().ok);
}

TEST(OutsideFaults, ADriverHearsThatTheDeviceHasFailed) {
  const test::SystemcReports reports;
  Device device("device", with_outside_memory());
  AtMemory memory("memory", ns(0), ns(1e9));
  device.memory("dram").bind(memory.socket);
  HostMemory host("host", 4096);
  device.host_memory.bind(host.socket);
  sc_core::sc_signal<bool> irq("irq");
  device.irq.bind(irq);
  kb_descriptor& copy = *host.at<kb_descriptor>(0);
  copy.op = KB_OP_COPY_TO_DEVICE;
  copy.device = hbm(0);
  copy.bytes = 64;
  Player player("player", [&](Player& self) {
    self.reg(true, KB_REG_QUEUE_SIZE, 4);
    self.reg(true, KB_REG_IRQ_MASK, KB_IRQ_ERROR);
    self.reg(true, KB_REG_DOORBELL, 1);
    while (!irq.read()) sc_core::wait(irq.posedge_event());
    EXPECT_EQ(self.reg(false, KB_REG_ERROR), KB_ERROR_FAILED);
    EXPECT_EQ(self.reg(false, KB_REG_DONE_COUNT), 1u);
    EXPECT_EQ(self.reg(false, KB_REG_STATUS), KB_STATUS_ERROR);
  });
  player.socket.bind(device.registers());
  sc_core::sc_start(ns(100'000));
  EXPECT_TRUE(player.done);
  EXPECT_TRUE(device.failed());
}

TEST(OutsideFaults, ADoorbellCountsForward) {
  const test::SystemcReports reports;
  Device device("device", one_pe());
  HostMemory host("host", 4096);
  device.host_memory.bind(host.socket);
  for (int i = 0; i < 4; ++i) host.at<kb_descriptor>(0)[i].op = KB_OP_FENCE;
  Player player("player", [&](Player& self) {
    self.reg(true, KB_REG_QUEUE_SIZE, 4);
    self.reg(true, KB_REG_DOORBELL, 0);
    EXPECT_EQ(self.reg(false, KB_REG_STATUS), 0u);
    self.reg(true, KB_REG_DOORBELL, 2);
    sc_core::wait(ns(1000));
    self.reg(true, KB_REG_DOORBELL, 1);
    sc_core::wait(ns(1000));
    EXPECT_EQ(self.reg(false, KB_REG_DONE_COUNT), 2u);
    EXPECT_EQ(self.reg(false, KB_REG_DOORBELL), 2u);
    EXPECT_EQ(self.reg(false, KB_REG_ERROR), KB_ERROR_DESCRIPTOR);
  });
  player.socket.bind(device.registers());
  sc_core::sc_start();
  EXPECT_TRUE(player.done);
  EXPECT_TRUE(device.idle());
  const DeviceReport report = device.finish();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_THAT(report.problems[0], HasSubstr("DOORBELL announces 4294967295 descriptors, but QUEUE_SIZE is 4"));
}

// Whoever hears that the device is idle finds everything done.
class IdleEvent : public testing::TestWithParam<bool> {};

TEST_P(IdleEvent, ComesAfterTheInterrupt) {
  DeviceConfig config = one_pe();
  config.free_running = GetParam();
  Device device("device", config);
  HostMemory host("host", 4096);
  device.host_memory.bind(host.socket);
  sc_core::sc_signal<bool> irq("irq");
  device.irq.bind(irq);
  host.at<kb_descriptor>(0)[0].op = KB_OP_LAUNCH;
  host.at<kb_descriptor>(0)[0].kernel = kb_kernel_hash("noop");
  host.at<kb_descriptor>(0)[0].cubes = host.at<kb_descriptor>(0)[0].pes = 1;
  host.at<kb_descriptor>(0)[0].arg_count = 1;
  host.at<kb_descriptor>(0)[0].args = 1024;
  host.at<kb_descriptor>(0)[0].flags = KB_FLAG_INTERRUPT;
  Player player("player", [&](Player& self) {
    self.reg(true, KB_REG_QUEUE_SIZE, 4);
    self.reg(true, KB_REG_IRQ_MASK, KB_IRQ_DONE);
    self.reg(true, KB_REG_DOORBELL, 1);
    sc_core::wait(device.idle_event());
    EXPECT_EQ(self.reg(false, KB_REG_DONE_COUNT), 1u);
    EXPECT_EQ(self.reg(false, KB_REG_STATUS), 0u);
    EXPECT_EQ(self.reg(false, KB_REG_ERROR), 0u);
  });
  player.socket.bind(device.registers());
  sc_core::sc_start();
  EXPECT_TRUE(player.done);
  EXPECT_TRUE(irq.read());
}

INSTANTIATE_TEST_SUITE_P(FreeRunning, IdleEvent, testing::Bool());

TEST(OutsideFaults, AnAnswerThatOvertakesEndReqTakesItsPlace) {
  DeviceConfig config = one_pe();
  config.targets[0].accept_ns = 2000;
  config.targets[0].windows = {{0x1000, hbm(0), 0x1000}};
  Device device("device", config);
  Player player("player", [&](Player& self) {
    self.send(self.payload(false, 0x10, 8), tlm::BEGIN_REQ);  // in no window: answered at once
    sc_core::wait(ns(1950));
    self.send(self.payload(false, 0x1000, 4096), tlm::BEGIN_REQ);
  });
  player.socket.bind(device.target("cpu0"));
  sc_core::sc_start();
  ASSERT_GE(player.heard.size(), 2u);
  EXPECT_EQ(player.heard[0].first, "BEGIN_RESP");
  for (const auto& [phase, at] : player.heard) {
    EXPECT_TRUE(phase != "END_REQ" || at == ns(3950)) << at;
  }
  EXPECT_TRUE(device.finish().problems.empty());
}

TEST(OutsideFaults, ASecondEndRespIsABreach) {
  const test::SystemcReports reports;
  Device device("device", test::lenient(one_pe()));
  Player player("player", [](Player& self) { self.send(self.payload(false, hbm(0), 8), tlm::BEGIN_REQ); });
  player.answer = [&](tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    sc_core::sc_spawn([&] {
      player.send(payload, tlm::END_RESP, ns(10));
      player.send(payload, tlm::END_RESP, ns(10));
    });
    return tlm::TLM_ACCEPTED;
  };
  player.socket.bind(device.target("cpu0"));
  sc_core::sc_start();
  EXPECT_TRUE(device.idle());
  const DeviceReport report = device.finish();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_THAT(report.problems[0], HasSubstr("END_RESP for a transaction that has not begun or has ended"));
}

TEST(OutsideFaults, AThreadMayBeKilledInsideACall) {
  Device device("device", one_pe());
  Player player("player", [](Player& self) {
    sc_core::sc_process_handle call = sc_core::sc_spawn([&] { self.access(true, hbm(0), 4096); });
    sc_core::wait(ns(50));
    call.kill();
    sc_core::wait(ns(5000));
    EXPECT_EQ(self.access(false, hbm(0)), tlm::TLM_OK_RESPONSE);
  });
  player.socket.bind(device.target("cpu0"));
  sc_core::sc_start();
  EXPECT_TRUE(player.done);
  EXPECT_TRUE(device.idle());
  EXPECT_TRUE(device.finish().ok);
}

TEST(OutsideFaults, ProgramsThatEndAtOnceOrThrow) {
  const test::SystemcReports reports;
  Device empty("empty", one_pe());
  Device wrong("wrong", test::lenient(one_pe()));
  empty.run([](sw::Runtime&) {});
  wrong.run([](sw::Runtime& runtime) { runtime.wait(runtime.launch("gemmx", {})); });
  int idle = 0;
  sc_core::sc_spawn([&] {
    sc_core::wait(empty.idle_event() & wrong.idle_event());
    ++idle;
  });
  sc_core::sc_start();
  EXPECT_EQ(idle, 1);
  EXPECT_FALSE(empty.failed());
  EXPECT_TRUE(wrong.failed());
  EXPECT_THAT(wrong.error(), HasSubstr("did you mean 'gemm'?"));
}

// One of two devices goes on, and sc_start() returns.
TEST(OutsideFaults, AModelErrorInAKernelFailsItsDeviceAlone) {
  const test::SystemcReports reports;
  kernels::KernelCatalog kernels;
  kernels.add({"defect", "breaks an invariant", {}, [](contract::IPe&, const std::vector<contract::KernelArg>&) {
                 throw Error::model("an invariant does not hold");
               }});
  DeviceConfig config = test::lenient(one_pe());
  config.kernels = &kernels;
  Device broken("broken", config), whole("whole", one_pe());
  broken.run([](sw::Runtime& runtime) { runtime.wait(runtime.launch("defect", {})); });
  whole.run([](sw::Runtime& runtime) {
    const sw::Tensor tensor = runtime.zeros({32, 32}, Dtype::f16);
    runtime.wait_all();
  });
  sc_core::sc_start();
  EXPECT_TRUE(whole.finish().ok);
  const DeviceReport report = broken.finish();
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.error_message, HasSubstr("in kernel defect: an invariant does not hold"));
}

TEST(OutsideFaults, AProgramMayWaitForEventsOfOthers) {
  Device device("device", one_pe());
  bool done = false;
  device.run([&](sw::Runtime& runtime) {
    const sw::Tensor first = runtime.zeros({16, 16}, Dtype::f16);
    runtime.wait_all();
    sc_core::wait(ns(5000));
    const sw::Tensor second = runtime.zeros({16, 16}, Dtype::f16);
    runtime.wait_all();
    done = true;
  });
  sc_core::sc_start();
  EXPECT_TRUE(done);
  EXPECT_TRUE(device.finish().ok);
}

TEST(OutsideFaults, WaveformsHaveDetailWindowAndSaveFile) {
  DeviceConfig config = one_pe();
  config.wave = "faults_test.vcd";
  config.gtkw = "faults_test.gtkw";
  config.wave_detail = "flit";
  config.wave_from_ns = 20;
  config.wave_until_ns = 45;
  Device device("device", config);
  Player player("player", [](Player& self) { EXPECT_EQ(self.access(true, hbm(0), 64), tlm::TLM_OK_RESPONSE); });
  player.socket.bind(device.target("cpu0"));
  sc_core::sc_start();
  EXPECT_TRUE(device.finish().ok);
  const auto read = [](const char* name) {
    std::ifstream file(name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::remove(name);
    return text;
  };
  const std::string vcd = read("faults_test.vcd"), save = read("faults_test.gtkw");
  EXPECT_THAT(vcd, HasSubstr("#20000000\n$dumpvars\n"));
  EXPECT_THAT(vcd, HasSubstr(" txn [31:0] $end"));
  EXPECT_EQ(vcd.substr(vcd.rfind('#')), "#45000000\n");
  EXPECT_THAT(save, HasSubstr("faults_test.vcd\"\n"));
  EXPECT_THAT(save, HasSubstr("sip0.io0.pcie_ep.cpu0.outstanding[15:0]"));
}

TEST(OutsideFaults, WrongConfigurationsAreNamed) {
  const auto message = [](const std::function<void(DeviceConfig&)>& spoil) -> std::string {
    DeviceConfig config = one_pe();
    spoil(config);
    static int number = 0;
    try {
      Device device(("device" + std::to_string(++number)).c_str(), config);
      device.target("cpu1");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message([](DeviceConfig& c) { c.targets[0].attach = "sip0.cube0.r0c0"; }),
              HasSubstr("could send requests"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.targets[0].attach = "sip0.cube0.pe0.pe_cpu"; }),
              HasSubstr("did you mean 'sip0.cube0.pe0.pe_dma'?"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.targets[0].max_outstanding = 0; }), HasSubstr("at least 1"));
  EXPECT_THAT(message([](DeviceConfig& c) {
                c.targets[0].windows = {{0, hbm(0), 64}, {32, hbm(64), 64}};
              }),
              HasSubstr("the windows 0x0 to 0x3f and 0x20 to 0x5f overlap"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.targets[0].windows = {{0, hbm(0), 0}}; }), HasSubstr("has no bytes"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.targets[0].accept_ns = -1; }), HasSubstr("accept_ns is -1"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.no_progress_ns = -1; }), HasSubstr("no_progress_ns is -1"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.irqs = 33; }), HasSubstr("irqs is 33; it has to be from 1 to 32"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.on_failure = "eror"; }), HasSubstr("did you mean 'error'?"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.data = "eagre"; }), HasSubstr("did you mean 'eager'?"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.topology.clear(); }), HasSubstr("names no machine"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.wave = "w.vcd", c.wave_detail = "flits"; }),
              HasSubstr("did you mean 'flit'?"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.wave = "w.vcd", c.wave_from_ns = -1; }), HasSubstr("both are from 0 to"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.wave = "w.vcd", c.wave_from_ns = 9, c.wave_until_ns = 8; }),
              HasSubstr("wave_until_ns, 8, is before wave_from_ns, 9"));
  EXPECT_THAT(message([](DeviceConfig& c) { c.gtkw = "w.gtkw"; }), HasSubstr("set `wave`, too"));
  EXPECT_THAT(message([](DeviceConfig&) {}), HasSubstr("has no target socket 'cpu1': did you mean 'cpu0'?"));
}

}  // namespace
}  // namespace kb
