// A bench in RTL drives a device at pins: ./bench machine.yaml
#include <Vbench.h>
#include <kernbench/axi_lite_port.h>
#include <kernbench/axi_port.h>
#include <kernbench/device.h>

#include <cstdio>

int sc_main(int argc, char** argv) {
  if (argc < 2) return 2;
  kb::set_time_resolution();  // the model is made with --timescale-override 1fs/1fs
  sc_core::sc_clock aclk("aclk", sc_core::sc_time(1, sc_core::SC_NS));
  sc_core::sc_signal<bool> aresetn("aresetn"), done("done"), right("right"), low("low");
  sc_core::sc_signal<std::uint32_t> zero("zero"), three("three"), one("one");

  kb::DeviceConfig config;
  config.topology = argv[1];
  kb::Device npu("npu", config);
  kb::AxiLitePort registers("registers");
  registers.initiator.bind(npu.registers());
  kb::AxiPort<64> memory("memory");
  memory.initiator.bind(npu.target("cpu0"));
  Vbench bench("bench");
  bench.aclk(aclk), bench.aresetn(aresetn), bench.done(done), bench.right(right);
  registers.aclk(aclk), registers.aresetn(aresetn);
  memory.aclk(aclk), memory.aresetn(aresetn);

  // The bench reads registers, and writes none.
  sc_core::sc_signal<bool> lite_arvalid("lite_arvalid"), lite_arready("lite_arready"), lite_rvalid("lite_rvalid");
  sc_core::sc_signal<bool> lite_rready("lite_rready"), unused_awready, unused_wready, unused_bvalid;
  sc_core::sc_signal<std::uint32_t> lite_araddr("lite_araddr"), lite_rdata("lite_rdata"), lite_rresp("lite_rresp");
  sc_core::sc_signal<std::uint32_t> unused_bresp;
  bench.lite_arvalid(lite_arvalid), registers.arvalid(lite_arvalid);
  bench.lite_arready(lite_arready), registers.arready(lite_arready);
  bench.lite_araddr(lite_araddr), registers.araddr(lite_araddr);
  bench.lite_rvalid(lite_rvalid), registers.rvalid(lite_rvalid);
  bench.lite_rready(lite_rready), registers.rready(lite_rready);
  bench.lite_rdata(lite_rdata), registers.rdata(lite_rdata);
  bench.lite_rresp(lite_rresp), registers.rresp(lite_rresp);
  registers.awvalid(low), registers.wvalid(low), registers.bready(low);
  registers.awaddr(zero), registers.wdata(zero), registers.wstrb(zero);
  registers.awready(unused_awready), registers.wready(unused_wready), registers.bvalid(unused_bvalid);
  registers.bresp(unused_bresp);

  sc_core::sc_signal<bool> awvalid("awvalid"), awready("awready"), wvalid("wvalid"), wready("wready"), wlast("wlast");
  sc_core::sc_signal<bool> bvalid("bvalid"), bready("bready"), arvalid("arvalid"), arready("arready");
  sc_core::sc_signal<bool> rvalid("rvalid"), rready("rready"), rlast("rlast");
  sc_core::sc_signal<std::uint64_t> awaddr("awaddr"), araddr("araddr"), wdata("wdata"), rdata("rdata");
  sc_core::sc_signal<std::uint32_t> awlen("awlen"), arlen("arlen"), wstrb("wstrb"), bresp("bresp"), rresp("rresp");
  sc_core::sc_signal<std::uint32_t> bid("bid"), rid("rid");
  bench.awvalid(awvalid), memory.awvalid(awvalid), bench.awready(awready), memory.awready(awready);
  bench.awaddr(awaddr), memory.awaddr(awaddr), bench.awlen(awlen), memory.awlen(awlen);
  bench.wvalid(wvalid), memory.wvalid(wvalid), bench.wready(wready), memory.wready(wready);
  bench.wdata(wdata), memory.wdata(wdata), bench.wstrb(wstrb), memory.wstrb(wstrb);
  bench.wlast(wlast), memory.wlast(wlast), bench.bvalid(bvalid), memory.bvalid(bvalid);
  bench.bready(bready), memory.bready(bready), bench.bresp(bresp), memory.bresp(bresp);
  bench.arvalid(arvalid), memory.arvalid(arvalid), bench.arready(arready), memory.arready(arready);
  bench.araddr(araddr), memory.araddr(araddr), bench.arlen(arlen), memory.arlen(arlen);
  bench.rvalid(rvalid), memory.rvalid(rvalid), bench.rready(rready), memory.rready(rready);
  bench.rdata(rdata), memory.rdata(rdata), bench.rresp(rresp), memory.rresp(rresp);
  bench.rlast(rlast), memory.rlast(rlast);
  memory.awid(zero), memory.arid(zero), memory.bid(bid), memory.rid(rid);
  memory.awsize(three), memory.arsize(three), memory.awburst(one), memory.arburst(one);  // 8 bytes, INCR
  three = 3;
  one = 1;

  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_NS));
  aresetn = true;
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  const kb::DeviceReport report = npu.finish();
  std::printf("%sthe bench is %s\n", report.text.c_str(), !done ? "not done" : right ? "right" : "wrong");
  return report.ok && done && right ? 0 : 1;
}
